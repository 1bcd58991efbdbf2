/** What a core is made from, with the ranges it accepts. */
import { invariant } from './invariant.ts'
import { type Rules, raftRules } from './rules.ts'
import type { Storage } from './storage.ts'
import type { MemberId } from './types.ts'

export interface RaftOptions {
  readonly id: MemberId
  readonly storage: Storage
  /**
   * Ticks without a leader before an election; each wait is drawn anew from [electionTicks, 2 × electionTicks)
   * (thesis 3.4). Also the lease within which a member ignores other candidates, and the span in which a leader must
   * hear from a quorum (thesis 6.2, 4.2.3). Above 2 × heartbeatTicks.
   */
  readonly electionTicks: number
  /** Ticks between heartbeats, ≥ 1. */
  readonly heartbeatTicks: number
  /** A number in [0, below), below ≥ 1: the core's only chance. */
  random(below: number): number
  readonly limits?: Partial<RaftLimits>
  /** Tests only: broken rules, to show that the checks around the core catch them. */
  readonly rules?: Rules
}

export interface RaftLimits {
  /** Entries of one append message; one entry may exceed it. */
  readonly appendBytesMax: number
  /** Unanswered appends to one follower; then it waits (thesis 10.2.2). */
  readonly inflightCountMax: number
  readonly inflightBytesMax: number
  /** Entries proposed and not committed; further proposals are refused. One proposal may exceed it. */
  readonly uncommittedBytesMax: number
  /** Committed entries of one ready batch; one entry may exceed it. */
  readonly applyBytesMax: number
  /** Reads that wait for a round or its confirmation; further ones are refused. */
  readonly readsPendingMax: number
  /** A learner this many entries or fewer behind the leader may be promoted (thesis 4.2.1). */
  readonly promotionLagEntriesMax: number
}

const defaultLimits: RaftLimits = {
  appendBytesMax: 1 << 20,
  inflightCountMax: 256,
  inflightBytesMax: 16 << 20,
  uncommittedBytesMax: 64 << 20,
  applyBytesMax: 8 << 20,
  readsPendingMax: 4096,
  promotionLagEntriesMax: 1000,
}

/** The options as the core uses them. */
export interface RaftSettings extends RaftOptions {
  readonly limits: RaftLimits
  readonly rules: Rules
}

/** Fills in what was left out; throws on settings that cannot work together. */
export function settingsFrom(options: RaftOptions): RaftSettings {
  const limits = { ...defaultLimits, ...options.limits }
  const { electionTicks, heartbeatTicks } = options
  invariant(Number.isInteger(heartbeatTicks) && heartbeatTicks >= 1, `heartbeatTicks ${heartbeatTicks}`)
  invariant(
    Number.isInteger(electionTicks) && electionTicks > 2 * heartbeatTicks,
    `electionTicks ${electionTicks} must exceed twice heartbeatTicks ${heartbeatTicks}`,
  )
  for (const [name, value] of Object.entries(limits)) {
    invariant(Number.isSafeInteger(value) && value >= 1, `limit ${name} is ${value}`)
  }
  invariant(limits.inflightBytesMax >= limits.appendBytesMax, 'inflightBytesMax below appendBytesMax')
  return { ...options, limits, rules: options.rules ?? raftRules }
}
