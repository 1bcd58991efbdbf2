/** What a replica is made of. */
import type { Clock, Corrupt, Result, Unavailable } from '../contract.ts'
import type { Database, Write } from '../disk/database.ts'
import type { Log, LogBounds } from '../log/log.ts'
import type { State } from '../mvcc/state.ts'
import type { RaftOptions } from '../raft/options.ts'
import type { Raft } from '../raft/raft.ts'
import type { Entry, MemberId } from '../raft/types.ts'
import type { MemberRecord, Membership } from './membership.ts'
import type { QueueBounds } from './proposal-queue.ts'
import type { Transport } from './transport.ts'

/** Why a member serves no more. */
export type Stopped = Corrupt | Unavailable

export interface ReplicaSettings {
  readonly recentBytesMax: number
  readonly queue: QueueBounds
  readonly log: LogBounds
}

/** How time passes for the core. Defaults: open.ts. */
export interface Timing {
  /** False: nobody else takes part, ever, in this run. */
  readonly ticks: boolean
  readonly tickMs: number
  readonly electionTicks: number
  readonly heartbeatTicks: number
  /** How long a request waits for a leader. */
  readonly waitMaxMs: number
}

/** A state as a database gives it back. */
export interface LoadedReplica {
  readonly state: State
  readonly appliedIndex: number
  readonly appliedTerm: number
  readonly membership: Membership
  readonly log: Log
  /** All that the log keeps. */
  readonly entries: readonly Entry[]
}

/** Takes an arrived state into use. */
export interface Installation {
  /**
   * Writes `writes` beside the arrived state, closes `current` and puts the arrived one in its place, durably.
   * Throws when no state has arrived: the core asks only for one that has.
   */
  install(current: Database, writes: readonly Write[]): Promise<Result<InstalledState, Stopped>>
}

export interface InstalledState extends Omit<LoadedReplica, 'log' | 'entries'> {
  readonly database: Database
}

export interface ReplicaParts {
  readonly id: MemberId
  readonly database: Database
  readonly loaded: LoadedReplica
  /** Of the data: time to live, history, flushing. */
  readonly clock: Clock
  readonly timing: Timing
  /** Of the core's ticks and the requests that wait. */
  readonly timers: Clock
  readonly settings: ReplicaSettings
  readonly transport: Transport
  readonly installation: Installation
  /** An integer in [0, below). */
  random(below: number): number
  /** Runs `action` in a later turn of the event loop. */
  defer(action: () => void): void
  createRaft(options: RaftOptions): Raft
  /** Called once, when the replica stops by itself. */
  onStop(failure: Stopped): void
  /** Called before `onStop`: from here on `isFailed()` is true. */
  onDiskFailed(): void
  /** Disk or state failed: nothing may be written or promised any more. */
  isFailed(): boolean
  /** A group of proposals was applied. */
  onApplied(): void
  /** A configuration was applied, or came with a state. */
  onMembership(membership: Membership): void
  /** Whom the core may have to reach: at the start, and when that changes. */
  onReachable(members: readonly MemberRecord[], nextId: number): void
}
