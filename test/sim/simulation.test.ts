/**
 * Whole members on simulated machines, a world for each seed. A failing seed prints how to replay it; `npm run sim` goes
 * on beyond these.
 */
import t from 'tap'
import { runSimulation } from './simulation.ts'

const seedsFirst = 1
const seedsCount = 500

function outcomeOf(seed: number): string {
  try {
    runSimulation({ seed })
    return 'holds'
  } catch (failure) {
    return `npm run sim -- --seed ${seed} --count 1 --verbose: ${failure}`
  }
}

t.test(`every guarantee holds in seeds ${seedsFirst} to ${seedsFirst + seedsCount - 1}`, (t) => {
  const broken = Array.from({ length: seedsCount }, (_, i) => outcomeOf(seedsFirst + i)).filter(
    (outcome) => outcome !== 'holds',
  )
  t.same(broken, [])
  t.end()
})

t.test('a seed replays exactly, and does something', (t) => {
  const traceOf = (seed: number) => {
    const lines: string[] = []
    const report = runSimulation({ seed, trace: (line) => lines.push(line) })
    return { lines, report }
  }
  const once = traceOf(7)
  t.same(once, traceOf(7))
  t.not(once.lines.join(), traceOf(8).lines.join())
  t.ok(once.report.operations > 20 && once.report.committed > 20, JSON.stringify(once.report))
  t.end()
})
