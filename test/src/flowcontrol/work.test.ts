/** What requests are expected to cost. */

import t from 'tap'
import { createWorkEstimate, seatsMaxOf } from '../../../src/flowcontrol/work.ts'
import { parseQuery } from '../../../src/pipeline/query.ts'
import { parseRequestInfo } from '../../../src/pipeline/request-info.ts'

const loads = new Map([
  ['/pods', { objects: 950, watchers: 95 }],
  ['/serviceaccounts', { objects: 20, watchers: 20 }],
  ['/nodes', { objects: 99, watchers: 9 }],
  ['apps/deployments', { objects: 100_000, watchers: 10 }],
])
const workOf = createWorkEstimate(({ group, resource, namespace }) => {
  const load = loads.get(`${group}/${resource}`)
  return load === undefined || namespace !== 'small' ? load : { ...load, objects: 150 }
})

t.test('(request, seats at most → seats, time behind the answer)', (t) => {
  const rows: readonly (readonly [line: string, seatsMax: number, seats: number, extraMs: number])[] = [
    ['GET /api/v1/pods', 10, 10, 0],
    ['GET /api/v1/pods', 4, 4, 0],
    ['GET /api/v1/pods?limit=500', 10, 5, 0],
    ['GET /api/v1/pods?limit=501&continue=x', 10, 6, 0],
    ['GET /api/v1/pods?limit=9999', 10, 10, 0],
    ['GET /api/v1/pods?limit=x', 10, 10, 0],
    ['GET /api/v1/pods?limit=10&labelSelector=a%3Db', 10, 10, 0],
    ['GET /api/v1/pods?limit=10&fieldSelector=spec.nodeName%3Dn', 10, 10, 0],
    ['GET /api/v1/pods?fieldSelector=metadata.name%3Dp', 10, 1, 0],
    ['GET /api/v1/namespaces/a/pods', 10, 10, 0],
    ['GET /api/v1/namespaces/small/pods', 10, 2, 0],
    ['GET /api/v1/namespaces/a/pods/p', 10, 1, 0],
    ['GET /api/v1/nodes', 10, 1, 0],
    ['GET /api/v1/secrets', 10, 1, 0],
    ['GET /apis/apps/v1/deployments', 10, 10, 0],
    ['GET /api/v1/pods?watch=1', 10, 1, 0],
    ['GET /api/v1/pods?watch=1&sendInitialEvents=false', 10, 1, 0],
    ['GET /api/v1/pods?watch=1&sendInitialEvents=true', 10, 10, 0],
    ['POST /api/v1/namespaces/a/pods', 10, 10, 5],
    // On three seats, what ten would have done in 5 ms.
    ['PUT /api/v1/namespaces/a/pods/p', 3, 3, 50 / 3],
    ['POST /api/v1/namespaces/a/serviceaccounts', 10, 2, 5],
    ['POST /api/v1/namespaces/a/serviceaccounts/s/token', 10, 1, 0],
    ['PATCH /apis/apps/v1/namespaces/a/deployments/d', 10, 1, 5],
    ['DELETE /api/v1/nodes/n', 10, 1, 0],
    ['DELETE /api/v1/namespaces/a/pods', 10, 1, 0],
    ['POST /api/v1/namespaces/a/secrets', 10, 1, 0],
    ['GET /version', 10, 1, 0],
  ]
  for (const [line, seatsMax, seats, extraMs] of rows) {
    const [method = '', target = ''] = line.split(' ')
    const [path = '', text = ''] = target.split('?')
    const query = parseQuery(text)
    const info = parseRequestInfo(method, path, query.flag('watch') === true)
    if (!info.ok) throw new Error(info.failure)
    t.same(
      workOf(info.value, query, seatsMax),
      { seats, extraMs, type: query.flag('watch') === true ? 'watch' : 'regular' },
      `${line}, at most ${seatsMax}`,
    )
  }
  t.end()
})

t.test('no request takes a level for itself: (seats, hand → at most)', (t) => {
  for (const [nominal, hand, most] of [
    [0, 8, 1],
    [1, 1, 1],
    [10, 1, 2],
    [13, 8, 1],
    [40, 1, 6],
    [40, 8, 5],
    [47, 8, 5],
    [245, 6, 10],
    [1000, 1, 10],
    // Where nobody queues, a wide request waits for nobody.
    [13, undefined, 10],
  ] as const) {
    t.equal(seatsMaxOf(nominal, hand), most, `${nominal}, ${hand}`)
  }
  t.end()
})
