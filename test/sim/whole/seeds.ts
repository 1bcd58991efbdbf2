/** What the tests of many seeds share. */
import type { Test } from 'tap'
import { runWhole } from './simulation.ts'

/** Runs seeds `from` to `from + count - 1`; a failing one prints how to replay it. */
export async function expectGuarantees(t: Test, from: number, count: number): Promise<void> {
  const broken: string[] = []
  const sum = { operations: 0, revisions: 0, lists: 0, undecided: 0, starts: 0 }
  for (let seed = from; seed < from + count; seed++) {
    try {
      const report = await runWhole({ seed })
      sum.operations += report.operations
      sum.revisions += report.revisions
      sum.lists += report.lists
      sum.undecided += report.undecided
      sum.starts += report.starts
    } catch (failure) {
      broken.push(`npm run sim -- --whole --seed ${seed} --count 1 --verbose: ${failure}`)
    }
  }
  t.same(broken, [])
  const busy = sum.operations > 30 * count && sum.revisions > 12 * count && sum.starts > 5 * count
  t.ok(busy && sum.lists > 0 && sum.undecided < count / 50, `not by doing nothing: ${JSON.stringify(sum)}`)
}
