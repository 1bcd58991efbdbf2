/**
 * The Lease as an election reads it: who holds it, since when, and whether another may take it. Pure.
 *
 *     absent ──▶ created by the first      held by me ──▶ renewed
 *     released (no holder) ──▶ taken       held by another ──unchanged for its duration──▶ taken
 *
 * Clocks of two processes are never compared: a lease has run out when this process has seen it unchanged for that
 * long. Source: Lease of coordination/v1 as client-go's leader election uses it.
 */

import type { JsonObject } from '../../json.ts'
import { objectAt, textAt } from '../../types/draft.ts'
import type { ApiObject } from '../../types/object.ts'

export interface LeaseRecord {
  /** '' = released. */
  readonly holder: string
  readonly durationSeconds: number
  readonly acquireTime: string
  readonly renewTime: string
  /** How often it went from one holder to another. */
  readonly transitions: number
}

/** A record and when this process first saw it. */
export interface Observation {
  readonly record: LeaseRecord
  /** Monotonic, milliseconds. */
  readonly sinceMs: number
}

/** What a lease says of who leads; empty values where it says nothing. */
export function readRecord(lease: ApiObject): LeaseRecord {
  const spec = objectAt(lease, 'spec')
  const { leaseDurationSeconds, leaseTransitions } = spec ?? {}
  return {
    holder: textAt(spec, 'holderIdentity'),
    durationSeconds: typeof leaseDurationSeconds === 'number' ? leaseDurationSeconds : 0,
    acquireTime: textAt(spec, 'acquireTime'),
    renewTime: textAt(spec, 'renewTime'),
    transitions: typeof leaseTransitions === 'number' ? leaseTransitions : 0,
  }
}

/** The `spec` of a Lease. */
export function recordSpec(record: LeaseRecord): JsonObject {
  return {
    ...(record.holder === '' ? {} : { holderIdentity: record.holder }),
    leaseDurationSeconds: record.durationSeconds,
    acquireTime: record.acquireTime,
    renewTime: record.renewTime,
    leaseTransitions: record.transitions,
  }
}

export function observe(
  before: Observation | undefined,
  record: LeaseRecord,
  monotonicMs: number,
): Observation {
  const same = before !== undefined && JSON.stringify(before.record) === JSON.stringify(record)
  return same ? before : { record, sinceMs: monotonicMs }
}

interface Candidate {
  readonly identity: string
  readonly durationSeconds: number
  /** Now, with microseconds, as leases carry times. */
  readonly now: string
  readonly monotonicMs: number
}

/** What the candidate may write; undefined = another holds the lease. */
export function claim({ record, sinceMs }: Observation, candidate: Candidate): LeaseRecord | undefined {
  const { identity: holder, durationSeconds, now, monotonicMs } = candidate
  if (record.holder === holder) return { ...record, durationSeconds, renewTime: now }
  const runsOutMs = sinceMs + record.durationSeconds * 1000
  if (record.holder !== '' && monotonicMs < runsOutMs) return undefined
  return { holder, durationSeconds, acquireTime: now, renewTime: now, transitions: record.transitions + 1 }
}

/** What the holder leaves behind, so that nobody has to wait. */
export function released(record: LeaseRecord, now: string): LeaseRecord {
  return { ...record, holder: '', durationSeconds: 1, acquireTime: now, renewTime: now }
}

/** RFC 3339 with microseconds. */
export function microTime(wallMs: number): string {
  return new Date(wallMs).toISOString().replace('Z', '000Z')
}
