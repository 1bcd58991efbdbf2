/**
 * The main job with a real client: an informer of `@kubernetes/client-node` over TLS, several workers, one durable
 * store. Objects are created, listed, watched, patched and deleted; workers and the whole server are killed meanwhile.
 */

import {
  CoreV1Api,
  type KubeConfig,
  type KubernetesObject,
  makeInformer,
  PatchStrategy,
  setHeaderOptions,
  type V1ConfigMap,
} from '@kubernetes/client-node'
import t from 'tap'
import { eventually } from '../support/eventually.ts'
import { type ServerProcess, startServerProcess } from '../support/server-process.ts'

const namespace = 'default'

function configMap(name: string, data: Record<string, string>): V1ConfigMap {
  return { metadata: { name, labels: { app: 'e2e' } }, data }
}

interface Seen {
  readonly events: string[]
  stop(): Promise<void>
  has(event: string): boolean
}

/** An informer over config maps of the default namespace that restarts by itself after an error, as clients do. */
async function inform(config: KubeConfig, api: CoreV1Api): Promise<Seen> {
  const events: string[] = []
  let running = true
  const informer = makeInformer<V1ConfigMap>(config, `/api/v1/namespaces/${namespace}/configmaps`, () =>
    api.listNamespacedConfigMap({ namespace }),
  )
  const record = (type: string) => (object: KubernetesObject) => {
    events.push(`${type} ${object.metadata?.name}`)
  }
  informer.on('add', record('add'))
  informer.on('update', record('update'))
  informer.on('delete', record('delete'))
  informer.on('error', () => {
    const again = () => {
      if (running) informer.start().catch(() => setTimeout(again, 50))
    }
    again()
  })
  await informer.start()
  return {
    events,
    async stop() {
      running = false
      await informer.stop()
    },
    has: (event) => events.includes(event),
  }
}

async function patchData(api: CoreV1Api, name: string, data: Record<string, string>): Promise<V1ConfigMap> {
  return api.patchNamespacedConfigMap(
    { name, namespace, body: { data } },
    setHeaderOptions('Content-Type', PatchStrategy.MergePatch),
  )
}

t.test('create, list, watch, patch, delete through two workers', async (t) => {
  const server = await startServerProcess(t, { args: ['--workers', '2'] })
  const config = server.kubeConfig()
  const api = config.makeApiClient(CoreV1Api)
  const seen = await inform(config, api)
  t.teardown(() => seen.stop())

  const created = await api.createNamespacedConfigMap({ namespace, body: configMap('a', { k: '1' }) })
  t.match(created.metadata, { name: 'a', namespace, uid: /^[0-9a-f-]{36}$/, resourceVersion: /^\d+$/ })
  await eventually('the informer to see the creation', () => seen.has('add a'))

  const patched = await patchData(api, 'a', { k: '2' })
  t.equal(patched.data?.['k'], '2')
  t.not(patched.metadata?.resourceVersion, created.metadata?.resourceVersion)
  await eventually('the informer to see the patch', () => seen.has('update a'))

  const list = await api.listNamespacedConfigMap({ namespace, labelSelector: 'app=e2e' })
  t.same(
    list.items.map((item) => item.metadata?.name),
    ['a'],
  )

  await t.rejects(api.createNamespacedConfigMap({ namespace, body: configMap('a', {}) }), { code: 409 })
  await t.rejects(
    api.replaceNamespacedConfigMap({ name: 'a', namespace, body: { ...created, data: { k: 'stale' } } }),
    { code: 409 },
  )

  await api.deleteNamespacedConfigMap({ name: 'a', namespace })
  await eventually('the informer to see the deletion', () => seen.has('delete a'))
  await t.rejects(api.readNamespacedConfigMap({ name: 'a', namespace }), { code: 404 })
})

t.test('an informer survives the death of the server and of the data in flight', async (t) => {
  let server: ServerProcess = await startServerProcess(t, { args: ['--workers', '2'] })
  const { port, dataDir } = server
  const config = server.kubeConfig()
  const api = config.makeApiClient(CoreV1Api)
  const seen = await inform(config, api)
  t.teardown(() => seen.stop())
  await api.createNamespacedConfigMap({ namespace, body: configMap('before', {}) })
  await eventually('the first object', () => seen.has('add before'))

  await server.stop('SIGKILL')
  server = await startServerProcess(t, { dataDir, port, args: ['--workers', '2'] })

  const kept = await api.readNamespacedConfigMap({ name: 'before', namespace })
  t.equal(kept.metadata?.name, 'before', 'an acknowledged write is still there')
  await api.createNamespacedConfigMap({ namespace, body: configMap('after', {}) })
  await eventually('the informer to go on', () => seen.has('add after'))
  t.equal(await server.stop(), 0, 'a graceful stop')
})
