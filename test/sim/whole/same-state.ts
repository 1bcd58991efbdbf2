/** State machine safety: every member's state after an entry is the one that the log gives, and that the others have. */
import type { MemberStore } from '../../../store/member/member.ts'
import type { MemberId } from '../../../store/raft/types.ts'
import { violated } from '../safety.ts'
import type { Truth } from './truth.ts'

/**
 * Throws when the state is another than the truth, or than what a member had there before.
 * @param states what the first member to come there had, by index of the entry; added to
 */
export function sameState(
  machine: MemberId,
  { appliedIndex, state }: MemberStore['replica']['mvcc'],
  truth: Truth,
  states: Map<number, string>,
): void {
  const revision = truth.revisionAt(appliedIndex)
  const liveKeys = truth.liveKeysAt(appliedIndex)
  if (state.revision !== revision || state.liveKeys !== liveKeys) {
    const found = `revision ${state.revision} and ${state.liveKeys} keys`
    const expected = `${revision} and ${liveKeys}`
    throw violated('state machine safety', `${machine} has ${found} at ${appliedIndex}, not ${expected}`)
  }
  const { digest, oldest } = state.meta()
  const shown = `${oldest} ${digest.high} ${digest.low} ${digest.records}`
  const known = states.get(appliedIndex)
  if (known === undefined) states.set(appliedIndex, shown)
  else if (known !== shown)
    throw violated('state machine safety', `${machine} has another state at ${appliedIndex}`)
}
