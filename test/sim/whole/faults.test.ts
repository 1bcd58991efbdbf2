/** The checks can fail: every deliberate mistake of a whole member is caught within its stated number of seeds. */
import t from 'tap'
import { wholeFaults } from './faults.ts'
import { runWhole } from './simulation.ts'

for (const [name, fault] of wholeFaults) {
  t.test(`${name}: a member that ${fault.what} is caught`, async (t) => {
    let caught: string | undefined
    const { from, count } = fault.seeds
    for (let seed = from; caught === undefined && seed < from + count; seed++) {
      caught = await runWhole({ seed, fault }).then(
        () => undefined,
        (failure) => `${failure}`,
      )
    }
    t.ok(caught !== undefined, `within ${count} seeds from ${from}: ${caught?.split('\n')[0]}`)
    t.notMatch(caught, /TypeError|RangeError|ReferenceError/, 'by a check, not by an accident')
  })
}
