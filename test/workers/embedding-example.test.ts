import { CoreV1Api, KubeConfig, makeInformer, PatchStrategy, setHeaderOptions } from '@kubernetes/client-node'
import t from 'tap'
import { startControlPlane } from '../../workers/embed.ts'

/** The controller under test: greets everyone who has a config map with the label `greet`. */
async function startGreeter(config: KubeConfig, namespace: string): Promise<() => Promise<void>> {
  const api = config.makeApiClient(CoreV1Api)
  const selector = 'greet=yes'
  const informer = makeInformer(
    config,
    `/api/v1/namespaces/${namespace}/configmaps`,
    () => api.listNamespacedConfigMap({ namespace, labelSelector: selector }),
    selector,
  )
  const greet = async (name: string, who: string): Promise<void> => {
    await api.patchNamespacedConfigMap(
      { namespace, name, body: { data: { greeting: `Hello, ${who}!` } } },
      setHeaderOptions('Content-Type', PatchStrategy.MergePatch),
    )
  }
  informer.on('add', ({ metadata, data }) => {
    if (metadata?.name !== undefined) void greet(metadata.name, data?.['who'] ?? 'stranger')
  })
  await informer.start()
  return () => informer.stop()
}

t.test('the greeter greets who is to be greeted', async (t) => {
  const controlPlane = await startControlPlane()
  t.teardown(() => controlPlane.stop())
  const config = new KubeConfig()
  config.loadFromString(controlPlane.kubeconfig)
  const api = config.makeApiClient(CoreV1Api)
  const namespace = 'default'
  const stopGreeter = await startGreeter(config, namespace)
  t.teardown(() => stopGreeter())

  const labels = { greet: 'yes' }
  await api.createNamespacedConfigMap({
    namespace,
    body: { metadata: { name: 'quiet' }, data: { who: 'X' } },
  })
  await api.createNamespacedConfigMap({
    namespace,
    body: { metadata: { name: 'jane', labels }, data: { who: 'Jane' } },
  })

  const greeting = async (name: string): Promise<string | undefined> =>
    (await api.readNamespacedConfigMap({ namespace, name })).data?.['greeting']
  while ((await greeting('jane')) === undefined) await new Promise((resolve) => setTimeout(resolve, 10))
  t.equal(await greeting('jane'), 'Hello, Jane!')
  t.equal(await greeting('quiet'), undefined)
})
