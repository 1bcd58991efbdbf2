/** Everything that can grow has a bound, and says so when it is reached. */
import t from 'tap'
import { configurationOf } from '../../../store/raft/configuration.ts'
import type { Message } from '../../../store/raft/message.ts'
import type { RaftLimits } from '../../../store/raft/options.ts'
import { createRaft, type Raft } from '../../../store/raft/raft.ts'
import { createLogTail } from '../../../store/raft/tail.ts'
import { logIndex, memberId, term } from '../../../store/raft/types.ts'

const [one, two, three] = [1, 2, 3].map(memberId)
const zero = { index: logIndex(0), term: term(0) }

/** Member 1 of three, leader in term 1 with its empty entry committed; its disk is instant. */
function leaderWith(limits: Partial<RaftLimits>) {
  if (one === undefined || two === undefined || three === undefined) throw new Error('three members')
  const configuration = configurationOf([one, two], [three])
  const hardState = { term: term(0), vote: undefined, commit: logIndex(0) }
  const initial = { hardState, applied: logIndex(0), configuration }
  const tail = createLogTail({ initial, before: zero, entries: [], snapshot: () => undefined })
  const raft = createRaft({
    id: one,
    storage: tail,
    electionTicks: 10,
    heartbeatTicks: 1,
    random: () => 0,
    limits,
  })
  const from = { from: two, to: one, term: term(1) }
  const work = () => drain(raft, tail)
  raft.campaign()
  work()
  raft.step({ ...from, type: 'preVoteAnswer', granted: true })
  work()
  raft.step({ ...from, type: 'voteAnswer', granted: true })
  work()
  const accept = (index: number) => {
    raft.step({ ...from, type: 'appendAnswer', index: logIndex(index), refused: undefined })
    return work()
  }
  accept(1)
  return { raft, work, accept, three, two }
}

function drain(raft: Raft, tail: ReturnType<typeof createLogTail>): readonly Message[] {
  const sent: Message[] = []
  for (let ready = raft.ready(); ready !== undefined; ready = raft.ready()) {
    tail.append(ready.entries)
    raft.advance()
    sent.push(...ready.messages, ...ready.messagesAfterPersist)
  }
  return sent
}

const bytes = (count: number) => new Uint8Array(count)
const appendsTo = (messages: readonly Message[], to: number) =>
  messages.filter((message) => message.type === 'append' && message.to === to && message.entries.length > 0)

t.test('proposals beyond uncommittedBytesMax are refused until some are committed', (t) => {
  const { raft, work, accept } = leaderWith({ uncommittedBytesMax: 200 })
  t.ok(raft.propose([bytes(500)]).ok, 'one alone may exceed it')
  work()
  t.match(raft.propose([bytes(1)]), { ok: false, failure: { code: 'TooMuchUncommitted', limitBytes: 200 } })
  accept(2)
  t.ok(raft.propose([bytes(1)]).ok)
  t.end()
})

t.test('appends to one follower wait when inflightCountMax are unanswered', (t) => {
  const { raft, work, accept, two } = leaderWith({ inflightCountMax: 2, appendBytesMax: 1 })
  raft.propose([bytes(9), bytes(9), bytes(9), bytes(9)])
  t.equal(appendsTo(work(), two).length, 2)
  t.equal(appendsTo(accept(2), two).length, 1, 'one answered, one more')
  t.end()
})

t.test('an append holds entries up to appendBytesMax', (t) => {
  const { raft, work, two } = leaderWith({ appendBytesMax: 100 })
  raft.propose([bytes(20), bytes(20), bytes(20), bytes(400)])
  const sizes = appendsTo(work(), two).map((message) => message.type === 'append' && message.entries.length)
  t.same(sizes, [2, 1, 1])
  t.end()
})

t.test('committed entries come in pages of applyBytesMax', (t) => {
  const { raft, work, accept } = leaderWith({ applyBytesMax: 60 })
  raft.propose([bytes(20), bytes(20), bytes(20)])
  work()
  const before = raft.status().handedOut
  raft.step({
    from: memberId(2),
    to: memberId(1),
    term: term(1),
    type: 'appendAnswer',
    index: logIndex(4),
    refused: undefined,
  })
  t.equal(raft.ready()?.committed.length, 1)
  raft.advance()
  t.equal(raft.status().handedOut, before + 1)
  accept(4)
  t.equal(raft.status().handedOut, 4)
  t.end()
})

t.test('reads beyond readsPendingMax are refused', (t) => {
  const { raft } = leaderWith({ readsPendingMax: 2 })
  t.same(
    ['a', 'b', 'c'].map((context) => raft.readIndex(context).ok),
    [true, true, false],
  )
  t.end()
})

t.test('a learner far behind is not promoted (thesis 4.2.1)', (t) => {
  const { raft, work, three } = leaderWith({ promotionLagEntriesMax: 3 })
  const promote = () => raft.proposeMembership({ changes: [{ type: 'promote', id: three }], context: '' })
  raft.propose([bytes(1), bytes(1), bytes(1)])
  work()
  t.match(promote(), { ok: false, failure: { code: 'LearnerBehind', entries: 4 } })
  raft.step({
    from: three,
    to: memberId(1),
    term: term(1),
    type: 'appendAnswer',
    index: logIndex(2),
    refused: undefined,
  })
  t.ok(promote().ok)
  t.end()
})

t.test('settings that cannot work together are refused at once', (t) => {
  const storage = createLogTail({
    initial: {
      hardState: { term: term(0), vote: undefined, commit: logIndex(0) },
      applied: logIndex(0),
      configuration: configurationOf([memberId(1)]),
    },
    before: zero,
    entries: [],
    snapshot: () => undefined,
  })
  const make = (electionTicks: number, limits: Partial<RaftLimits>) => () =>
    createRaft({ id: memberId(1), storage, electionTicks, heartbeatTicks: 2, random: () => 0, limits })
  t.throws(make(4, {}), /electionTicks 4 must exceed twice heartbeatTicks 2/)
  t.throws(make(10, { appendBytesMax: 10, inflightBytesMax: 9 }), /inflightBytesMax below appendBytesMax/)
  t.throws(make(10, { applyBytesMax: 0 }), /limit applyBytesMax is 0/)
  t.end()
})
