/**
 * Custom resources with a real client over TLS, several workers over one durable store: what is established through one
 * is served by all, whichever answers.
 */

import {
  ApiextensionsV1Api,
  CustomObjectsApi,
  type KubernetesObject,
  makeInformer,
  type V1CustomResourceDefinition,
} from '@kubernetes/client-node'
import t from 'tap'
import { eventually } from '../support/eventually.ts'
import { startServerProcess } from '../support/server-process.ts'

const group = 'e2e.example.com'
const version = 'v1'
const namespace = 'default'

interface Widget extends KubernetesObject {
  readonly spec: { readonly size: number }
}

function definitionOf(plural: string, kind: string): V1CustomResourceDefinition {
  return {
    metadata: { name: `${plural}.${group}` },
    spec: {
      group,
      scope: 'Namespaced',
      names: { plural, kind },
      versions: [
        {
          name: version,
          served: true,
          storage: true,
          schema: {
            openAPIV3Schema: {
              type: 'object',
              properties: { spec: { type: 'object', properties: { size: { type: 'integer' } } } },
            },
          },
        },
      ],
    },
  }
}

function widget(kind: string, name: string, size: number): Widget {
  return { apiVersion: `${group}/${version}`, kind, metadata: { name }, spec: { size } }
}

t.test('custom resources over several workers', async (t) => {
  const server = await startServerProcess(t, { args: ['--workers', '3'] })
  const config = server.kubeConfig()
  const definitions = config.makeApiClient(ApiextensionsV1Api)
  const objects = config.makeApiClient(CustomObjectsApi)

  async function establish(plural: string, kind: string): Promise<void> {
    await definitions.createCustomResourceDefinition({ body: definitionOf(plural, kind) })
    await eventually(`${plural} to be established`, async () => {
      const { status } = await definitions.readCustomResourceDefinition({ name: `${plural}.${group}` })
      return status?.conditions?.some((one) => one.type === 'Established' && one.status === 'True') === true
    })
  }

  await t.test('any worker serves what is established', async (t) => {
    for (let round = 0; round < 5; round++) {
      const plural = `gadgets${round}`
      await establish(plural, `Gadget${round}`)
      const at = { group, version, namespace, plural }
      const body = (n: number) => widget(`Gadget${round}`, `g${n}`, n)
      const made = await Promise.all(
        Array.from({ length: 12 }, (_, n) => objects.createNamespacedCustomObject({ ...at, body: body(n) })),
      )
      t.equal(made.length, 12)
    }
  })

  await t.test('an informer hears of all', async (t) => {
    await establish('widgets', 'Widget')
    const at = { group, version, namespace, plural: 'widgets' }
    const seen: string[] = []
    const informer = makeInformer<Widget>(
      config,
      `/apis/${group}/${version}/namespaces/${namespace}/widgets`,
      async () => objects.listNamespacedCustomObject(at),
    )
    informer.on('add', ({ metadata, spec }) => seen.push(`add ${metadata?.name} ${spec.size}`))
    informer.on('update', ({ metadata, spec }) => seen.push(`update ${metadata?.name} ${spec.size}`))
    informer.on('delete', ({ metadata }) => seen.push(`delete ${metadata?.name}`))
    await informer.start()
    t.teardown(() => informer.stop())
    await objects.createNamespacedCustomObject({ ...at, body: widget('Widget', 'w', 1) })
    const patch = [{ op: 'replace', path: '/spec/size', value: 2 }]
    await objects.patchNamespacedCustomObject({ ...at, name: 'w', body: patch })
    await objects.deleteNamespacedCustomObject({ ...at, name: 'w' })
    await eventually(
      () => `the deletion among ${seen.join(', ')}`,
      () => seen.includes('delete w'),
    )
    t.same(seen, ['add w 1', 'update w 2', 'delete w'])
  })

  await t.test('a definition goes with what it defines', async (t) => {
    const name = `widgets.${group}`
    const at = { group, version, namespace, plural: 'widgets' }
    await objects.createNamespacedCustomObject({ ...at, body: widget('Widget', 'last', 1) })
    await definitions.deleteCustomResourceDefinition({ name })
    await eventually('the definition to be gone', async () => {
      const { items } = await definitions.listCustomResourceDefinition()
      return !items.some(({ metadata }) => metadata?.name === name)
    })
    await eventually('all workers to know', async () => {
      const asked = await Promise.allSettled(
        Array.from({ length: 9 }, () => objects.listNamespacedCustomObject(at)),
      )
      return asked.every(({ status }) => status === 'rejected')
    })
    await establish('widgets', 'Widget')
    const list: { items: unknown[] } = await objects.listNamespacedCustomObject(at)
    t.same(list.items, [])
  })
})
