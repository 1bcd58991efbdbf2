/** Changing who takes part, as a leader: joint consensus (thesis 4.3; why: configuration.ts). */
import { fail, ok, type Result } from '../contract.ts'
import {
  changed,
  encodeConfiguration,
  isJoint,
  isVoter,
  leftJoint,
  type MembershipChange,
  membersOf,
} from './configuration.ts'
import { appendOwn } from './leadership.ts'
import type { Progress } from './progress.ts'
import type { Proposed, ProposeFailure } from './proposal.ts'
import { becomeFollower } from './roles.ts'
import { configurationOfState, envelope, type Leader, leaderOf, type RaftState, send } from './state.ts'
import { type LogIndex, type MemberId, shifted } from './types.ts'

export type MembershipFailure =
  | ProposeFailure
  /** The change before is not complete. */
  | { readonly code: 'ChangePending'; readonly index: LogIndex }
  /** The learner lacks too much to be counted (thesis 4.2.1). */
  | { readonly code: 'LearnerBehind'; readonly id: MemberId; readonly entries: number }
  /** See `changed` in configuration.ts. */
  | { readonly code: 'NoSuchChange' }

export interface MembershipRequest {
  /** Done together: nobody ever decides with half of them. At most one for each member. */
  readonly changes: readonly MembershipChange[]
  /** Goes into the entry unread, for instance the members' addresses. */
  readonly context: string
}

/** Appends the configuration that is asked for; a joint one is left by itself once it is committed. */
export function proposeMembership(
  state: RaftState,
  { changes, context }: MembershipRequest,
): Result<Proposed, MembershipFailure> {
  const { role } = state
  if (role.name !== 'leader') return fail({ code: 'NotLeader', leader: leaderOf(state) })
  if (role.transfer !== undefined) return fail({ code: 'Transferring', to: role.transfer.to })
  const latest = state.configurations.latest()
  if (!state.settings.rules.mayChangeMembership(latest, state.log.committed())) {
    return fail({ code: 'ChangePending', index: latest.index })
  }
  const configuration = changed(latest.configuration, changes)
  if (configuration === undefined) return fail({ code: 'NoSuchChange' })
  for (const { type, id } of changes) {
    const entries = lag(state, role, id)
    if (type === 'promote' && entries > state.settings.limits.promotionLagEntriesMax) {
      return fail({ code: 'LearnerBehind', id, entries })
    }
  }
  const first = appendOwn(state, role, 'configuration', [encodeConfiguration({ configuration, context })])
  return ok({ term: state.term, first })
}

function lag({ log }: RaftState, leader: Leader, id: MemberId): number {
  return log.lastIndex() - (leader.progress.get(id)?.match ?? 0)
}

/** The commit index has risen: a joint configuration is left, and after the last step those outside are let go. */
export function settleMembership(state: RaftState, leader: Leader): void {
  const { index, configuration } = state.configurations.latest()
  if (index > state.log.committed()) return
  if (isJoint(configuration)) {
    const record = { configuration: leftJoint(configuration), context: '' }
    appendOwn(state, leader, 'configuration', [encodeConfiguration(record)])
    return
  }
  const staying = new Set(membersOf(configuration))
  for (const [id, progress] of leader.progress) {
    if (staying.has(id) || id === state.settings.id) continue
    sayGoodbye(state, id, progress)
    leader.progress.delete(id)
  }
  if (!isVoter(configuration, state.settings.id)) stepAside(state, leader)
}

/** A last word, so that it can learn of its removal instead of calling elections that nobody answers. */
function sayGoodbye(state: RaftState, to: MemberId, progress: Progress): void {
  const prevIndex = shifted(progress.next, -1)
  const prevTerm = state.log.term(prevIndex)
  if (prevTerm === undefined) return
  const commit = state.log.committed()
  send(state, { ...envelope(state, to), type: 'append', prevIndex, prevTerm, entries: [], commit })
}

/** A leader that is no voter any more stops here (thesis 4.2.2), after asking the one furthest ahead to go on. */
function stepAside(state: RaftState, leader: Leader): void {
  const { voters } = configurationOfState(state)
  const heir = voters.find((id) => leader.progress.get(id)?.match === state.log.lastIndex())
  if (heir !== undefined) send(state, { ...envelope(state, heir), type: 'timeoutNow' })
  becomeFollower(state, state.term, undefined)
}
