/** Changes of role that need no log: follower and the two kinds of candidate (thesis figure 3.3). */
import { invariant } from './invariant.ts'
import { loseReads } from './reads.ts'
import type { RaftState, Role } from './state.ts'
import { type MemberId, type Term, term } from './types.ts'

/** Follows in `newTerm` (the current one or a later), `leader` if it is known. */
export function becomeFollower(state: RaftState, newTerm: Term, leader: MemberId | undefined): void {
  invariant(newTerm >= state.term, `term ${state.term} cannot fall to ${newTerm}`)
  enter(state, { name: 'follower', leader })
  if (newTerm === state.term) return
  state.term = newTerm
  state.vote = undefined
}

/** Asks whether an election could be won, without raising the term (thesis 9.6). */
export function becomePreCandidate(state: RaftState): void {
  enter(state, { name: 'preCandidate', votes: new Map([[state.settings.id, true]]) })
}

/** Enters a new term and votes for itself; the vote counts once it is durable (see `advance`). */
export function becomeCandidate(state: RaftState): void {
  enter(state, { name: 'candidate', votes: new Map() })
  state.term = term(state.term + 1)
  state.vote = state.settings.id
}

/** Every change of role starts a new wait and loses the reads that depended on the old one. */
export function enter(state: RaftState, role: Role): void {
  loseReads(state)
  state.role = role
  state.electionElapsedTicks = 0
  state.electionTimeoutTicks =
    state.settings.electionTicks + state.settings.random(state.settings.electionTicks)
}
