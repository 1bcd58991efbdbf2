/** What a member is opened with, and what it is when that says nothing. */
import type { Clock } from '../contract.ts'
import type { LogBounds } from '../log/log.ts'
import type { Identity } from './data-directory.ts'
import type { DutySettings } from './duties.ts'
import type { Machine } from './machine.ts'
import type { ReplicationOptions } from './plan.ts'
import { defaultQueueBounds, type QueueBounds } from './proposal-queue.ts'
import type { ReplicaSettings, Timing } from './replica-parts.ts'

export interface MemberOptions {
  /** Made when absent. One process at a time may have it open. */
  readonly dataDir: string
  readonly clock: Clock
  /** What the directory must belong to; a new one remembers it. Absent: whatever it has; a new one is for `cluster`. */
  readonly identity?: Identity
  /** How long history is kept at least, milliseconds; default five minutes. */
  readonly historyMs?: number
  /** Versions kept for history at most; default 250,000 (about 40 MB of memory). Beyond it history gets shorter. */
  readonly historyVersionsMax?: number
  /** Memory for the newest values, bytes; default 16 MiB. */
  readonly recentBytesMax?: number
  /** Proposals that may wait; what comes on top is refused as Unavailable. */
  readonly queue?: QueueBounds
  /** Log entries kept after they were applied. */
  readonly log?: LogBounds
  /** Other members; absent: this one is alone, and listens for none. */
  readonly replication?: ReplicationOptions
  /** Default: this one. Tests hand in one that fails. */
  readonly machine?: Machine
}

const defaultHistoryMs = 5 * 60_000
const aloneLogBounds: LogBounds = { keptEntriesMax: 256, keptBytesMax: 4 * 1024 * 1024 }
/** What a member misses within these bounds comes from the log, else by a snapshot. Memory of each member. */
const groupLogBounds: LogBounds = { keptEntriesMax: 8192, keptBytesMax: 32 * 1024 * 1024 }
/** An election begins 0.8 to 1.6 s after the leader was last heard; it is heard ten times a second. */
const defaultTiming: Omit<Timing, 'ticks'> = {
  tickMs: 50,
  electionTicks: 16,
  heartbeatTicks: 2,
  waitMaxMs: 5000,
}

/** Ticks only for a member that may have others. */
export function timingOf({ replication }: MemberOptions): Timing {
  return { ...defaultTiming, ...replication?.timing, ticks: replication !== undefined }
}

/** Bounds on memory; a member of a group keeps more of its log. */
export function replicaSettingsOf({ replication, ...options }: MemberOptions): ReplicaSettings {
  return {
    recentBytesMax: options.recentBytesMax ?? 16 * 1024 * 1024,
    queue: options.queue ?? defaultQueueBounds,
    log: options.log ?? (replication === undefined ? aloneLogBounds : groupLogBounds),
  }
}

/** How much history is kept. */
export function dutySettingsOf({ historyMs, historyVersionsMax }: MemberOptions): DutySettings {
  return {
    historyMs: historyMs ?? defaultHistoryMs,
    historyVersionsMax: historyVersionsMax ?? 250_000,
  }
}
