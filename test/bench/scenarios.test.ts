/**
 * Every scenario, tiny, against the bare server: the bench works, and says so when something does not come.
 */

import t from 'tap'
import { drawPlots } from '../../bench/report/plots.ts'
import { faultLines, formatReport } from '../../bench/report/table.ts'
import { runScenarios } from '../../bench/runner.ts'
import { allScenarios, chooseScenarios } from '../../bench/scenarios/index.ts'
import { fullSettings } from '../../bench/scenarios/scenario.ts'
import { measure, startTarget, tiny } from './tiny.ts'

t.test('every scenario measures, without a fault', async (t) => {
  const target = await startTarget()
  t.teardown(() => target.close())
  const report = await measure(target)
  t.same(faultLines(report), [])
  const skipped = report.rows.filter((row) => row.skipped !== undefined).map((row) => row.scenario)
  t.same(
    skipped.filter((name) => !/^(three-nodes|growth|workers)-/.test(name)),
    ['memory', 'apply'],
    'the bare server stores nothing and takes no apply patch',
  )
  for (const { scenario, goal, summary } of report.rows) {
    if (summary === undefined) continue
    const { metrics } = summary
    if (goal?.metric !== 'serverCpuUs' && goal !== undefined) {
      t.type(metrics[goal.metric], 'number', `${scenario} has the figure of its goal`)
    } else {
      t.ok((metrics.operationsPerSecond ?? 0) > 0, `${scenario} got answers`)
      t.ok((metrics.p50Us ?? 0) > 0, `${scenario} has latencies`)
      t.ok((metrics.p50Us ?? 0) <= (metrics.p999Us ?? 0), `${scenario}: p50 is at most p99.9`)
    }
  }
  t.match(formatReport(report), /merge patch +request/)
  t.same(
    drawPlots(report).map((plot) => plot.file),
    ['goals.svg', 'latency-requests.svg', 'latency-events.svg', 'watchers.svg', 'others.svg'],
  )
})

t.test('the memory of a server with objects', async (t) => {
  const target = await startTarget()
  t.teardown(() => target.close())
  const report = await measure({ ...target, isBaseline: false, another: undefined }, 'memory', 'start')
  t.same(faultLines(report), [])
  t.ok((report.rows.find((row) => row.scenario === 'memory')?.summary?.metrics.serverMiB ?? 0) > 10)
  t.equal(
    report.rows.find((row) => row.scenario === 'start')?.skipped,
    'the server was not started here',
    'a server that runs already cannot be timed as it starts',
  )
})

t.test('three nodes: writes through a follower, and the loss of the leader', async (t) => {
  const target = await startTarget()
  t.teardown(() => target.close())
  const names = ['three-nodes-create-follower', 'three-nodes-failover']
  const report = await measure({ ...target, isBaseline: false }, ...names)
  t.same(faultLines(report), [])
  const [create, failOver] = report.rows
  t.ok((create?.summary?.metrics.operationsPerSecond ?? 0) > 0)
  // A window this short may hold no tick of the kernel's 10 ms.
  t.type(create?.summary?.metrics.serverCpuUs, 'number')
  t.ok((failOver?.summary?.metrics.readyMs ?? 0) > 0)
})

t.test('events that do not come are faults, with their number', async (t) => {
  const target = await startTarget()
  t.teardown(() => target.close())
  // The bare server does not publish patches; a mixed load on anything else must see them.
  const settings = { ...tiny, drainMs: 50 }
  const rows = await runScenarios({
    settings,
    targets: [{ ...target, isBaseline: false }],
    scenarios: chooseScenarios(allScenarios(settings), ['mixed']),
    runId: 'test',
    onStep: () => {},
  })
  t.match(rows[0]?.summary?.faults, [/^\d+ × event missing$/])
})

t.test('a server that is not there is a failure of every scenario, not of the bench', async (t) => {
  const target = await startTarget()
  await target.close()
  const report = await measure({ ...target, another: undefined, isBaseline: false }, 'get')
  t.match(faultLines(report), [
    /^server, get: could not be measured: .*ECONNREFUSED/,
    /^server, get-cache: could not be measured: .*ECONNREFUSED/,
  ])
})

t.test('scenarios are asked for by name or by the beginning of one', (t) => {
  const all = allScenarios(fullSettings)
  const chosen = (...names: string[]) => chooseScenarios(all, names).map((scenario) => scenario.name)
  t.same(chosen('get'), ['get', 'get-cache'])
  t.same(chosen('fanout-rate', 'create'), [
    'create',
    ...[10, 100, 1000, 5000].map((watchers) => `fanout-rate-${watchers}`),
  ])
  t.throws(() => chosen('creat'), { message: /^no scenario creat; there are start, memory/ })
  t.end()
})
