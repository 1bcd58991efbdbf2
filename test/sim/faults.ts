/**
 * Deliberate mistakes, to show that the checks can fail. Each is either a broken rule of the core (store/raft/rules.ts)
 * or a driver that breaks the contract of store/raft/ready.ts.
 */
import { membersOf } from '../../store/raft/configuration.ts'
import { quorumReached, voteOutcome } from '../../store/raft/quorum.ts'
import { type Rules, raftRules } from '../../store/raft/rules.ts'
import type { Configuration } from '../../store/raft/types.ts'
import type { DriverFaults } from './contract.ts'
import type { Profile } from './nemesis.ts'

export interface Fault {
  readonly what: string
  readonly rules?: Partial<Rules>
  readonly driver?: Partial<DriverFaults>
  /** The trouble that brings it out; absent = any. */
  readonly profile?: Profile
  /** The simulation catches it within so many seeds. */
  readonly seeds: { readonly from: number; readonly count: number }
}

const withLearners = (configuration: Configuration): Configuration => {
  return { voters: membersOf(configuration), votersOutgoing: [], learners: [] }
}
const incomingOnly = (configuration: Configuration): Configuration => {
  return { ...configuration, votersOutgoing: [] }
}
/** A majority of all but one or two: two of five, one of three. */
const tooFew = (configuration: Configuration): Configuration => {
  const { voters } = configuration
  return { ...configuration, voters: voters.length < 3 ? voters : voters.slice(0, -2) }
}

export const faults: ReadonlyMap<string, Fault> = new Map(
  Object.entries({
    'vote-twice': {
      what: 'votes for everybody who asks',
      rules: { mayVote: () => true },
      seeds: { from: 1, count: 50 },
    },
    'forget-vote': {
      what: 'forgets its vote over a crash',
      driver: { forgetVote: true },
      profile: 'ballots',
      seeds: { from: 1, count: 100 },
    },
    'vote-for-anyone': {
      what: 'votes for candidates whose log is behind',
      rules: { isUpToDate: () => true },
      seeds: { from: 1, count: 50 },
    },
    'commit-earlier-term': {
      what: 'commits entries of earlier terms by counting',
      rules: { mayCommitByCounting: () => true },
      profile: 'silence',
      seeds: { from: 1, count: 300 },
    },
    'read-without-quorum': {
      what: 'serves reads without asking whether it still leads',
      rules: { isReadConfirmed: () => true },
      profile: 'clocks',
      seeds: { from: 1, count: 50 },
    },
    'read-before-own-commit': {
      what: 'serves reads before an entry of its term is committed',
      rules: { mayStartReads: () => true },
      profile: 'elections',
      seeds: { from: 1, count: 50 },
    },
    'append-unchecked': {
      what: 'takes entries whatever stands before them',
      rules: { previousMatches: () => true },
      seeds: { from: 1, count: 50 },
    },
    'truncate-held': {
      what: 'replaces entries that it already holds by an old message',
      rules: { countHeld: () => 0 },
      seeds: { from: 1, count: 50 },
    },
    'learner-counts': {
      what: 'counts learners for the commit',
      rules: {
        quorumReached: (configuration, reached) => quorumReached(withLearners(configuration), reached),
      },
      profile: 'membership',
      seeds: { from: 1, count: 50 },
    },
    'joint-ignored': {
      what: 'decides with the new voters alone while the configuration is joint',
      rules: {
        quorumReached: (configuration, reached) => quorumReached(incomingOnly(configuration), reached),
        voteOutcome: (configuration, vote) => voteOutcome(incomingOnly(configuration), vote),
      },
      profile: 'membership',
      seeds: { from: 1, count: 50 },
    },
    'quorum-too-small': {
      what: 'commits with one acceptance too few',
      rules: {
        quorumReached: (configuration, reached) => quorumReached(tooFew(configuration), reached),
      },
      seeds: { from: 1, count: 50 },
    },
    'answer-before-sync': {
      what: 'sends acceptances and votes before they are durable',
      driver: { answerBeforeSync: true },
      profile: 'elections',
      seeds: { from: 1, count: 50 },
    },
    'answer-at-append': {
      what: 'acknowledges a write when it is proposed',
      driver: { answerAtAppend: true },
      seeds: { from: 1, count: 50 },
    },
    'answer-replaced': {
      what: 'acknowledges a write whose place another took',
      driver: { answerReplaced: true },
      seeds: { from: 1, count: 50 },
    },
    'serve-after-step-down': {
      what: 'serves pending reads after it stopped leading',
      driver: { serveAfterStepDown: true },
      seeds: { from: 1, count: 50 },
    },
    'read-before-applied': {
      what: 'serves a confirmed read before it has applied that far',
      driver: { readBeforeApplied: true },
      seeds: { from: 1, count: 50 },
    },
    'apply-out-of-order': {
      what: 'applies a batch backwards',
      driver: { applyOutOfOrder: true },
      seeds: { from: 1, count: 50 },
    },
    'trust-torn-batch': {
      what: 'goes on with half a batch after a crash',
      driver: { trustTornBatch: true },
      profile: 'history',
      seeds: { from: 1, count: 50 },
    },
    'drop-event-at-compaction': {
      what: 'loses an event too many when history is compacted',
      driver: { dropEventAtCompaction: true },
      profile: 'history',
      seeds: { from: 1, count: 50 },
    },
    'hide-compaction': {
      what: 'starts a watch in compacted history without saying so',
      driver: { hideCompaction: true },
      profile: 'history',
      seeds: { from: 1, count: 50 },
    },
    'lose-events-at-snapshot': {
      what: 'watches skip what a snapshot brought',
      driver: { loseEventsAtSnapshot: true },
      profile: 'history',
      seeds: { from: 1, count: 50 },
    },
  } satisfies Record<string, Fault>),
)

export const noDriverFaults: DriverFaults = {
  forgetVote: false,
  answerBeforeSync: false,
  answerAtAppend: false,
  serveAfterStepDown: false,
  readBeforeApplied: false,
  applyOutOfOrder: false,
  answerReplaced: false,
  trustTornBatch: false,
  dropEventAtCompaction: false,
  hideCompaction: false,
  loseEventsAtSnapshot: false,
}

export function rulesOf(fault: Fault | undefined): Rules {
  return { ...raftRules, ...fault?.rules }
}
