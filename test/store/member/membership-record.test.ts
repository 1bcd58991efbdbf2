/** What a configuration entry makes of the list of members; found by the simulation of whole members. */
import t from 'tap'
import { encodeContext, nextMembership } from '../../../store/member/membership.ts'
import { configurationOf, emptyConfiguration } from '../../../store/raft/configuration.ts'
import { memberId } from '../../../store/raft/types.ts'

const record = (id: number) => ({ id: memberId(id), name: `m${id}`, address: `127.0.0.1:${id}` })
const shown = ({ members }: { readonly members: readonly { readonly name: string }[] }): string =>
  members.map(({ name }) => name).join(' ')

t.test('a member that replays old entries keeps the list that it was told when it joined', async (t) => {
  const told = { configuration: emptyConfiguration, members: [record(7), record(8)], nextId: 9 }
  const old = configurationOf([1, 2].map(memberId))
  const replayed = nextMembership(told, old, encodeContext({ members: [record(1), record(2)], nextId: 3 }))
  t.equal(shown(replayed), 'm7 m8')
  t.equal(replayed.nextId, 9)
  t.equal(shown(nextMembership(replayed, old, '')), 'm7 m8', 'over the end of a joint configuration, too')
  const own = encodeContext({ members: [record(7), record(8)], nextId: 9 })
  const arrived = nextMembership(replayed, configurationOf([7, 8].map(memberId)), own)
  t.equal(shown(arrived), 'm7 m8')
  const left = nextMembership(arrived, configurationOf([memberId(8)]), '')
  t.equal(shown(left), 'm8', 'who is removed later is left out')
})
