/**
 * The words of the Raft core. Sections cite D. Ongaro, "Consensus: Bridging Theory and Practice" (2014), "the thesis".
 */
import { invariant } from './invariant.ts'

declare const brand: unique symbol
type Branded<T, Name extends string> = T & { readonly [brand]: Name }

/** Logical time: rises with every election, at most one leader for each (thesis 3.3). 0 = before the first. */
export type Term = Branded<number, 'Term'>

/** Position in the replicated log; the first entry has 1, 0 = before it (thesis 3.3). Safe integer. */
export type LogIndex = Branded<number, 'LogIndex'>

/** One member of the cluster, never given to another, a removed one's neither (thesis 4.4). Safe integer ≥ 1. */
export type MemberId = Branded<number, 'MemberId'>

/** Mints a term; throws when `n` is not a safe integer ≥ 0. */
export function term(n: number): Term {
  invariant(Number.isSafeInteger(n) && n >= 0, `not a term: ${n}`)
  return n as Term
}

/** Mints a log index; throws when `n` is not a safe integer ≥ 0. */
export function logIndex(n: number): LogIndex {
  invariant(Number.isSafeInteger(n) && n >= 0, `not a log index: ${n}`)
  return n as LogIndex
}

/** Mints a member id; throws when `n` is not a safe integer ≥ 1. */
export function memberId(n: number): MemberId {
  invariant(Number.isSafeInteger(n) && n >= 1, `not a member id: ${n}`)
  return n as MemberId
}

/** The index `count` places after `index` (before it when negative). */
export function shifted(index: LogIndex, count: number): LogIndex {
  return logIndex(index + count)
}

export function smaller(a: LogIndex, b: LogIndex): LogIndex {
  return a < b ? a : b
}

export function larger(a: LogIndex, b: LogIndex): LogIndex {
  return a > b ? a : b
}

/**
 * `empty`: a new leader's first entry, changes nothing (thesis 6.4). `command`: bytes of the driver's.
 * `configuration`: `data` is an encoded {@link ConfigurationRecord} (configuration.ts).
 */
export type EntryType = 'empty' | 'command' | 'configuration'

/** One place of the log. Two entries with the same index and term are equal, and so are all before (thesis 3.5). */
export interface Entry {
  readonly index: LogIndex
  /** Term of the leader that made the entry; never decreases along the log. */
  readonly term: Term
  readonly type: EntryType
  /** Belongs to whoever made it: nobody writes into it afterwards. */
  readonly data: Uint8Array
}

/** Bytes that an entry counts for in every limit: its data and a fixed share for the frame around it. */
export function entryBytes(entry: Entry): number {
  return entry.data.byteLength + entryFrameBytes
}
const entryFrameBytes = 24

/**
 * The longest head of `entries` within `bytesMax`, but at least one entry when there is any: an entry larger than the
 * limit must still get through.
 */
export function headWithin(entries: readonly Entry[], bytesMax: number): readonly Entry[] {
  let bytes = 0
  for (const [i, entry] of entries.entries()) {
    bytes += entryBytes(entry)
    if (bytes > bytesMax && i > 0) return entries.slice(0, i)
  }
  return entries
}

/** What must survive a crash beside the log (thesis figure 3.1, "persistent state"). */
export interface HardState {
  /** Latest term seen. Never decreases. */
  readonly term: Term
  /** Whom this member voted for in `term`; at most one, and never taken back within the term (thesis 3.4). */
  readonly vote: MemberId | undefined
  /** Highest index known to be committed. May trail after a crash: a leader tells it again (thesis 3.8). */
  readonly commit: LogIndex
}

/**
 * Who takes part (thesis 4.3). Ids ascending, each list without repeats.
 * Not joint: `votersOutgoing` is empty. Joint: `voters` is the new majority group, `votersOutgoing` the old, and
 * elections and commits need a majority of each. A member in `learners` and in `votersOutgoing` becomes a learner
 * when the joint configuration is left.
 */
export interface Configuration {
  readonly voters: readonly MemberId[]
  readonly votersOutgoing: readonly MemberId[]
  /** Receive the log, count for nothing (thesis 4.2.1). */
  readonly learners: readonly MemberId[]
}

/** What a snapshot stands for: the state after applying every entry up to `index` (thesis 5.1). Data is the driver's. */
export interface Snapshot {
  readonly index: LogIndex
  readonly term: Term
  /** The latest configuration at or below `index`. */
  readonly configuration: Configuration
}
