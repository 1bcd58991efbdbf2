/** The mutable state of one core, and the small questions about it. Only modules of this folder see it. */
import type { ConfigurationHistory } from './configuration-history.ts'
import type { LeaderReads } from './leader-reads.ts'
import type { RaftLog } from './log.ts'
import type { Message } from './message.ts'
import type { RaftSettings } from './options.ts'
import type { Progress } from './progress.ts'
import type { ReadState } from './ready.ts'
import type { LogEnd } from './rules.ts'
import type { Configuration, LogIndex, MemberId, Term } from './types.ts'

export interface Follower {
  readonly name: 'follower'
  /** Heard from in this term. */
  readonly leader: MemberId | undefined
}

export interface Candidate {
  /** `preCandidate`: asks first, the term is not raised yet (thesis 9.6). */
  readonly name: 'preCandidate' | 'candidate'
  /** A candidate's own vote is in here only once it is durable. */
  readonly votes: Map<MemberId, boolean>
}

export interface Leader {
  readonly name: 'leader'
  /** Index of the empty entry of its election: reads wait until it is committed. */
  readonly electedAt: LogIndex
  /** Everybody in the latest configuration, itself too; whoever leaves, until that is committed. */
  readonly progress: Map<MemberId, Progress>
  readonly reads: LeaderReads
  /** Since the last heartbeat. */
  heartbeatElapsedTicks: number
  /** Of entries in its term, beyond the commit index. */
  uncommittedBytes: number
  /** Where leadership is going; no proposals meanwhile (thesis 3.10). Given up after an election timeout. */
  transfer: { readonly to: MemberId; elapsedTicks: number } | undefined
}

export type Role = Follower | Candidate | Leader

export interface RaftState {
  readonly settings: RaftSettings
  readonly log: RaftLog
  readonly configurations: ConfigurationHistory
  term: Term
  /** Whom it voted for in `term`. */
  vote: MemberId | undefined
  /** The term that is durable; `term` may be ahead until the next batch is written. */
  durableTerm: Term
  role: Role
  /** Since the leader was heard (follower), the election began (candidate), the quorum was checked (leader). */
  electionElapsedTicks: number
  /** This wait, drawn at random. */
  electionTimeoutTicks: number
  /** Messages that promise nothing which is not durable. */
  readonly messages: Message[]
  /** Messages that wait for the next batch to be durable. */
  readonly messagesAfterPersist: Message[]
  readonly readStates: ReadState[]
  readonly readsLost: string[]
  /** Ticks since the start. */
  ticks: number
  /** Reads of this member that its leader was asked about: context → the tick at which they count as lost; rising. */
  readonly readsForwarded: Map<string, number>
}

/** The configuration in force: the latest in the log, committed or not (thesis 4.1). */
export function configurationOfState(state: RaftState): Configuration {
  return state.configurations.latest().configuration
}

/**
 * May this member stand for election? A learner, a stranger, one with half a snapshot may not. One that its own last
 * configuration removes may, until that is committed: the only copies of it may lie with those who leave (thesis 4.2.2).
 */
export function isPromotable({ configurations, settings, log }: RaftState): boolean {
  return configurations.isVoterYet(settings.id) && log.pendingSnapshot() === undefined
}

/** Of the term; undefined = not known. */
export function leaderOf(state: RaftState): MemberId | undefined {
  switch (state.role.name) {
    case 'follower':
      return state.role.leader
    case 'leader':
      return state.settings.id
    case 'preCandidate':
    case 'candidate':
      return undefined
  }
}

/** While it holds, the leader was heard (or, for a leader, its quorum) within an election timeout (thesis 4.2.3). */
export function leaseHolds(state: RaftState): boolean {
  return leaderOf(state) !== undefined && state.electionElapsedTicks < state.settings.electionTicks
}

export function logEndOf({ log }: RaftState): LogEnd {
  return { lastIndex: log.lastIndex(), lastTerm: log.lastTerm() }
}

/** Sends a message that may leave at once. */
export function send(state: RaftState, message: Message): void {
  state.messages.push(message)
}

/** Sends a message that leaves only after the state it speaks of is durable. */
export function sendAfterPersist(state: RaftState, message: Message): void {
  state.messagesAfterPersist.push(message)
}

/** The envelope of a message in the current term. */
export function envelope(state: RaftState, to: MemberId): { from: MemberId; to: MemberId; term: Term } {
  return { from: state.settings.id, to, term: state.term }
}
