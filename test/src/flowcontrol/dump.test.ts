/** The debug endpoints of flow control: tables of what levels hold, to the character. */

import t from 'tap'
import type { LevelConfiguration } from '../../../src/flowcontrol/configuration.ts'
import { type DumpName, dumpText } from '../../../src/flowcontrol/dump.ts'
import { FairGate } from '../../../src/flowcontrol/fair-gate.ts'
import { parseQuery } from '../../../src/pipeline/query.ts'
import { parseRequestInfo } from '../../../src/pipeline/request-info.ts'
import { startInProcess } from '../../support/in-process-server.ts'
import { createManualClock } from '../../support/manual-clock.ts'

const seats = { nominal: 1, lendable: 0, borrowable: 0, exempt: false }
const queuing = { queues: 2, handSize: 1, lengthMax: 1 }
const [busy, exempt, gone]: readonly LevelConfiguration[] = [
  { name: 'busy', uid: '1', seats, queuing },
  { name: 'exempt', uid: '2', seats: { ...seats, exempt: true }, queuing: undefined },
  { name: 'gone', uid: '3', seats, queuing: undefined },
]

function schemas(...levels: readonly string[]) {
  return levels.map((level, at) => ({
    name: `${level}-schema`,
    uid: '',
    level,
    precedence: at,
    distinguisher: level === 'busy' ? ('ByUser' as const) : undefined,
    matches: ({ name }: { readonly name: string }) => name.startsWith(level),
  }))
}

function setUp() {
  const clock = createManualClock()
  if (busy === undefined || exempt === undefined || gone === undefined) throw new TypeError()
  const workOf = () => ({ seats: 1, extraMs: 0, type: 'regular' as const })
  const gate = new FairGate(
    { clock, headers: { schemaUid: 's', levelUid: 'l' }, workOf },
    { levels: [gone, exempt, busy], schemas: schemas('busy', 'exempt', 'gone') },
  )
  const ask = (name: string, target: string) => {
    const info = parseRequestInfo('GET', target, false)
    if (!info.ok) throw new Error(info.failure)
    const startMs = clock.monotonicMs()
    return gate.admit(
      { name, uid: '', groups: [], extra: new Map() },
      info.value,
      { call: { startMs, deadlineMs: startMs + 60_000 }, query: parseQuery('') },
      { onClose() {} },
    )
  }
  const dump = (name: DumpName, details = false) => dumpText(name, gate.levels(), details)
  const forget = () => gate.configure({ levels: [exempt, busy], schemas: schemas('busy', 'exempt') })
  return { clock, ask, dump, forget }
}

t.test('levels, queues and requests', async (t) => {
  const { clock, ask, dump, forget } = setUp()
  ask('busy-jane', '/api/v1/namespaces/default/pods/web/log')
  ask('busy-jane', '/api/v1/namespaces/default/pods/web')
  clock.advance(1500)
  const waiting = ask('busy-jane', '/apis/apps/v1/deployments')
  ask('busy-jane', '/version')
  ask('exempt-joe', '/healthz')
  ask('gone-mary', '/healthz')
  ask('gone-mary', '/healthz')
  forget()
  t.equal(
    dump('dump_priority_levels'),
    `PriorityLevelName, ActiveQueues, IsIdle, IsQuiescing, WaitingRequests, ExecutingRequests, DispatchedRequests, RejectedRequests, TimedoutRequests, CancelledRequests
busy,              1,            false,  false,       1,               1,                 1,                  1,                0,                0
exempt,            0,            false,  false,       0,               1,                 1,                  0,                0,                0
gone,              0,            false,  true,        0,               1,                 1,                  1,                0,                0
`,
  )
  const [head = '', ...queues] = dump('dump_queues').split('\n')
  t.equal(
    head,
    'PriorityLevelName, Index,  PendingRequests, ExecutingRequests, SeatsInUse, NextDispatchR, InitialSeatsSum, MaxSeatsSum, TotalWorkSum',
  )
  t.same(
    queues.sort().map((line) => line.replace(/ +/g, ' ').replace(/, [01], /, ', i, ')),
    [
      '',
      'busy, i, 0, 0, 0, 0.00000000ss, 0, 0, 0.00000000ss',
      'busy, i, 1, 1, 1, 0.00300000ss, 1, 1, 0.00300000ss',
    ],
  )
  const index = /^busy, +busy-schema, +(\d)/m.exec(dump('dump_requests'))?.[1] ?? ''
  t.equal(
    dump('dump_requests', true),
    `PriorityLevelName, FlowSchemaName, QueueIndex, RequestIndexInQueue, FlowDistingsher, ArriveTime,             InitialSeats, FinalSeats, AdditionalLatency, StartTime,              UserName,   Verb,   APIPath,                             Namespace, Name,   APIVersion, Resource,    SubResource
busy,              busy-schema,    ${index},          0,                   busy-jane,       2026-01-01T00:00:01.5Z, 1,            0,          0s,                0001-01-01T00:00:00Z,   busy-jane,  list,   /apis/apps/v1/deployments,           ,          ,       apps/v1,    deployments, 
busy,              busy-schema,    ${index},          -1,                  busy-jane,       2026-01-01T00:00:00Z,   1,            0,          0s,                2026-01-01T00:00:00Z,   busy-jane,  get,    /api/v1/namespaces/default/pods/web, default,   web,    v1,         pods,        
exempt,            exempt-schema,  -1,         -1,                  ,                2026-01-01T00:00:01.5Z, 1,            0,          0s,                2026-01-01T00:00:01.5Z, exempt-joe, get,    /healthz,                            ,          ,       ,           ,            
gone,              gone-schema,    -1,         -1,                  ,                2026-01-01T00:00:01.5Z, 1,            0,          0s,                2026-01-01T00:00:01.5Z, gone-mary,  get,    /healthz,                            ,          ,       ,           ,            
`,
  )
  clock.advance(60_000)
  t.notOk((await waiting).admitted)
  t.match(dump('dump_priority_levels'), /^busy, +0, +false, +false, +0, +1, +1, +1, +1, +0$/m)
})

t.test('who may see them, and where there are none', async (t) => {
  const server = await startInProcess()
  t.teardown(() => server.close())
  const target = '/debug/api_priority_and_fairness/dump_priority_levels'
  const shown = await server.request({ method: 'GET', target })
  t.equal(shown.status, 200)
  t.equal(shown.headers['content-type'], 'text/plain; charset=utf-8')
  t.match(shown.body.toString(), /^exempt, +0, +false, +false, +0, +1, +\d+, +0, +0, +0$/m)
  t.equal((await server.request({ method: 'GET', target, as: 'user' })).status, 403)
  t.equal((await server.request({ method: 'GET', target: `${target}s` })).status, 404)
  const plain = await startInProcess({
    options: {
      flowControl: {
        maxRequestsInflight: 9,
        maxMutatingRequestsInflight: 9,
        priorityAndFairness: false,
        processes: 1,
      },
    },
  })
  t.teardown(() => plain.close())
  t.equal((await plain.request({ method: 'GET', target })).status, 404)
})
