/**
 * What it costs to let one request in and out, with the schemas of a new cluster: classification, seat, counters.
 * Goal: < 2 µs.
 *
 *     node dist/bench/flowcontrol.js
 */

import { flowSchemas, priorityLevels } from '../src/controllers/bootstrap-flows.ts'
import { configurationOf } from '../src/flowcontrol/configuration.ts'
import { FairGate } from '../src/flowcontrol/fair-gate.ts'
import { flowObjectOf } from '../src/flowcontrol/flow-source.ts'
import { createWorkEstimate } from '../src/flowcontrol/work.ts'
import { createNames } from '../src/names/names.ts'
import { parseQuery } from '../src/pipeline/query.ts'
import { parseRequestInfo, type RequestInfo } from '../src/pipeline/request-info.ts'
import type { User } from '../src/pipeline/user.ts'
import { systemClock } from '../store/clock.ts'

const rounds = 500_000
const names = createNames('kubernetes')
const defaults = {
  schemas: flowSchemas(names).map(flowObjectOf),
  levels: priorityLevels(names).map(flowObjectOf),
}
const gate = new FairGate(
  {
    clock: systemClock,
    headers: names.flowHeaders,
    workOf: createWorkEstimate(() => ({ objects: 50, watchers: 5 })),
  },
  configurationOf(defaults, defaults, 600),
)
const exchange = { onClose() {} }
const asked = { call: { startMs: 0, deadlineMs: 60_000 }, query: parseQuery('') }

function user(name: string, ...groups: readonly string[]): User {
  return { name, uid: '', groups: [...groups, 'system:authenticated'], extra: new Map() }
}

function paths(template: (at: number) => string, count: number): readonly RequestInfo[] {
  return Array.from({ length: count }, (_, at) => {
    const info = parseRequestInfo('GET', template(at), false)
    if (!info.ok) throw new Error(info.failure)
    return info.value
  })
}

const pods = (at: number) => `/api/v1/namespaces/ns-${at}/pods/one`

for (const [name, who, infos] of [
  ['exempt', user('root', 'system:masters'), paths(pods, 1)],
  ['by user, 1 namespace', user('jane', 'a', 'b', 'c', 'd'), paths(pods, 1)],
  ['by user, 200 namespaces', user('jane', 'a', 'b', 'c', 'd'), paths(pods, 200)],
  ['by namespace, 200 namespaces', user('system:kube-scheduler'), paths(pods, 200)],
  ['health', user('system:anonymous'), paths(() => '/livez', 1)],
  ['never remembered: ever new paths', user('robot'), paths((at) => `/path/${at}`, 5000)],
] as const) {
  let seated = 0
  let micros = 0
  for (const count of [rounds / 10, rounds]) {
    const start = process.cpuUsage()
    for (let at = 0; at < count; at++) {
      const info = infos[at % infos.length]
      if (info === undefined) continue
      // As they come from requests: objects and texts that nobody has seen before.
      const fresh = info.type === 'resource' ? { ...info, resource: `${info.resource} `.trim() } : { ...info }
      const admission = gate.admit({ ...who, groups: [...who.groups] }, fresh, asked, exchange)
      if ('admitted' in admission && admission.admitted) seated++
      if ('release' in admission) admission.release()
    }
    const used = process.cpuUsage(start)
    micros = (used.user + used.system) / count
  }
  process.stdout.write(`${name.padEnd(34)} ${micros.toFixed(2)} µs   seated ${seated > rounds}\n`)
}
