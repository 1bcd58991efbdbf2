/** A custom resource in two versions, converted by a webhook, with a real client over TLS and several workers. */

import {
  CustomObjectsApi,
  type KubernetesObject,
  KubernetesObjectApi,
  makeInformer,
} from '@kubernetes/client-node'
import t from 'tap'
import { definitionOf, good, group, path, startConverter } from '../src/crd/conversion/conversion-scene.ts'
import { eventually } from '../support/eventually.ts'
import { startServerProcess } from '../support/server-process.ts'

interface Widget extends KubernetesObject {
  readonly spec: { readonly count: number }
}

t.test('both versions at every worker', async (t) => {
  const service = await startConverter(t, good)
  const server = await startServerProcess(t, { args: ['--workers', '2'] })
  const config = server.kubeConfig()
  const all = KubernetesObjectApi.makeApiClient(config)
  const objects = config.makeApiClient(CustomObjectsApi)
  const at = (version: string) => ({ group, version, namespace: 'default', plural: 'widgets' })
  const definition = definitionOf({}, service.url)
  await all.create(definition as KubernetesObject)
  await eventually('the definition to be established', async () => {
    const { status } = await all.read<KubernetesObject & { status?: { conditions?: { type: string }[] } }>({
      apiVersion: 'apiextensions.k8s.io/v1',
      kind: 'CustomResourceDefinition',
      metadata: definition.metadata,
    })
    return status?.conditions?.some(({ type }) => type === 'Established') === true
  })

  const seen: string[] = []
  const informer = makeInformer<Widget>(config, path('v2'), async () =>
    objects.listNamespacedCustomObject(at('v2')),
  )
  for (const verb of ['add', 'update', 'delete'] as const)
    informer.on(verb, ({ apiVersion, metadata, spec }) =>
      seen.push(`${verb} ${apiVersion} ${metadata?.name} ${spec.count}`),
    )
  await informer.start()
  t.teardown(() => informer.stop())

  const names = Array.from({ length: 8 }, (_, n) => `w${n}`)
  await Promise.all(
    names.map((name, n) =>
      objects.createNamespacedCustomObject({
        ...at('v1'),
        body: { apiVersion: `${group}/v1`, kind: 'Widget', metadata: { name }, spec: { size: n } },
      }),
    ),
  )
  const read = await Promise.all(
    names.map((name) => objects.getNamespacedCustomObject({ ...at('v2'), name })),
  )
  t.match(
    read,
    names.map((name, n) => ({ apiVersion: `${group}/v2`, metadata: { name }, spec: { count: n } })),
  )
  await objects.patchNamespacedCustomObject({
    ...at('v2'),
    name: 'w3',
    body: [{ op: 'replace', path: '/spec/count', value: 30 }],
  })
  t.match(await objects.getNamespacedCustomObject({ ...at('v1'), name: 'w3' }), { spec: { size: 30 } })
  await objects.deleteNamespacedCustomObject({ ...at('v1'), name: 'w3' })
  await eventually(
    () => `the deletion among ${seen.join(', ')}`,
    () => seen.includes(`delete ${group}/v2 w3 30`),
  )
  t.same(
    [...seen].sort(),
    [
      ...names.map((name, n) => `add ${group}/v2 ${name} ${n}`),
      `update ${group}/v2 w3 30`,
      `delete ${group}/v2 w3 30`,
    ].sort(),
  )
})
