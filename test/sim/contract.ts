/**
 * What a simulation needs of a member, and what it hands to one. The simple member of this folder (member.ts) drives
 * the real core over a simulated log and state machine; a member with the store's own log and state machine can take
 * its place by another MemberFactory.
 */
import type { MembershipRequest } from '../../store/raft/membership.ts'
import type { Message } from '../../store/raft/message.ts'
import type { RaftLimits } from '../../store/raft/options.ts'
import type { Ready } from '../../store/raft/ready.ts'
import type { Rules } from '../../store/raft/rules.ts'
import type { RaftStatus } from '../../store/raft/status.ts'
import type { Configuration, Entry, HardState, LogIndex, MemberId, Term } from '../../store/raft/types.ts'
import type { KvEvent, KvImage, PutResult, Stored } from './kv.ts'
import type { Random } from './prng.ts'

/** A state machine on disk, and as it is streamed to others. */
export interface Checkpoint {
  readonly index: LogIndex
  readonly term: Term
  readonly configuration: Configuration
  readonly kv: KvImage
}

export interface PutRequest {
  readonly key: string
  readonly value: number
  readonly guard: number | undefined
}

export type PutAnswer =
  | PutResult
  /** Certainly not done. */
  | { readonly type: 'refused'; readonly leader: MemberId | undefined }
  | { readonly type: 'unknown' }

export type ReadAnswer =
  | { readonly type: 'value'; readonly current: Stored | undefined }
  | { readonly type: 'refused' }

export interface WatchListener {
  onEvents(events: readonly KvEvent[]): void
  /** Events from `from` on are compacted: list and watch again. `list` is the state to go on from. */
  onCompacted(list: KvImage): void
}

export interface MemberUnderTest {
  /** `payload`: the streamed data of a snapshot message. */
  receive(message: Message, payload: Checkpoint | undefined): void
  tick(): void
  put(request: PutRequest, answer: (answer: PutAnswer) => void): void
  read(key: string, answer: (answer: ReadAnswer) => void): void
  /** Delivers events from `from` on. Returns its end. */
  watch(from: number, listener: WatchListener): () => void
  /** Leader only, else no change. */
  compact(revision: number): void
  changeMembership(request: MembershipRequest): void
  transferLeadership(to: MemberId): void
  /** Writes the state machine to disk and shortens the log. */
  checkpoint(): void
  snapshotSent(to: MemberId, delivered: boolean): void
  status(): RaftStatus
  revision(): number
  applied(): LogIndex
}

/** What the checks get to see. */
export interface Observer {
  /** At the start: what the disk gave back. */
  started(
    id: MemberId,
    before: { index: LogIndex; term: Term },
    entries: readonly Entry[],
    hardState: HardState,
  ): void
  ready(id: MemberId, ready: Ready): void
  applied(id: MemberId, entry: Entry, kvHash: number, event: KvEvent | undefined): void
  /** The state machine was replaced (also at the start). */
  restored(id: MemberId, checkpoint: Checkpoint): void
  trace(line: () => string): void
}

export interface MemberEnvironment {
  readonly id: MemberId
  readonly disk: Disk
  readonly random: Random
  readonly rules: Rules
  readonly faults: DriverFaults
  readonly observer: Observer
  readonly electionTicks: number
  readonly limits: Partial<RaftLimits>
  /** Entries that stay in memory and on disk below a checkpoint. */
  readonly keptEntries: number
  send(message: Message, payload: Checkpoint | undefined): void
}

export type MemberFactory = (environment: MemberEnvironment) => MemberUnderTest

/** One atomic write. */
export interface DiskBatch {
  readonly hardState?: HardState | undefined
  readonly entries?: readonly Entry[]
  /** Replaces state machine and log. */
  readonly snapshot?: Checkpoint | undefined
  /** Replaces the state machine. */
  readonly checkpoint?: Checkpoint
  readonly compactTo?: LogIndex
}

export interface DiskImage {
  readonly hardState: HardState
  readonly checkpoint: Checkpoint
  /** Index and term before `entries`. */
  readonly before: { readonly index: LogIndex; readonly term: Term }
  readonly entries: readonly Entry[]
}

export interface Disk {
  /** What a restart finds. */
  read(): DiskImage
  /** `done` comes later, in the order of the writes. Unsynced writes may be lost in a crash after it. */
  write(batch: DiskBatch, sync: boolean, done: () => void): void
}

/** Deliberate mistakes of a driver. */
export interface DriverFaults {
  readonly forgetVote: boolean
  readonly answerBeforeSync: boolean
  readonly answerAtAppend: boolean
  readonly serveAfterStepDown: boolean
  readonly readBeforeApplied: boolean
  readonly applyOutOfOrder: boolean
  readonly answerReplaced: boolean
  readonly trustTornBatch: boolean
  readonly dropEventAtCompaction: boolean
  readonly hideCompaction: boolean
  readonly loseEventsAtSnapshot: boolean
}
