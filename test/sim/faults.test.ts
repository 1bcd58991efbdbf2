/** The checks can fail: every deliberate mistake is caught within its stated number of seeds. */
import t from 'tap'
import { faults } from './faults.ts'
import { runSimulation } from './simulation.ts'

for (const [name, fault] of faults) {
  t.test(`${name}: a member that ${fault.what} is caught`, (t) => {
    const caughtBy = (seed: number): string | undefined => {
      try {
        runSimulation({ seed, fault })
        return undefined
      } catch (failure) {
        return `${failure}`
      }
    }
    let caught: string | undefined
    const { from, count } = fault.seeds
    for (let seed = from; caught === undefined && seed < from + count; seed++) caught = caughtBy(seed)
    t.ok(caught !== undefined, `within ${count} seeds from ${from}: ${caught?.split('\n')[0]}`)
    t.notMatch(caught, /TypeError|RangeError|ReferenceError/, 'by a check, not by an accident')
    t.end()
  })
}
