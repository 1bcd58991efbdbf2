/**
 * What members say to each other. Every message is safe to lose, repeat, delay and reorder.
 */
import type { Entry, LogIndex, MemberId, Snapshot, Term } from './types.ts'

interface Envelope {
  readonly from: MemberId
  readonly to: MemberId
  /**
   * The sender's term when it wrote the message (thesis 3.3). Exception: a pre-vote and its grant carry the term of
   * the election they ask about, which nobody has entered yet.
   */
  readonly term: Term
}

interface Ballot extends Envelope {
  /** Last entry of the candidate's log: only a log at least as far ahead may win (thesis 3.6.1). */
  readonly lastIndex: LogIndex
  readonly lastTerm: Term
}

/** "Would you vote for me?" Asked before raising the term, so that a member cut off does not disrupt (thesis 9.6). */
export interface PreVote extends Ballot {
  readonly type: 'preVote'
}
/** Binds nobody. Granted: `term` is the one asked about. Refused: the answerer's own. */
export interface PreVoteAnswer extends Envelope {
  readonly type: 'preVoteAnswer'
  readonly granted: boolean
}

/** A candidate asks for a vote (thesis 3.4). Leaves after the candidate's own vote is durable. */
export interface Vote extends Ballot {
  readonly type: 'vote'
  /** The old leader wants this election (thesis 3.10): a member that hears the leader answers nevertheless. */
  readonly force: boolean
}
/** Leaves after the vote is durable: a vote forgotten over a crash could be given twice (thesis 3.8). */
export interface VoteAnswer extends Envelope {
  readonly type: 'voteAnswer'
  readonly granted: boolean
}

/** Entries after (`prevIndex`, `prevTerm`), maybe none: then it tells `commit` or probes (thesis 3.5). */
export interface Append extends Envelope {
  readonly type: 'append'
  /** The follower takes the entries only when its entry here has term `prevTerm`: the induction step of log matching. */
  readonly prevIndex: LogIndex
  readonly prevTerm: Term
  /** Contiguous from `prevIndex + 1`. */
  readonly entries: readonly Entry[]
  /** The leader's commit index; the follower may believe it up to the last entry that this message covers. */
  readonly commit: LogIndex
}
/** Leaves after the entries are durable: the leader counts it for the commit (thesis 3.8). */
export interface AppendAnswer extends Envelope {
  readonly type: 'appendAnswer'
  /** Accepted: this log equals the leader's up to here. Refused: `prevIndex` of the refused message. */
  readonly index: LogIndex
  readonly refused: ConflictHint | undefined
}
/**
 * Where the logs may agree: the refusing log's last entry at or below `prevIndex` whose term is not above `prevTerm`.
 * The leader skips everything of its own log above that term at once (thesis 3.5, "optimized").
 */
export interface ConflictHint {
  readonly index: LogIndex
  readonly term: Term
}

/** Keeps the follower from an election; carries what needs no log (thesis 3.4). */
export interface Heartbeat extends Envelope {
  readonly type: 'heartbeat'
  /** Never above what the leader knows this follower to hold. */
  readonly commit: LogIndex
  /** Latest read round of this leader in this term; 0 = none yet (thesis 6.4). */
  readonly round: number
}
/** "In this term, when your round began, you were still the leader to me." */
export interface HeartbeatAnswer extends Envelope {
  readonly type: 'heartbeatAnswer'
  readonly round: number
}

/**
 * The follower needs entries that the leader no longer keeps (thesis 5.3). The driver moves the data beside it, hands
 * this message to the receiver only when the data is complete and checked, and tells the sender with `reportSnapshot`.
 * It may send newer data than named, with `snapshot` changed to match.
 */
export interface InstallSnapshot extends Envelope {
  readonly type: 'snapshot'
  readonly snapshot: Snapshot
}

/** "Start an election now": the last step of a leadership transfer (thesis 3.10). */
export interface TimeoutNow extends Envelope {
  readonly type: 'timeoutNow'
}

/** A follower asks for an index that makes a read linearizable (thesis 6.4). */
export interface ReadIndex extends Envelope {
  readonly type: 'readIndex'
  /** Names the request at its sender, who never uses it again, after a restart neither. */
  readonly context: string
}
/** Every write acknowledged before the request was sent is at or below `index`. */
export interface ReadIndexAnswer extends Envelope {
  readonly type: 'readIndexAnswer'
  readonly context: string
  /** `undefined`: refused, ask again. */
  readonly index: LogIndex | undefined
}

export type Message =
  | PreVote
  | PreVoteAnswer
  | Vote
  | VoteAnswer
  | Append
  | AppendAnswer
  | Heartbeat
  | HeartbeatAnswer
  | InstallSnapshot
  | TimeoutNow
  | ReadIndex
  | ReadIndexAnswer
