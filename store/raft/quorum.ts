/**
 * Majorities, plain and joint (thesis 3.3, 4.3). Pure arithmetic over member ids.
 */
import { isJoint } from './configuration.ts'
import type { Configuration, MemberId } from './types.ts'

/** `pending`: neither reached nor out of reach with the answers so far. */
export type VoteOutcome = 'won' | 'lost' | 'pending'

/** Members needed of a group of `count`. */
export function majorityOf(count: number): number {
  return Math.floor(count / 2) + 1
}

/**
 * The largest number that a majority of `voters` has reached, where `reached(id)` is each one's own.
 * Infinity for nobody: an empty group never holds a joint decision back.
 */
function majorityReached(voters: readonly MemberId[], reached: (id: MemberId) => number): number {
  if (voters.length === 0) return Number.POSITIVE_INFINITY
  const descending = voters.map(reached).sort((a, b) => b - a)
  return descending[majorityOf(voters.length) - 1] ?? 0
}

/** The largest number that the quorum has reached; in a joint configuration both majorities have. 0 for no voters. */
export function quorumReached(configuration: Configuration, reached: (id: MemberId) => number): number {
  if (configuration.voters.length === 0) return 0
  return Math.min(
    majorityReached(configuration.voters, reached),
    majorityReached(configuration.votersOutgoing, reached),
  )
}

/** How a ballot stands, where `vote(id)` is `undefined` for whoever has not answered. */
export function voteOutcome(
  configuration: Configuration,
  vote: (id: MemberId) => boolean | undefined,
): VoteOutcome {
  const incoming = majorityOutcome(configuration.voters, vote)
  if (!isJoint(configuration)) return incoming
  const outgoing = majorityOutcome(configuration.votersOutgoing, vote)
  if (incoming === 'lost' || outgoing === 'lost') return 'lost'
  return incoming === 'won' && outgoing === 'won' ? 'won' : 'pending'
}

function majorityOutcome(
  voters: readonly MemberId[],
  vote: (id: MemberId) => boolean | undefined,
): VoteOutcome {
  const votes = voters.map(vote)
  const needed = majorityOf(voters.length)
  if (votes.filter((v) => v === true).length >= needed) return 'won'
  return votes.filter((v) => v !== false).length >= needed ? 'pending' : 'lost'
}
