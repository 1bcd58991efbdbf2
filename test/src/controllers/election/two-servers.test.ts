/** Two servers over one store: one of them runs the controllers, and the other goes on where it ends. */

import t from 'tap'
import type { Clock, Store, Unavailable } from '../../../../store/contract.ts'
import { fail } from '../../../../store/contract.ts'
import { eventually } from '../../../support/eventually.ts'
import { type InProcessServer, startInProcess } from '../../../support/in-process-server.ts'
import { liveClock } from '../../../support/live-clock.ts'
import { createMemoryStore } from '../../../support/memory-store.ts'

/** Time goes six times as fast: a lease of 15 s runs out in 2.5 s. */
const haste = 6
const hastyClock: Clock = {
  wallMs: liveClock.wallMs,
  monotonicMs: () => liveClock.monotonicMs() * haste,
  after: (delayMs, action) => liveClock.after(delayMs / haste, action),
}

/** The way of one server to the store they share. Closing it leaves the store open. */
function doorTo(store: Store) {
  let cut = false
  const written: string[] = []
  const gone: Unavailable = { code: 'Unavailable', message: 'cut off by the test' }
  const door: Store = {
    ...store,
    range: async (request) => (cut ? fail(gone) : store.range(request)),
    readIndex: async () => (cut ? fail(gone) : store.readIndex()),
    async commit(transaction) {
      if (cut) return fail(gone)
      written.push(...transaction.ops.map((operation) => operation.key))
      return store.commit(transaction)
    },
    async close() {},
  }
  return {
    door,
    /** Keys of all commits but those that every server makes for itself: its lease, the service of all. */
    written: () => written.filter((key) => !/\/(apiserver-\w+|default\/kubernetes)$/.test(key)),
    cut() {
      cut = true
    },
    join() {
      cut = false
    },
  }
}

const leasePath = '/apis/coordination.k8s.io/v1/namespaces/kube-system/leases/kube-controller-manager'

async function leaseSpec(server: InProcessServer) {
  const { status, body } = await server.request({ method: 'GET', target: leasePath })
  if (status !== 200) return undefined
  const lease: { spec: { holderIdentity?: string; leaseTransitions: number; leaseDurationSeconds: number } } =
    JSON.parse(body.toString('utf8'))
  return lease.spec
}

const holderOf = async (server: InProcessServer) => (await leaseSpec(server))?.holderIdentity

async function createNamespace(server: InProcessServer, name: string): Promise<void> {
  await server.request({ method: 'POST', target: '/api/v1/namespaces', body: { metadata: { name } } })
}

async function hasAccount(server: InProcessServer, namespace: string): Promise<boolean> {
  const target = `/api/v1/namespaces/${namespace}/serviceaccounts/default`
  return (await server.request({ method: 'GET', target })).status === 200
}

t.test(
  'a new server leads at once, gives the lease back when it stops, and the next one takes it',
  async (t) => {
    const store = createMemoryStore()
    const options = { clock: hastyClock }
    const first = await startInProcess({
      store: doorTo(store).door,
      options: { ...options, identity: 'first' },
    })
    await eventually('the first to lead', async () => (await holderOf(first)) === 'first')
    t.match(await leaseSpec(first), { leaseTransitions: 0, leaseDurationSeconds: 15 })
    const second = await startInProcess({
      store: doorTo(store).door,
      options: { ...options, identity: 'second' },
    })
    t.teardown(() => second.close())
    await createNamespace(second, 'a')
    await eventually('an account made by the first', () => hasAccount(second, 'a'))
    t.equal(await holderOf(second), 'first')
    await first.close()
    await eventually('the second to lead', async () => (await holderOf(second)) === 'second')
    t.match(await leaseSpec(second), { leaseTransitions: 1 })
    await createNamespace(second, 'b')
    await eventually('an account made by the second', () => hasAccount(second, 'b'))
  },
)

t.test(
  'when the leader is cut off, the other takes over; the first writes nothing when it is back',
  async (t) => {
    const store = createMemoryStore()
    const firstDoor = doorTo(store)
    const first = await startInProcess({
      store: firstDoor.door,
      options: { clock: hastyClock, identity: 'first' },
    })
    t.teardown(() => first.close())
    await eventually('the first to lead', async () => (await holderOf(first)) === 'first')
    const second = await startInProcess({
      store: doorTo(store).door,
      options: { clock: hastyClock, identity: 'second' },
    })
    t.teardown(() => second.close())
    firstDoor.cut()
    await eventually('the second to lead', async () => (await holderOf(second)) === 'second')
    firstDoor.join()
    const before = firstDoor.written()
    await createNamespace(second, 'c')
    await eventually('an account made by the second', () => hasAccount(second, 'c'))
    const target = '/api/v1/namespaces/c'
    await second.request({ method: 'DELETE', target })
    await eventually('the namespace to go', async () => !(await hasAccount(second, 'c')))
    t.same(firstDoor.written(), before, 'the deposed wrote nothing')
  },
)

t.test('a server that does not take part takes nothing over', async (t) => {
  const store = createMemoryStore()
  const first = await startInProcess({ store: doorTo(store).door, options: { clock: hastyClock } })
  const second = await startInProcess({
    store: doorTo(store).door,
    options: { clock: hastyClock, controllers: false },
  })
  t.teardown(() => second.close())
  await eventually('the first to lead', async () => (await holderOf(second)) !== undefined)
  await first.close()
  await new Promise<void>((resolve) => hastyClock.after(5000, resolve))
  t.equal(await holderOf(second), undefined)
})
