/** What a refusal of a forwarded group says of its fate; found by the simulation of whole members. */
import t from 'tap'
import { PendingGroups } from '../../../store/member/pending-groups.ts'
import { memberId, term } from '../../../store/raft/types.ts'

const group = (sequence: number, repeated: boolean) => ({
  sequence,
  term: term(1),
  group: [],
  forwarded: { to: memberId(2), data: Buffer.alloc(0), repeated },
})

t.test('a group that was sent once and refused was not taken', async (t) => {
  const pending = new PendingGroups()
  pending.add(group(1, false))
  t.equal(pending.takeRefused(1)?.sequence, 1)
  t.equal(pending.size, 0)
})

t.test('of a group that was sent again the log tells, not a refusal', async (t) => {
  const pending = new PendingGroups()
  pending.add(group(1, true))
  t.equal(pending.takeRefused(1), undefined)
  t.same(
    pending.takeBefore(term(2)).map(({ sequence }) => sequence),
    [1],
  )
})
