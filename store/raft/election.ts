/** Elections: standing, voting, counting (thesis 3.4, 3.6.1, 9.6). */
import { membersOf } from './configuration.ts'
import { becomeLeader } from './leadership.ts'
import type { PreVote, PreVoteAnswer, Vote, VoteAnswer } from './message.ts'
import { becomeCandidate, becomeFollower, becomePreCandidate } from './roles.ts'
import {
  configurationOfState,
  envelope,
  isPromotable,
  logEndOf,
  type RaftState,
  send,
  sendAfterPersist,
} from './state.ts'
import { term } from './types.ts'

/** Asks for pre-votes, and goes on to the election when they suffice. */
export function startPreVote(state: RaftState): void {
  if (!isPromotable(state) || state.role.name === 'leader') return
  becomePreCandidate(state)
  const ballot = { ...logEndOf(state), type: 'preVote' as const, term: term(state.term + 1) }
  for (const to of voterPeers(state)) send(state, { ...envelope(state, to), ...ballot })
  countVotes(state)
}

/** Asks for votes in a new term. `force`: the leader wants it (thesis 3.10). */
export function startElection(state: RaftState, force: boolean): void {
  if (!isPromotable(state) || state.role.name === 'leader') return
  becomeCandidate(state)
  const ballot = { ...logEndOf(state), type: 'vote' as const, force }
  for (const to of voterPeers(state)) sendAfterPersist(state, { ...envelope(state, to), ...ballot })
}

/** Answers without binding itself: nothing has happened yet in the term asked about. */
export function handlePreVote(state: RaftState, message: PreVote): void {
  const { rules } = state.settings
  const granted = message.term > state.term && rules.isUpToDate(message, logEndOf(state))
  sendAfterPersist(state, {
    ...envelope(state, message.from),
    type: 'preVoteAnswer',
    term: granted ? message.term : state.term,
    granted,
  })
}

/** Votes, or not, in the current term (the message's). */
export function handleVote(state: RaftState, message: Vote): void {
  const { rules } = state.settings
  const { role, vote } = state
  const leader = role.name === 'follower' ? role.leader : undefined
  const mayVote = role.name !== 'leader' && rules.mayVote({ candidate: message.from, vote, leader })
  const granted = mayVote && rules.isUpToDate(message, logEndOf(state))
  if (granted) {
    state.vote = message.from
    state.electionElapsedTicks = 0
  }
  sendAfterPersist(state, { ...envelope(state, message.from), type: 'voteAnswer', granted })
}

/** Counts the answer; ends the pre-vote or the election when it is decided. */
export function handleBallotAnswer(state: RaftState, answer: PreVoteAnswer | VoteAnswer): void {
  const { role } = state
  const awaited = answer.type === 'preVoteAnswer' ? 'preCandidate' : 'candidate'
  if (role.name !== awaited || role.votes.has(answer.from)) return
  if (answer.type === 'preVoteAnswer' && answer.granted && answer.term !== state.term + 1) return
  role.votes.set(answer.from, answer.granted)
  countVotes(state)
}

/** The candidate's own vote has become durable: it counts now. */
export function countOwnVote(state: RaftState): void {
  const { role } = state
  if (role.name !== 'candidate' || role.votes.has(state.settings.id)) return
  role.votes.set(state.settings.id, true)
  countVotes(state)
}

function countVotes(state: RaftState): void {
  const { role } = state
  if (role.name !== 'preCandidate' && role.name !== 'candidate') return
  const outcome = state.settings.rules.voteOutcome(configurationOfState(state), (id) => role.votes.get(id))
  switch (outcome) {
    case 'pending':
      return
    case 'lost':
      becomeFollower(state, state.term, undefined)
      return
    case 'won':
      if (role.name === 'preCandidate') startElection(state, false)
      else if (role.votes.has(state.settings.id)) becomeLeader(state)
  }
}

/** The voters of both majority groups, without this member. */
function voterPeers(state: RaftState) {
  const { id } = state.settings
  const { voters, votersOutgoing } = configurationOfState(state)
  return membersOf({ voters, votersOutgoing, learners: [] }).filter((member) => member !== id)
}
