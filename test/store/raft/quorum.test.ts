/** Majorities against a dumb oracle, over every small world (thesis 3.3, 4.3). */
import t from 'tap'
import { configurationOf } from '../../../store/raft/configuration.ts'
import { majorityOf, quorumReached, type VoteOutcome, voteOutcome } from '../../../store/raft/quorum.ts'
import { type Configuration, type MemberId, memberId } from '../../../store/raft/types.ts'

const ids = [1, 2, 3, 4].map(memberId)

function subsets(of: readonly MemberId[]): readonly (readonly MemberId[])[] {
  return Array.from({ length: 2 ** of.length }, (_, mask) => of.filter((_id, i) => (mask >> i) % 2 === 1))
}

/** Every way to give each of `members` one of `choices`. */
function* assignments<T>(members: readonly MemberId[], choices: readonly T[]): Generator<Map<MemberId, T>> {
  const [first, ...rest] = members
  if (first === undefined) {
    yield new Map()
    return
  }
  for (const tail of assignments(rest, choices)) {
    for (const choice of choices) yield new Map([...tail, [first, choice]])
  }
}

const groups = subsets(ids).filter((group) => group.length > 0)
const configurations: readonly Configuration[] = groups.flatMap((voters) => [
  configurationOf(voters),
  ...groups.map((votersOutgoing) => ({ voters, votersOutgoing, learners: [] })),
])

/** Says the definition: more than half of each group that there is. */
function decides({ voters, votersOutgoing }: Configuration, agrees: (id: MemberId) => boolean): boolean {
  return [voters, votersOutgoing].every(
    (group) => group.length === 0 || group.filter(agrees).length * 2 > group.length,
  )
}

t.test('the index that a quorum reached is the largest that more than half of each group holds', (t) => {
  const wrong: unknown[] = []
  for (const configuration of configurations) {
    for (const match of assignments(ids, [0, 1, 2])) {
      const reached = (id: MemberId) => match.get(id) ?? 0
      const expected = [2, 1, 0].find((index) => decides(configuration, (id) => reached(id) >= index))
      const found = quorumReached(configuration, reached)
      if (found !== expected) wrong.push({ configuration, match: [...match], found, expected })
    }
  }
  t.same(wrong.slice(0, 3), [])
  t.equal(
    quorumReached(configurationOf([]), () => 7),
    0,
    'nobody decides nothing',
  )
  t.end()
})

t.test('a ballot is won or lost when no answer to come can change it', (t) => {
  const wrong: unknown[] = []
  for (const configuration of configurations) {
    for (const votes of assignments(ids, [true, false, undefined])) {
      const hope = decides(configuration, (id) => votes.get(id) !== false)
      const won = decides(configuration, (id) => votes.get(id) === true)
      const expected: VoteOutcome = won ? 'won' : hope ? 'pending' : 'lost'
      const found = voteOutcome(configuration, (id) => votes.get(id))
      if (found !== expected) wrong.push({ configuration, votes: [...votes], found, expected })
    }
  }
  t.same(wrong.slice(0, 3), [])
  t.end()
})

t.test('any two majorities of one group meet', (t) => {
  for (let count = 1; count < 10; count++) t.ok(2 * majorityOf(count) > count, `${count} members`)
  t.end()
})
