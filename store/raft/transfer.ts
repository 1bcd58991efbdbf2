/** Handing leadership to a chosen voter (thesis 3.10). */
import { fail, ok, type Result } from '../contract.ts'
import type { ProposeFailure } from './proposal.ts'
import { configurationOfState, envelope, type Leader, leaderOf, type RaftState, send } from './state.ts'
import type { MemberId } from './types.ts'

export type TransferFailure = ProposeFailure | { readonly code: 'NotVoter'; readonly id: MemberId }

/**
 * Stops taking proposals, waits until `to` has the whole log, and tells it to stand for election. Given up after an
 * election timeout. Asking again for the same is no change, for another replaces it. To itself: ends a transfer.
 */
export function transferLeadership(state: RaftState, to: MemberId): Result<void, TransferFailure> {
  const { role } = state
  if (role.name !== 'leader') return fail({ code: 'NotLeader', leader: leaderOf(state) })
  if (!configurationOfState(state).voters.includes(to)) return fail({ code: 'NotVoter', id: to })
  if (to === state.settings.id) {
    role.transfer = undefined
  } else if (role.transfer?.to !== to) {
    role.transfer = { to, elapsedTicks: 0 }
    finishTransfer(state, role)
  }
  return ok(undefined)
}

/** Its log is complete: now it may win at once. */
export function finishTransfer(state: RaftState, { transfer, progress }: Leader): void {
  if (transfer === undefined || progress.get(transfer.to)?.match !== state.log.lastIndex()) return
  send(state, { ...envelope(state, transfer.to), type: 'timeoutNow' })
}

/** Gives up after an election timeout: the cluster must not stay without proposals. */
export function tickTransfer({ settings }: RaftState, leader: Leader): void {
  if (leader.transfer === undefined) return
  leader.transfer.elapsedTicks++
  if (leader.transfer.elapsedTicks >= settings.electionTicks) leader.transfer = undefined
}
