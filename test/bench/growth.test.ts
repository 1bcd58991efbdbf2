/** What must not grow, and what durability costs: tiny, against the bare server. */

import t from 'tap'
import { startBaseline } from '../../bench/baseline.ts'
import { call } from '../../bench/client/api.ts'
import { createEndpoint } from '../../bench/client/endpoint.ts'
import { drawPlots } from '../../bench/report/plots.ts'
import { faultLines } from '../../bench/report/table.ts'
import type { StartedTarget } from '../../bench/scenarios/scenario.ts'
import { measure, startTarget } from './tiny.ts'

t.test('costs among few objects and many, on a server that is started again with its data', async (t) => {
  const target = await startTarget()
  t.teardown(() => target.close())
  const more: StartedTarget[] = []
  // The server with the most objects ends with the bench.
  t.teardown(() => Promise.all(more.map((one) => one.close())))
  const another = async (): Promise<StartedTarget> => {
    const started = await startTarget()
    more.push(started)
    return { ...started, isBaseline: false }
  }
  const report = await measure({ ...target, isBaseline: false, another }, 'growth', 'workers-1-create')
  t.same(faultLines(report), [])
  const figures = report.rows.map(({ scenario, summary }) => [scenario, Object.keys(summary?.metrics ?? {})])
  t.match(Object.fromEntries(figures), {
    'growth-20-patch': ['operationsPerSecond', 'serverCpuUs'],
    'growth-20-memory': ['serverMiB'],
    'growth-40-page': ['operationsPerSecond', 'serverCpuUs'],
    'growth-40-event': ['operationsPerSecond', 'serverCpuUs'],
    'growth-40-start': ['readyMs'],
    'workers-1-create': ['operationsPerSecond', 'serverCpuUs'],
  })
  t.ok(drawPlots(report).some((plot) => plot.file === 'growth.svg'))
})

t.test('a floor answers a write when it is kept, and not before', async (t) => {
  const kept: string[] = []
  let keepOn = (): void => {}
  const held = new Promise<void>((resolve) => {
    keepOn = resolve
  })
  const keep = (body: Buffer): Promise<void> => {
    kept.push(body.toString())
    return held
  }
  const floor = await startBaseline({ listObjects: 1, listItemBytes: 100, keep })
  t.teardown(() => floor.close())
  const endpoint = createEndpoint({ server: floor.url, ca: floor.ca })
  let answered = false
  const answer = call(endpoint, { method: 'POST', target: '/api/v1/configmaps', body: '{}' }).then(
    (given) => {
      answered = true
      return given.status
    },
  )
  while (kept.length === 0) await new Promise((resolve) => setImmediate(resolve))
  t.notOk(answered)
  keepOn()
  t.equal(await answer, 201)
  t.same(kept, ['{}'])
})

t.test('events past HTTP reach every watcher, each once', async (t) => {
  const target = await startTarget('floor: tls', { framedEvents: true })
  t.teardown(() => target.close())
  const report = await measure(target, 'fanout-rate-3')
  t.same(faultLines(report), [])
  t.ok((report.rows[0]?.summary?.metrics.operationsPerSecond ?? 0) > 0)
})
