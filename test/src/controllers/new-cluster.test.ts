/** What a new cluster has, and every namespace gets. */

import t from 'tap'
import { createNames, dialectNames } from '../../../src/names/names.ts'
import { eventually } from '../../support/eventually.ts'
import { type InProcessServer, startInProcess } from '../../support/in-process-server.ts'

async function namesAt(server: InProcessServer, target: string): Promise<readonly string[]> {
  const { status, body } = await server.request({ method: 'GET', target })
  if (status !== 200) throw new Error(`${target}: ${status}`)
  const list: { items: { metadata: { name: string } }[] } = JSON.parse(body.toString('utf8'))
  return list.items.map(({ metadata }) => metadata.name)
}

for (const dialect of dialectNames) {
  t.test(`dialect ${dialect}`, async (t) => {
    const names = createNames(dialect)
    const server = await startInProcess({ dialect })
    t.teardown(() => server.close())
    const flowcontrol = `/apis/flowcontrol.apiserver.${names.groupDomain}/v1`
    const wanted: readonly (readonly [string, readonly string[]])[] = [
      [
        `/apis/scheduling.${names.groupDomain}/v1/priorityclasses`,
        ['system-cluster-critical', 'system-node-critical'],
      ],
      [
        `${flowcontrol}/prioritylevelconfigurations`,
        [
          'catch-all',
          'exempt',
          'global-default',
          'leader-election',
          'node-high',
          'system',
          'workload-high',
          'workload-low',
        ],
      ],
      [
        `${flowcontrol}/flowschemas`,
        [
          'catch-all',
          'endpoint-controller',
          'exempt',
          'global-default',
          `${names.namespacePrefix}-controller-manager`,
          `${names.namespacePrefix}-scheduler`,
          `${names.namespacePrefix}-system-service-accounts`,
          'probes',
          'service-accounts',
          'system-leader-election',
          'system-node-high',
          'system-nodes',
          'workload-leader-election',
        ],
      ],
    ]
    for (const [target, there] of wanted) {
      await eventually(target, async () => (await namesAt(server, target)).length === there.length)
      t.same(await namesAt(server, target), [...there].sort(), target)
    }
  })
}

t.test('the account of a namespace is made, and made again when somebody deletes it', async (t) => {
  const server = await startInProcess()
  t.teardown(() => server.close())
  await server.request({ method: 'POST', target: '/api/v1/namespaces', body: { metadata: { name: 'a' } } })
  const target = '/api/v1/namespaces/a/serviceaccounts/default'
  const uid = async (): Promise<string | undefined> => {
    const { status, body } = await server.request({ method: 'GET', target })
    return status === 200 ? JSON.parse(body.toString('utf8')).metadata.uid : undefined
  }
  await eventually('the account', async () => (await uid()) !== undefined)
  const before = await uid()
  await server.request({ method: 'DELETE', target })
  await eventually('another account', async () => ![undefined, before].includes(await uid()))
  t.not(await uid(), before)
})

t.test('a namespace that goes takes its account along, and gets no other', async (t) => {
  const server = await startInProcess()
  t.teardown(() => server.close())
  const target = '/api/v1/namespaces/a'
  await server.request({ method: 'POST', target: '/api/v1/namespaces', body: { metadata: { name: 'a' } } })
  await eventually(
    'the account',
    async () => (await namesAt(server, `${target}/serviceaccounts`)).length === 1,
  )
  await server.request({ method: 'DELETE', target })
  await eventually(
    'the namespace to go',
    async () => (await server.request({ method: 'GET', target })).status === 404,
  )
  t.same(await namesAt(server, `${target}/serviceaccounts`), [])
})
