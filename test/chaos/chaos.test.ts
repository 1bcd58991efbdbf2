/** A short run of `npm run chaos`: correctness is strict, times are generous, for machines of tests are busy. */

import t from 'tap'
import { temporaryDirectory } from '../support/server-process.ts'
import { type FaultKind, runChaos } from './run.ts'

const seed = 7
const seconds = 10
/** Who is at the other end of a link is found in /proc. */
const faults: readonly FaultKind[] = process.platform === 'linux' ? ['kill', 'stop', 'cut'] : ['kill', 'stop']

t.test('nodes killed, stopped and cut off under clients and watchers', async (t) => {
  const report = await runChaos({ directory: temporaryDirectory(t), seed, seconds, faults })
  const { verdicts, rounds } = report
  t.same(verdicts.violations, [], `seed ${seed}:\n${report.timeline.join('\n')}`)
  t.ok(rounds.length >= 2, 'faults took place')
  t.ok(report.acknowledged > 20, `${report.acknowledged} writes were acknowledged`)
  t.ok(verdicts.operations > 50, `${verdicts.operations} operations were checked`)
  t.ok(report.streams >= 3)
})
