/**
 * The core under a simple member, a world for each seed; whole members: whole/. A failing seed prints how to replay it; `npm run sim` goes
 * on beyond these.
 */
import t from 'tap'
import { runSimulation } from './simulation.ts'

const seedsFirst = 1
const seedsCount = 200

t.test(`every guarantee holds in seeds ${seedsFirst} to ${seedsFirst + seedsCount - 1}`, (t) => {
  const broken: string[] = []
  const sum = { operations: 0, committed: 0, lists: 0, undecided: 0 }
  for (let seed = seedsFirst; seed < seedsFirst + seedsCount; seed++) {
    try {
      const report = runSimulation({ seed })
      sum.operations += report.operations
      sum.committed += report.committed
      sum.lists += report.lists
      sum.undecided += report.undecided
    } catch (failure) {
      broken.push(`npm run sim -- --seed ${seed} --count 1 --verbose: ${failure}`)
    }
  }
  t.same(broken, [])
  const busy =
    sum.operations > 50 * seedsCount && sum.committed > 30 * seedsCount && sum.lists > seedsCount / 20
  t.ok(busy && sum.undecided < seedsCount / 50, `not by doing nothing: ${JSON.stringify(sum)}`)
  t.end()
})

t.test('a seed replays exactly', (t) => {
  const traceOf = (seed: number) => {
    const lines: string[] = []
    const report = runSimulation({ seed, trace: (line) => lines.push(line) })
    return { lines, report }
  }
  const once = traceOf(7)
  t.same(once, traceOf(7))
  t.not(once.lines.join(), traceOf(8).lines.join())
  t.end()
})
