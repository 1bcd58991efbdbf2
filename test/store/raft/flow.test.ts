/** Flow control to one follower: what is in flight, and the three states of its progress. */
import t from 'tap'
import { createInflights } from '../../../store/raft/inflights.ts'
import {
  acceptTo,
  backtrack,
  becomeProbe,
  becomeReplicate,
  becomeSnapshot,
  createProgress,
  isPaused,
  noteSent,
} from '../../../store/raft/progress.ts'
import { logIndex } from '../../../store/raft/types.ts'

const limits = { countMax: 3, bytesMax: 100 }
const at = logIndex

t.test('inflights are full by count or by bytes, and free from the oldest', (t) => {
  const inflights = createInflights(limits)
  inflights.add(at(1), 10)
  inflights.add(at(3), 10)
  t.notOk(inflights.full())
  inflights.add(at(4), 10)
  t.ok(inflights.full(), 'three of three')
  inflights.freeTo(at(2))
  t.equal(inflights.count(), 2, 'the message that ends at 3 is still open')
  inflights.add(at(5), 90)
  t.ok(inflights.full(), '110 of 100 bytes')
  inflights.freeTo(at(5))
  t.same([inflights.count(), inflights.bytes(), inflights.full()], [0, 0, false])
  t.end()
})

t.test('probing sends one append, then waits', (t) => {
  const progress = createProgress(at(5), limits)
  t.notOk(isPaused(progress))
  noteSent(progress, 2, 20, at(0))
  t.ok(isPaused(progress))
  t.equal(progress.next, 5, 'the same entries may have to go again')
  t.ok(backtrack(progress, at(4), at(2)))
  t.same([progress.next, isPaused(progress)], [3, false], 'to where the logs may meet')
  t.notOk(backtrack(progress, at(4), at(1)), 'an old refusal changes nothing')
  t.end()
})

t.test('replicating runs ahead until the window is full, and falls back to what is known', (t) => {
  const progress = createProgress(at(1), limits)
  acceptTo(progress, at(4))
  becomeReplicate(progress)
  for (let i = 0; i < 3; i++) noteSent(progress, 2, 10, at(4))
  t.same([progress.next, isPaused(progress)], [11, true])
  t.notOk(acceptTo(progress, at(3)), 'an old acceptance never takes match back')
  t.ok(backtrack(progress, at(8), at(8)))
  t.same([progress.state, progress.next, progress.match], ['probe', 5, 4])
  t.end()
})

t.test('a snapshot holds everything back; afterwards the log goes on behind it', (t) => {
  const progress = createProgress(at(1), limits)
  becomeSnapshot(progress, at(20))
  t.ok(isPaused(progress))
  becomeProbe(progress)
  t.same([progress.state, progress.next], ['probe', 21])
  t.end()
})
