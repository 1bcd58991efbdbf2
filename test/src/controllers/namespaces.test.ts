/** Source: specification, "States and transitions": a namespaced object is deleted with its namespace. */

import t from 'tap'
import { eventually } from '../../support/eventually.ts'
import { type InProcessServer, startInProcess } from '../../support/in-process-server.ts'

async function exists(server: InProcessServer, target: string): Promise<boolean> {
  return (await server.request({ method: 'GET', target })).status === 200
}

t.test('the system namespaces are there after the start', async (t) => {
  const server = await startInProcess()
  t.teardown(() => server.close())
  for (const name of ['default', 'kube-system', 'kube-public', 'kube-node-lease'])
    t.ok(await exists(server, `/api/v1/namespaces/${name}`), name)
})

t.test('a deleted namespace is emptied, waits for what is held back, and goes', async (t) => {
  const server = await startInProcess()
  t.teardown(() => server.close())
  const namespace = '/api/v1/namespaces/x'
  await server.request({ method: 'POST', target: '/api/v1/namespaces', body: { metadata: { name: 'x' } } })
  const create = (path: string, metadata: object) =>
    server.request({ method: 'POST', target: `${path}`, body: { metadata } })
  await create(`${namespace}/configmaps`, { name: 'plain' })
  await create(`${namespace}/secrets`, { name: 'secret' })
  await create('/apis/coordination.k8s.io/v1/namespaces/x/leases', { name: 'lease' })
  await create(`${namespace}/configmaps`, { name: 'held', finalizers: ['example.com/wait'] })

  t.equal((await server.request({ method: 'DELETE', target: namespace })).status, 200)
  await eventually('the content to go', async () => !(await exists(server, `${namespace}/configmaps/plain`)))
  await eventually('the secret to go', async () => !(await exists(server, `${namespace}/secrets/secret`)))
  t.ok(await exists(server, namespace), 'the namespace waits for the held object')
  t.ok(await exists(server, `${namespace}/configmaps/held`))

  const conditions = async (): Promise<readonly object[]> => {
    const { body } = await server.request({ method: 'GET', target: namespace })
    return JSON.parse(body.toString('utf8')).status.conditions ?? []
  }
  await eventually('the conditions', async () => (await conditions()).length > 0)
  t.match(await conditions(), [
    { type: 'NamespaceDeletionDiscoveryFailure', status: 'False', reason: 'ResourcesDiscovered' },
    { type: 'NamespaceDeletionGroupVersionParsingFailure', status: 'False', reason: 'ParsedGroupVersions' },
    { type: 'NamespaceDeletionContentFailure', status: 'False', reason: 'ContentDeleted' },
    {
      type: 'NamespaceContentRemaining',
      status: 'True',
      reason: 'SomeResourcesRemain',
      message: 'Some resources are remaining: configmaps. has 1 resource instances',
      lastTransitionTime: /^\d{4}-/,
    },
    {
      type: 'NamespaceFinalizersRemaining',
      status: 'True',
      reason: 'SomeFinalizersRemain',
      message:
        'Some content in the namespace has finalizers remaining: example.com/wait in 1 resource instances',
    },
  ])
  await server.request({
    method: 'PATCH',
    target: `${namespace}/configmaps/held`,
    headers: { 'content-type': 'application/merge-patch+json' },
    body: { metadata: { finalizers: null } },
  })
  await eventually('the namespace to go', async () => !(await exists(server, namespace)))
  t.equal((await create('/api/v1/namespaces', { name: 'x' })).status, 201, 'the name can be used again')
})
