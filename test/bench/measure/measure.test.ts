import { spawn } from 'node:child_process'
import t from 'tap'
import { createLatencyHistogram } from '../../../bench/client/load.ts'
import { createProcessTree } from '../../../bench/measure/processes.ts'
import { costs, median, summarize } from '../../../bench/measure/sample.ts'

t.test('medians', (t) => {
  t.equal(median([3, 1, 2]), 2)
  t.equal(median([4, 1, 2, 10]), 3)
  t.equal(median([7]), 7)
  t.end()
})

t.test('costs are for each operation', (t) => {
  const window = { seconds: 2, serverCpuMs: 1000, serverInstructions: undefined, clientCpuMs: 500 }
  t.same(costs(window, 10_000), { operationsPerSecond: 5000, serverCpuUs: 100, clientCpuUs: 50 })
  t.same(costs({ ...window, serverCpuMs: undefined }, 10_000), { operationsPerSecond: 5000, clientCpuUs: 50 })
  t.equal(costs({ ...window, serverInstructions: 3e9 }, 10_000).serverInstructions, 300_000)
  t.same(costs(window, 0), { operationsPerSecond: 0 }, 'nothing done has no cost each')
  t.end()
})

t.test('several runs: medians of figures, one distribution of latencies, all faults', (t) => {
  const samples = [30, 10, 20].map((us) => {
    const latency = createLatencyHistogram()
    latency.record(us)
    return { metrics: { serverCpuUs: us, p50Us: us }, latency, faults: [`fault ${us}`] }
  })
  const summary = summarize(samples)
  t.same(summary.metrics, { serverCpuUs: 20, p50Us: 20 })
  t.same(summary.latencyCurve.at(0), [0.1, 10])
  t.same(summary.latencyCurve.at(-1), [100, 30])
  t.same(summary.faults, ['fault 30', 'fault 10', 'fault 20'])
  t.end()
})

t.test('a process tree counts descendants, and what they use', async (t) => {
  // A child that starts a grandchild, which says that it has worked for a while.
  const work = 'const until=performance.now()+150;while(performance.now()<until);process.stdout.write("done")'
  const script = `
    require('node:child_process').spawn(process.execPath,
      ['-e', ${JSON.stringify(`${work};setInterval(()=>{},1000)`)}], { stdio: ['ignore', 'inherit', 'ignore'] })
    setInterval(() => {}, 1000)`
  const child = spawn(process.execPath, ['-e', script], {
    stdio: ['ignore', 'pipe', 'ignore'],
    detached: true,
  })
  const { pid } = child
  if (pid === undefined) throw new Error('no child')
  t.teardown(() => process.kill(-pid, 'SIGKILL'))
  await new Promise((resolve) => child.stdout?.once('data', resolve))
  const tree = createProcessTree([pid])
  t.ok(tree.cpuMs() >= 100, 'the grandchild worked for 150 ms')
  const { pssBytes, rssBytes } = tree.memory()
  t.ok(pssBytes > 0 && pssBytes <= rssBytes, 'shared pages are counted once')
  t.same(createProcessTree([2 ** 30]).memory(), { pssBytes: 0, rssBytes: 0 }, 'a process that is not there')
})
