/** Proposals: where commands enter the log (thesis 3.5). They are not forwarded: the answer says who leads. */
import { fail, ok, type Result } from '../contract.ts'
import { appendOwn } from './leadership.ts'
import { leaderOf, type RaftState } from './state.ts'
import type { LogIndex, MemberId, Term } from './types.ts'

/** Where the entries went: `first`, `first + 1`, … in `term`. Committed only if applied there with this term. */
export interface Proposed {
  readonly term: Term
  readonly first: LogIndex
}

/** Nothing was appended. */
export type ProposeFailure =
  | { readonly code: 'NotLeader'; readonly leader: MemberId | undefined }
  | { readonly code: 'Transferring'; readonly to: MemberId }
  | { readonly code: 'TooMuchUncommitted'; readonly pendingBytes: number; readonly limitBytes: number }

/** Appends one command for each of `data`, all or none. */
export function propose(state: RaftState, data: readonly Uint8Array[]): Result<Proposed, ProposeFailure> {
  const { role } = state
  if (role.name !== 'leader') return fail({ code: 'NotLeader', leader: leaderOf(state) })
  if (role.transfer !== undefined) return fail({ code: 'Transferring', to: role.transfer.to })
  const limitBytes = state.settings.limits.uncommittedBytesMax
  const pendingBytes = role.uncommittedBytes
  const bytes = data.reduce((sum, one) => sum + one.byteLength, 0)
  if (pendingBytes > 0 && pendingBytes + bytes > limitBytes) {
    return fail({ code: 'TooMuchUncommitted', pendingBytes, limitBytes })
  }
  return ok({ term: state.term, first: appendOwn(state, role, 'command', data) })
}
