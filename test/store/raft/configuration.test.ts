/** Membership changes as values (thesis 4.3). */
import t from 'tap'
import {
  changed,
  configurationOf,
  decodeConfiguration,
  encodeConfiguration,
  leftJoint,
  type MembershipChange,
} from '../../../store/raft/configuration.ts'
import { type Configuration, memberId } from '../../../store/raft/types.ts'
import { describeConfiguration } from '../../sim/describe.ts'

const ids = (...list: number[]) => list.map(memberId)
const add = (id: number): MembershipChange => ({ type: 'addLearner', id: memberId(id) })
const promote = (id: number): MembershipChange => ({ type: 'promote', id: memberId(id) })
const remove = (id: number): MembershipChange => ({ type: 'remove', id: memberId(id) })

const three = configurationOf(ids(1, 2, 3))
const withLearner = configurationOf(ids(1, 2, 3), ids(4))
const joint: Configuration = { ...three, votersOutgoing: ids(1, 2) }

const table: readonly [from: Configuration, changes: readonly MembershipChange[], to: string][] = [
  [three, [add(4)], 'voters 1,2,3 learners 4'],
  [withLearner, [promote(4)], 'voters 1,2,3,4 outgoing 1,2,3'],
  [withLearner, [remove(4)], 'voters 1,2,3'],
  [withLearner, [promote(4), remove(1)], 'voters 2,3,4 outgoing 1,2,3'],
  [three, [add(3)], 'voters 1,2 outgoing 1,2,3 learners 3'],
  [three, [remove(9)], 'no'],
  [three, [promote(9)], 'no'],
  [three, [], 'no'],
  [three, [remove(1), remove(2), remove(3)], 'no'],
  [joint, [add(4)], 'no'],
]

for (const [from, changes, to] of table) {
  const what = changes.map(({ type, id }) => `${type} ${id}`).join(', ')
  t.test(`${describeConfiguration(from)}: ${what || 'nothing'} → ${to}`, (t) => {
    const next = changed(from, changes)
    t.equal(next === undefined ? 'no' : describeConfiguration(next), to)
    t.end()
  })
}

t.test('leaving a joint configuration keeps the new voters and makes demoted ones learners', (t) => {
  const next = changed(three, [add(3)])
  t.equal(next && describeConfiguration(leftJoint(next)), 'voters 1,2 learners 3')
  t.end()
})

t.test('a configuration reads back as it was written; anything else throws', (t) => {
  const record = { configuration: joint, context: '{"addresses":{}}' }
  t.same(decodeConfiguration(encodeConfiguration(record)), record)
  for (const text of ['', '{}', '[]', '{"configuration":{"voters":[0]},"context":""}']) {
    t.throws(() => decodeConfiguration(new TextEncoder().encode(text)), `refuses ${text}`)
  }
  t.end()
})
