/** A whole member as the nemesis sees it: what an operator may ask of it, named by machines. */
import type { Revision } from '../../../store/contract.ts'
import type { MemberStore } from '../../../store/member/member.ts'
import { encodeContext } from '../../../store/member/membership.ts'
import type { Member } from '../../../store/member/open.ts'
import type { RaftStatus } from '../../../store/raft/status.ts'
import type { MemberId } from '../../../store/raft/types.ts'
import type { TroubledMember } from '../nemesis.ts'
import { addressOf } from './transport.ts'

interface Serving {
  replica(): MemberStore['replica'] | undefined
  status(): RaftStatus | undefined
}

export function troubledMember(member: Member, serving: Serving): TroubledMember {
  return {
    revision: () => serving.replica()?.state.revision ?? 0,
    status() {
      const status = serving.status()
      if (status === undefined) throw new Error('no member runs')
      return status
    },
    transferLeadership(to) {
      void member.cluster.run({ method: 'transfer', member: `m${to}` })
    },
    checkpoint() {},
    compact(revision) {
      if (revision > 0) void member.store.compact(revision as Revision)
    },
    changeMembership({ changes }) {
      const stranger = changes.find(({ type }) => type === 'addLearner')
      const replica = serving.replica()
      if (replica === undefined) return
      if (stranger !== undefined) {
        const address = addressOf(stranger.id)
        void member.cluster.run({ method: 'add', name: `m${stranger.id}`, address })
        return
      }
      const { members, nextId } = replica.membership
      const mapped = changes.flatMap((change) => {
        const record = members.find(({ name }) => name === `m${change.id}`)
        return record === undefined ? [] : [{ ...change, id: record.id }]
      })
      if (mapped.length > 0)
        replica.changeMembership({ changes: mapped, context: encodeContext({ members, nextId }) })
    },
  }
}

/** The status of a member with machines in the place of members. */
export function byMachine(
  status: RaftStatus,
  machine: MemberId,
  machineOf: (id: MemberId) => MemberId,
): RaftStatus {
  const all = (ids: readonly MemberId[]) => ids.map(machineOf)
  const { voters, votersOutgoing, learners } = status.configuration
  return {
    ...status,
    id: machine,
    vote: status.vote === undefined ? undefined : machineOf(status.vote),
    configuration: {
      voters: all(voters),
      votersOutgoing: all(votersOutgoing),
      learners: all(learners),
    },
  }
}
