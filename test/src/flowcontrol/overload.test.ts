/** A server with very few seats, and more requests than it can take. */

import t, { type Test } from 'tap'
import { defaultFlowControl, type FlowControlOptions } from '../../../src/flowcontrol/options.ts'
import { eventually } from '../../support/eventually.ts'
import type { FakeExchange } from '../../support/fake-exchange.ts'
import { exchangeWith } from '../../support/fake-exchange.ts'
import { type InProcessServer, startInProcess } from '../../support/in-process-server.ts'
import { createMemoryStore } from '../../support/memory-store.ts'

const users: readonly (readonly [string, ...string[]])[] = [
  ['admin', 'system:masters'],
  ['flood'],
  ['jane'],
  ['tiny'],
  ['system:kube-scheduler'],
]

interface Overloaded {
  readonly server: InProcessServer
  ask(user: string, method: string, target: string, body?: object): FakeExchange
  /** Writes of config maps that wait: each goes on when it is called. */
  readonly held: (() => void)[]
  metric(name: string): Promise<number>
}

const fewSeats: FlowControlOptions = {
  maxRequestsInflight: 2,
  maxMutatingRequestsInflight: 1,
  priorityAndFairness: true,
  processes: 1,
}

async function startOverloaded(t: Test, flowControl: FlowControlOptions): Promise<Overloaded> {
  const memory = createMemoryStore()
  const held: (() => void)[] = []
  const store = {
    ...memory,
    commit: async (transaction: Parameters<typeof memory.commit>[0]) => {
      if (transaction.ops.some(({ key }) => key.includes('configmaps/flood')))
        await new Promise<void>((resolve) => held.push(resolve))
      return memory.commit(transaction)
    },
  }
  const staticTokens = users.map(([name, ...groups]) => ({
    token: `token-of-${name}`,
    user: { name, uid: '', groups },
  }))
  const server = await startInProcess({
    store,
    options: { flowControl, staticTokens, authorizationModes: ['AlwaysAllow'] },
  })
  t.teardown(() => server.close())
  const ask: Overloaded['ask'] = (user, method, target, body) =>
    exchangeWith(server.api.handler, {
      method,
      target,
      headers: { authorization: `Bearer token-of-${user}`, 'content-type': 'application/json' },
      ...(body === undefined ? {} : { body: Buffer.from(JSON.stringify(body)) }),
    })
  await ask('admin', 'POST', '/api/v1/namespaces', { metadata: { name: 'flood' } }).answered
  return {
    server,
    held,
    ask,
    async metric(name) {
      const lines = (await server.api.metricsText()).split('\n').filter((line) => line.startsWith(`${name}{`))
      return lines.reduce((sum, line) => sum + Number(line.split(' ').at(-1)), 0)
    },
  }
}

const configMaps = '/api/v1/namespaces/flood/configmaps'
const lease = '/apis/coordination.k8s.io/v1/namespaces/kube-system/leases'

function configMap(name: string) {
  return { apiVersion: 'v1', kind: 'ConfigMap', metadata: { name } }
}

t.test('a flood starves nobody', async (t) => {
  const overloaded = await startOverloaded(t, fewSeats)
  const { ask, held, metric } = overloaded
  const flood = Array.from({ length: 100 }, (_, at) => ask('flood', 'POST', configMaps, configMap(`c${at}`)))
  // One of its own, one of workload-high, two of workload-low.
  await eventually('all seats of the flood', () => held.length === 4)
  t.equal(await metric('apiserver_flowcontrol_current_inqueue_requests'), 96)

  for (const path of ['/livez', '/healthz', '/readyz']) {
    const { status, headers } = await ask('flood', 'GET', path).answered
    t.equal(status, 200, `${path} is answered`)
    t.ok(typeof headers['x-kubernetes-pf-flowschema-uid'] === 'string', 'with the header')
  }
  t.equal((await ask('admin', 'GET', configMaps).answered).status, 200, 'the exempt wait for nobody')
  const made = await ask('system:kube-scheduler', 'POST', lease, { metadata: { name: 'election' } }).answered
  t.equal(made.status, 201, 'leases are made')
  const renewed = await ask(
    'system:kube-scheduler',
    'PUT',
    `${lease}/election`,
    JSON.parse(made.body.toString()),
  )
  t.equal((await renewed.answered).status, 200, 'and renewed')

  let answered = false
  const jane = ask('jane', 'GET', '/api/v1/namespaces/flood').answered.then(({ status }) => {
    answered = true
    return status
  })
  t.equal(await metric('apiserver_flowcontrol_current_inqueue_requests'), 97, 'somebody else waits')
  let released = 0
  while (!answered && released < 50) {
    await eventually('a write that is held', () => answered || held.length > 0)
    held.shift()?.()
    released++
  }
  t.equal(await jane, 200)
  t.ok(released <= 12, `is served when each queue of the flood has had its turn: after ${released} of 100`)

  await drain(overloaded, Promise.all(flood.map(({ answered }) => answered)))
  t.equal(await metric('apiserver_flowcontrol_current_executing_requests'), 0, 'all seats are given back')
  t.equal(await metric('apiserver_flowcontrol_current_executing_seats'), 0)
  t.equal(await metric('apiserver_flowcontrol_current_inqueue_requests'), 0)
})

/** Lets all writes go until `done`. */
async function drain({ held }: Overloaded, done: Promise<unknown>): Promise<void> {
  let over = false
  void done.then(() => {
    over = true
  })
  await eventually('the end of the flood', () => {
    for (const go of held.splice(0)) go()
    return over
  })
}

const flowcontrol = '/apis/flowcontrol.apiserver.k8s.io/v1'

/** A level of one seat for the user `tiny`, which nobody may wait for. */
async function makeTiny({
  ask,
  metric,
}: Overloaded): Promise<{ readonly uid: string; readonly levelUid: string }> {
  const level = await ask('admin', 'POST', `${flowcontrol}/prioritylevelconfigurations`, {
    metadata: { name: 'tiny' },
    spec: {
      type: 'Limited',
      limited: {
        nominalConcurrencyShares: 1,
        lendablePercent: 0,
        borrowingLimitPercent: 0,
        limitResponse: { type: 'Reject' },
      },
    },
  }).answered
  const schema = await ask('admin', 'POST', `${flowcontrol}/flowschemas`, {
    metadata: { name: 'tiny' },
    spec: {
      matchingPrecedence: 10,
      priorityLevelConfiguration: { name: 'tiny' },
      rules: [
        {
          subjects: [{ kind: 'User', user: { name: 'tiny' } }],
          resourceRules: [
            { verbs: ['*'], apiGroups: ['*'], resources: ['*'], namespaces: ['*'], clusterScope: true },
          ],
        },
      ],
    },
  }).answered
  const uidOf = (body: Buffer): string => JSON.parse(body.toString('utf8')).metadata.uid
  const uids = { uid: uidOf(schema.body), levelUid: uidOf(level.body) }
  await eventually('the new schema counts', async () => {
    const { headers } = await ask('tiny', 'GET', '/api/v1/nodes').answered
    return headers['x-kubernetes-pf-flowschema-uid'] === uids.uid
  })
  t.equal(await metric('apiserver_flowcontrol_current_executing_requests'), 0)
  return uids
}

t.test('without a seat: 429, as clients know it', async (t) => {
  const overloaded = await startOverloaded(t, fewSeats)
  const { ask, held, server } = overloaded
  const { uid, levelUid } = await makeTiny(overloaded)

  const watch = ask('tiny', 'GET', '/api/v1/nodes?watch=true')
  await watch.started
  await eventually(
    'the state has been sent',
    async () => (await overloaded.metric('apiserver_flowcontrol_current_executing_requests')) === 0,
  )
  const first = ask('tiny', 'POST', configMaps, configMap('one'))
  await eventually('the seat is taken', () => held.length === 1)
  const { status, headers, body } = await ask('tiny', 'POST', configMaps, configMap('two')).answered
  t.equal(status, 429, 'a watch that has begun has left its seat to the write, but there is no other')
  t.equal(headers['retry-after'], '1')
  t.equal(headers['x-kubernetes-pf-flowschema-uid'], uid)
  t.equal(headers['x-kubernetes-pf-prioritylevel-uid'], levelUid)
  t.same(JSON.parse(body.toString('utf8')), {
    kind: 'Status',
    apiVersion: 'v1',
    metadata: {},
    status: 'Failure',
    message: 'Too many requests, please try again later.',
    reason: 'TooManyRequests',
    details: { retryAfterSeconds: 1 },
    code: 429,
  })
  t.match(
    await server.api.metricsText(),
    'apiserver_flowcontrol_rejected_requests_total{flow_schema="tiny",priority_level="tiny",reason="concurrency-limit"} 1\n',
  )
  t.equal(
    (await ask('tiny', 'GET', '/api/v1/nodes?watch=true').answered).status,
    429,
    'a watch wants a seat to begin',
  )

  await drain(overloaded, first.answered)
  t.equal((await first.answered).status, 201)
  t.equal((await ask('tiny', 'GET', configMaps).answered).status, 200)

  await ask('admin', 'DELETE', `${flowcontrol}/flowschemas/tiny`).answered
  await eventually('the schema does not count any more', async () => {
    const { headers } = await ask('tiny', 'GET', '/api/v1/nodes').answered
    return headers['x-kubernetes-pf-flowschema-uid'] !== uid
  })
  watch.disconnect()
})

t.test('no seat is held for longer than a request may take', async (t) => {
  const { ask, held, metric } = await startOverloaded(t, defaultFlowControl)
  t.equal(await metric('apiserver_request_terminations_total'), 0)
  const slow = ask('jane', 'POST', `${configMaps}?timeout=10ms`, configMap('one'))
  await eventually('the write is held', () => held.length === 1)
  t.equal(await metric('apiserver_flowcontrol_current_executing_requests'), 1)
  t.equal((await slow.answered).status, 504)
  t.equal(await metric('apiserver_request_terminations_total'), 1, 'the server has given it up')
  t.equal(await metric('apiserver_flowcontrol_current_executing_requests'), 0)
  held.shift()?.()
  await eventually(
    'the write, late',
    async () => (await ask('jane', 'GET', `${configMaps}/one`).answered).status === 200,
  )
  t.equal(await metric('apiserver_flowcontrol_current_executing_requests'), 0, 'no seat is given back twice')
  t.equal(await metric('apiserver_flowcontrol_current_executing_seats'), 0)
})

t.test('without priority and fairness: one limit for reads, one for writes', async (t) => {
  const overloaded = await startOverloaded(t, {
    maxRequestsInflight: 3,
    maxMutatingRequestsInflight: 2,
    priorityAndFairness: false,
    processes: 2,
  })
  const { ask, held, server } = overloaded
  const first = ask('jane', 'POST', configMaps, configMap('one'))
  await eventually('the only place is taken', () => held.length === 1)
  const refused = await ask('jane', 'POST', configMaps, configMap('two')).answered
  t.equal(refused.status, 429)
  t.equal(refused.headers['retry-after'], '1')
  t.notOk('x-kubernetes-pf-flowschema-uid' in refused.headers)
  t.equal((await ask('jane', 'GET', configMaps).answered).status, 200, 'reads have places of their own')
  const watches = [1, 2, 3].map(() => ask('jane', 'GET', `${configMaps}?watch=true`))
  for (const watch of watches) t.equal((await watch.started).status, 200, 'watches do not count')
  const admin = ask('admin', 'POST', configMaps, configMap('three'))
  await eventually('the privileged get through', () => held.length === 2)
  t.match(await server.api.metricsText(), 'apiserver_dropped_requests_total{request_kind="mutating"} 1\n')
  await drain(overloaded, Promise.all([first.answered, admin.answered]))
  t.equal((await first.answered).status, 201)
  t.equal((await admin.answered).status, 201)
  for (const watch of watches) watch.disconnect()
})
