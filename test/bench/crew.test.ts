/** Several clients carry out one scenario: shares add up, what they counted is summed, and nothing is lost between them. */

import t from 'tap'
import { createAlone, shareOf } from '../../bench/crew/crew.ts'
import { Mailbox } from '../../bench/crew/mailbox.ts'
import { faultLines } from '../../bench/report/table.ts'
import { runScenarios } from '../../bench/runner.ts'
import { allScenarios, chooseScenarios } from '../../bench/scenarios/index.ts'
import { startTarget, tiny } from './tiny.ts'

t.test('shares are disjoint and differ by one at most', (t) => {
  for (const [total, count] of [
    [32, 3],
    [2, 4],
    [5000, 7],
  ] as const) {
    const shares = Array.from({ length: count }, (_, index) =>
      shareOf(total, { ...createAlone(), index, count }),
    )
    t.equal(
      shares.reduce((next, share) => (share.first === next ? next + share.count : Number.NaN), 0),
      total,
    )
    const counts = shares.map((share) => share.count)
    t.ok(Math.max(...counts) - Math.min(...counts) <= 1)
  }
  t.end()
})

t.test('messages wait for who asks for them, and who asks for what will not come is told', async (t) => {
  const box = new Mailbox<{ type: 'a'; n: number } | { type: 'b' }>()
  box.put({ type: 'b' })
  box.put({ type: 'a', n: 1 })
  t.same(await box.take('a'), { type: 'a', n: 1 })
  const second = box.take('a')
  box.put({ type: 'a', n: 2 })
  t.same(await second, { type: 'a', n: 2 })
  const third = box.take('a')
  box.fail(new Error('gone'))
  await t.rejects(third, { message: 'gone' })
  t.same(await box.take('b'), { type: 'b' }, 'what has come is still there')
  await t.rejects(box.take('a'), { message: 'gone' })
})

t.test('three clients share the connections and watchers of every load', async (t) => {
  const target = await startTarget()
  t.teardown(() => target.close())
  const settings = { ...tiny, clients: 3, runs: 2, connections: 6, listConnections: 3, watchers: [7] }
  const names = ['create', 'list-chunks', 'fanout-saturated', 'selectors-rate', 'mixed']
  const rows = await runScenarios({
    settings,
    targets: [target],
    scenarios: chooseScenarios(allScenarios(settings), names),
    runId: 'test',
    onStep: () => {},
  })
  const machine = { cpus: 1, cpuModel: '', node: process.version }
  t.same(faultLines({ format: 1, at: '', machine, settings: {}, rows }), [])
  for (const { scenario, summary } of rows) {
    t.ok((summary?.metrics.operationsPerSecond ?? 0) > 0, `${scenario} got answers`)
    t.ok((summary?.metrics.p50Us ?? 0) > 0, `${scenario} has latencies`)
  }
})

t.test('a client that fails fails the scenario, with its reason', async (t) => {
  const target = await startTarget()
  t.teardown(() => target.close())
  // Where the other clients are sent nobody listens.
  const endpoint = { ...target.endpoint, credentials: { server: 'http://127.0.0.1:1' } }
  const settings = { ...tiny, clients: 2 }
  const [row] = await runScenarios({
    settings,
    targets: [{ ...target, endpoint }],
    scenarios: chooseScenarios(allScenarios(settings), ['get']),
    runId: 'test',
    onStep: () => {},
  })
  t.match(row?.failed, /^client 1: .*ECONNREFUSED/)
})
