/** The service under which clients inside of a cluster find its API servers. */

import t from 'tap'
import { eventually } from '../../support/eventually.ts'
import { type InProcessServer, startInProcess } from '../../support/in-process-server.ts'
import { createManualClock } from '../../support/manual-clock.ts'

async function read(server: InProcessServer, target: string) {
  const { status, body } = await server.request({ method: 'GET', target })
  return status === 200 ? JSON.parse(`${body}`) : undefined
}

/** Addresses in the endpoints, `[]` while there are none. */
async function endpoints(server: InProcessServer): Promise<readonly string[]> {
  const found = await read(server, '/api/v1/namespaces/default/endpoints/kubernetes')
  return (found?.subsets ?? []).flatMap(
    (subset: { readonly addresses: readonly { readonly ip: string }[] }) =>
      subset.addresses.map(({ ip }) => ip),
  )
}

async function expectEndpoints(server: InProcessServer, expected: readonly string[]): Promise<void> {
  let found: readonly string[] = []
  await eventually(
    () => `endpoints ${expected}, found ${found}`,
    async () => {
      found = await endpoints(server)
      return `${found}` === `${expected}`
    },
  )
}

const [a, b, c] = ['192.0.2.1', '192.0.2.2', '192.0.2.3']
const at = (host: string) => ({ advertiseAddress: { host, port: 6443 } })

t.test('servers join, leave, and are missed when they die', async (t) => {
  const clock = createManualClock()
  const first = await startInProcess({ options: at(a) })
  t.teardown(() => first.close())
  await expectEndpoints(first, [a])
  const second = await startInProcess({ store: first.store, options: at(b) })
  const third = await startInProcess({ store: first.store, options: { ...at(c), clock } })
  t.teardown(() => Promise.all([second.close(), third.close()]))
  await expectEndpoints(third, [a, b, c])

  const slice = await read(first, '/apis/discovery.k8s.io/v1/namespaces/default/endpointslices/kubernetes')
  t.equal(slice.metadata.labels['kubernetes.io/service-name'], 'kubernetes')
  t.same(
    slice.endpoints.map(({ addresses: [ip] }: { addresses: readonly string[] }) => ip),
    [a, b, c],
  )
  const service = await read(first, '/api/v1/namespaces/default/services/kubernetes')
  t.match(service.spec, { clusterIP: '10.96.0.1', ports: [{ name: 'https', port: 443, targetPort: 6443 }] })

  second.api.drain()
  await expectEndpoints(third, [a, c])

  // For the third one time flies: the lease of the first seems to stand still.
  await eventually('the third to miss the first', async () => {
    clock.advance(5000)
    return `${await endpoints(third)}` === c
  })
})

t.test('what somebody deletes or changes is put right', async (t) => {
  const clock = createManualClock()
  const server = await startInProcess({ options: { ...at(a), clock } })
  t.teardown(() => server.close())
  await expectEndpoints(server, [a])
  await server.request({ method: 'DELETE', target: '/api/v1/namespaces/default/endpoints/kubernetes' })
  t.same(await endpoints(server), [])
  await eventually('the endpoints to come back', async () => {
    clock.advance(1000)
    return `${await endpoints(server)}` === a
  })
})

t.test('a server that only its own machine reaches names no endpoints', async (t) => {
  const server = await startInProcess({ options: at('127.0.0.1') })
  t.teardown(() => server.close())
  await eventually(
    'the service',
    async () => (await read(server, '/api/v1/namespaces/default/services/kubernetes')) !== undefined,
  )
  t.same(await endpoints(server), [])
})
