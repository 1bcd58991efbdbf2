/**
 * What a leader knows of one member's log (thesis 3.5: nextIndex, matchIndex), and how fast it may send.
 *
 *     probe ──accepted──▶ replicate          probe: one append at a time, until the logs are known to meet
 *       ▲ ▲──────refused──────┘ │            replicate: optimistic, many appends on their way
 *       │                       │            snapshot: nothing is sent until the snapshot's fate is known
 *       └───reported── snapshot ◀── needs entries that are gone
 */
import { createInflights, type InflightLimits, type Inflights } from './inflights.ts'
import { type LogIndex, larger, logIndex, shifted, smaller } from './types.ts'

export type ProgressState = 'probe' | 'replicate' | 'snapshot'

export interface Progress {
  state: ProgressState
  /** The member's durable log is known to equal the leader's up to here. Never decreases within a term. */
  match: LogIndex
  /** First entry to send next. `match < next`, always. */
  next: LogIndex
  /** The commit index last sent: it travels again only when it has risen. */
  commitSent: LogIndex
  /** Probe only: the one append is on its way; a heartbeat's answer allows the next. */
  probeSent: boolean
  /** Snapshot only: the index being streamed; the log is sent again from the next one on. Else 0. */
  pendingSnapshot: LogIndex
  /** Heard from since the last quorum check (thesis 6.2). */
  recentlyActive: boolean
  /** Latest read round confirmed (thesis 6.4). Never decreases within a term. */
  round: number
  readonly inflights: Inflights
}

const none = logIndex(0)

/** A member about which nothing is known: probing starts at `next`. */
export function createProgress(next: LogIndex, limits: InflightLimits): Progress {
  return {
    state: 'probe',
    match: none,
    next,
    commitSent: none,
    probeSent: false,
    pendingSnapshot: none,
    recentlyActive: false,
    round: 0,
    inflights: createInflights(limits),
  }
}

/** True while no entries may be sent. */
export function isPaused(progress: Progress): boolean {
  switch (progress.state) {
    case 'probe':
      return progress.probeSent
    case 'replicate':
      return progress.inflights.full()
    case 'snapshot':
      return true
  }
}

/** One append at a time until the member has said where its log ends. */
export function becomeProbe(progress: Progress): void {
  progress.next = shifted(larger(progress.match, progress.pendingSnapshot), 1)
  enter(progress, 'probe')
}

/** The member's log is known to match: appends flow ahead of its answers. */
export function becomeReplicate(progress: Progress): void {
  enter(progress, 'replicate')
  progress.next = shifted(progress.match, 1)
}

/** What the member lacks is no longer in the log: nothing is appended until it has the state at `index`. */
export function becomeSnapshot(progress: Progress, index: LogIndex): void {
  enter(progress, 'snapshot')
  progress.pendingSnapshot = index
}

function enter(progress: Progress, state: ProgressState): void {
  progress.state = state
  progress.probeSent = false
  progress.pendingSnapshot = none
  progress.commitSent = none
  progress.inflights.clear()
}

/** Notes entries (maybe none) that have just been sent from `next` on. */
export function noteSent(progress: Progress, count: number, bytes: number, commit: LogIndex): void {
  progress.commitSent = commit
  if (progress.state === 'probe') progress.probeSent = true
  if (progress.state !== 'replicate' || count === 0) return
  progress.next = shifted(progress.next, count)
  progress.inflights.add(shifted(progress.next, -1), bytes)
}

/** Takes an acceptance up to `index`. False: nothing new (an old message). */
export function acceptTo(progress: Progress, index: LogIndex): boolean {
  if (index <= progress.match) return false
  progress.match = index
  progress.next = larger(progress.next, shifted(index, 1))
  progress.probeSent = false
  return true
}

/**
 * Takes a refusal of an append after `refused`; the logs may meet at `candidate`. False: an old message, answered by
 * what came since.
 */
export function backtrack(progress: Progress, refused: LogIndex, candidate: LogIndex): boolean {
  if (progress.state === 'replicate') {
    if (refused <= progress.match) return false
    becomeProbe(progress)
    return true
  }
  if (progress.state !== 'probe' || progress.next - 1 !== refused) return false
  progress.next = larger(smaller(refused, shifted(candidate, 1)), shifted(progress.match, 1))
  progress.probeSent = false
  return true
}
