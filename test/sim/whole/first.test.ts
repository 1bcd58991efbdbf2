/** Whole members on simulated machines, a world for each seed; `npm run sim -- --whole` goes on beyond these. */
import t from 'tap'
import { expectGuarantees } from './seeds.ts'
import { runWhole } from './simulation.ts'

t.test('every guarantee holds in seeds 1 to 125', (t) => expectGuarantees(t, 1, 125))

t.test('a member is told on that is sent a state which it holds: seed 92096', (t) =>
  expectGuarantees(t, 92_096, 1),
)

t.test('a seed replays exactly', async (t) => {
  const traceOf = async (seed: number) => {
    const lines: string[] = []
    const report = await runWhole({ seed, trace: (line) => lines.push(line) })
    return { lines, report }
  }
  const once = await traceOf(7)
  t.same(once, await traceOf(7))
  t.not(once.lines.join(), (await traceOf(8)).lines.join())
})
