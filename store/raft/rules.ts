/**
 * The decisions on which safety rests, each by itself: small enough to compare with the thesis by eye. The rest of the
 * core asks here and nowhere else. A simulation hands in a broken rule to prove that its checks can fail.
 */
import { isJoint } from './configuration.ts'
import type { PlacedConfiguration } from './configuration-history.ts'
import { quorumReached, type VoteOutcome, voteOutcome } from './quorum.ts'
import type { Configuration, Entry, LogIndex, MemberId, Term } from './types.ts'

export interface LogEnd {
  readonly lastIndex: LogIndex
  readonly lastTerm: Term
}

export interface VoteQuestion {
  readonly candidate: MemberId
  /** Whom this member voted for in the current term. */
  readonly vote: MemberId | undefined
  /** Who leads the current term, as far as this member knows. */
  readonly leader: MemberId | undefined
}

export interface Rules {
  /** One vote for each term; none when the term already has a leader; the same vote may be said again (thesis 3.4). */
  mayVote(question: VoteQuestion): boolean
  /** The election restriction: the candidate's log is at least as far ahead as the voter's (thesis 3.6.1). */
  isUpToDate(candidate: LogEnd, own: LogEnd): boolean
  /** The largest number that a quorum reached: match indexes for a commit, rounds for a read (thesis 3.3, 4.3). */
  quorumReached(configuration: Configuration, reached: (id: MemberId) => number): number
  voteOutcome(configuration: Configuration, vote: (id: MemberId) => boolean | undefined): VoteOutcome
  /** Only an entry of the current term is committed by counting; earlier ones follow with it (thesis 3.6.2). */
  mayCommitByCounting(entryTerm: Term | undefined, current: Term): boolean
  /** Consistency check of an append: the entry before is the same (thesis 3.5). `own` is `undefined` where none is. */
  previousMatches(own: Term | undefined, previous: Term): boolean
  /** How many of the entries the log already holds: only from the first that differs on may it be replaced (3.5). */
  countHeld(entries: readonly Entry[], termAt: (index: LogIndex) => Term | undefined): number
  /** A leader reads only after an entry of its own term is committed: its commit index is current then (thesis 6.4). */
  mayStartReads(committedTerm: Term | undefined, current: Term): boolean
  /** A quorum has confirmed the leader's term since the read's round began (thesis 6.4). */
  isReadConfirmed(round: number, quorumRound: number): boolean
  /** One change at a time: the one before is committed and complete (thesis 4.3). */
  mayChangeMembership(latest: PlacedConfiguration, committed: LogIndex): boolean
}

export const raftRules: Rules = {
  mayVote: ({ candidate, vote, leader }) =>
    vote === candidate || (vote === undefined && leader === undefined),
  isUpToDate: (candidate, own) =>
    candidate.lastTerm > own.lastTerm ||
    (candidate.lastTerm === own.lastTerm && candidate.lastIndex >= own.lastIndex),
  quorumReached,
  voteOutcome,
  mayCommitByCounting: (entryTerm, current) => entryTerm === current,
  previousMatches: (own, previous) => own === previous,
  countHeld(entries, termAt) {
    const differing = entries.findIndex(({ index, term }) => termAt(index) !== term)
    return differing < 0 ? entries.length : differing
  },
  mayStartReads: (committedTerm, current) => committedTerm === current,
  isReadConfirmed: (round, quorumRound) => round <= quorumRound,
  mayChangeMembership: ({ index, configuration }, committed) => index <= committed && !isJoint(configuration),
}
