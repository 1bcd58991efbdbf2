/**
 * The store contract: the one door between the resource API and the place where its state lives.
 *
 * Goals: say everything that a caller may rely on (revisions, atomicity, order, durability, which failure arises
 * when), so that several implementations can pass one suite (`test/store/contract-suite.ts`).
 * Non-goals: HTTP, resources, JSON. A value is bytes.
 *
 * The data, over time (K is a key; a commit is one column; `·` no change; `×` a tombstone):
 *
 *     revision      1     2     3     4     5
 *     K = a         A1    ·     A3    ·     ×        range at 4 sees A3, at 5 nothing
 *     K = b         ·     B2    ·     B4    ·        watch from 3 delivers A3, B4, ×a in this order
 *
 * After `compact(3)` revisions below 3 are gone: a range at 2 fails, a range at 3 works, a watch may start from 4.
 */

export type { Clock, Timer } from './clock.ts'

declare const brand: unique symbol
type Branded<T, Name extends string> = T & { readonly [brand]: Name }

/**
 * The store's one counter: +1 for each committed transaction that writes. 0 = before the first write.
 * Range: a safe integer (53 bits: a million writes a second for 285 years).
 */
export type Revision = Branded<number, 'Revision'>

/**
 * A key: 1–4096 bytes, written as a "binary string", one character (code 0–255) for each byte. So keys compare with
 * `<` in byte order, live in maps, and need no decoding; ASCII text is its own key. Mint with {@link key}.
 */
export type Key = Branded<string, 'Key'>

/** Longest key, in bytes. */
export const keyBytesMax = 4096
/** Largest value of one put, in bytes. The API refuses larger objects earlier, with a friendlier message. */
export const valueBytesMax = 1_572_864 + 65_536
/** Most operations, and most guards, of one transaction. */
export const transactionOpsMax = 1024

/** Most bytes of keys and values that the operations of one transaction put. */
export const transactionBytesMax = 8_388_608

/** Mints a revision; a bug (throws) when `n` is not a safe integer ≥ 0. */
export function revision(n: number): Revision {
  if (!Number.isSafeInteger(n) || n < 0) throw new TypeError(`not a revision: ${n}`)
  return n as Revision
}

/** Mints a key; a bug (throws) when `text` is empty, too long, or holds a character above code 255. */
export function key(text: string): Key {
  if (text.length === 0 || text.length > keyBytesMax) throw new TypeError(`key of ${text.length} bytes`)
  for (let i = 0; i < text.length; i++) {
    if (text.charCodeAt(i) > 255) throw new TypeError(`key is not a binary string: ${JSON.stringify(text)}`)
  }
  return text as Key
}

/** The smallest key after every key that starts with `prefix`: `keyAfterPrefix('a/') === 'a0'`. */
export function keyAfterPrefix(prefix: string): Key {
  let last = prefix.length - 1
  while (last >= 0 && prefix.charCodeAt(last) === 255) last--
  if (last < 0) throw new TypeError('no key lies after this prefix')
  return (prefix.slice(0, last) + String.fromCharCode(prefix.charCodeAt(last) + 1)) as Key
}

/** Either a value or a failure that the caller is expected to handle. Bugs throw instead. */
export type Result<T, F> =
  | { readonly ok: true; readonly value: T }
  | { readonly ok: false; readonly failure: F }

/** The result of a call that succeeded. */
export function ok<T>(value: T): { readonly ok: true; readonly value: T } {
  return { ok: true, value }
}

/** The result of a call that failed in a way that its caller is expected to handle. */
export function fail<F>(failure: F): { readonly ok: false; readonly failure: F } {
  return { ok: false, failure }
}

/**
 * One live key. `value` belongs to the store: read it, never write into it. It may be a slice of a buffer that many
 * values share (a group of commits, a frame from the link): copy what is small and kept for long.
 */
export interface KeyValue {
  readonly key: Key
  /** Empty when the range asked for keys only. */
  readonly value: Buffer
  /** Revision of the last put of this key. */
  readonly modRevision: Revision
}

/** Keys in `[start, end)`, byte order. */
export interface KeyRange {
  readonly start: Key
  readonly end: Key
}

export interface RangeRequest extends KeyRange {
  /** Most entries to return; absent = all. Must be ≥ 1. */
  readonly limit?: number
  /** Read the state as it was at this revision; absent = the member's applied state, which may trail the quorum. */
  readonly revision?: Revision
  readonly keysOnly?: boolean
}

export interface RangeResponse {
  /** In key order. */
  readonly entries: readonly KeyValue[]
  /** The revision that was read. */
  readonly revision: Revision
  /** True when `limit` cut the answer short. */
  readonly more: boolean
  /** Keys in the whole range at that revision, those beyond `limit` included. */
  readonly count: number
}

/** Holds when the key's modRevision equals `modRevision`; 0 = the key is absent. */
export interface Guard {
  readonly key: Key
  readonly modRevision: Revision
}

export type Operation =
  | {
      readonly type: 'put'
      readonly key: Key
      readonly value: Buffer
      /** Remove the key this long after the commit (milliseconds, ≥ 1000); a later put replaces or ends it. */
      readonly ttlMs?: number
    }
  | { readonly type: 'delete'; readonly key: Key }

/** All or nothing: every guard holds and every operation is applied at one revision, or nothing changes. */
export interface Transaction {
  readonly guards: readonly Guard[]
  /** At most one operation for each key. Deleting an absent key is no change. */
  readonly ops: readonly Operation[]
}

export interface CommitResponse {
  /** Revision of this transaction; the current one when it changed nothing. */
  readonly revision: Revision
}

export type StoreEvent =
  | {
      readonly type: 'put'
      readonly key: Key
      readonly value: Buffer
      readonly revision: Revision
      /** The value before, with its own modRevision; only when the watch asked for `previous`, absent on creation. */
      readonly previous?: KeyValue
    }
  | {
      readonly type: 'delete'
      readonly key: Key
      readonly revision: Revision
      readonly previous?: KeyValue
    }

/** Everything a watch has to know up to and including `revision`: its events (maybe none: progress) in order. */
export interface WatchBatch {
  readonly revision: Revision
  readonly events: readonly StoreEvent[]
}

export interface WatchRequest extends KeyRange {
  /** First revision to deliver. */
  readonly from: Revision
  /** Deliver each event with the value before it. */
  readonly previous?: boolean
}

export interface WatchListener {
  /**
   * Batches arrive with rising `revision`, without gap, duplicate or reordering; all events of one revision are in
   * one batch. Progress (no events) is delivered too, at the latest one event-loop turn after it is known.
   * Called synchronously: it must not throw and must not block.
   */
  onBatch(batch: WatchBatch): void
  /** The watch is over and delivers nothing more. Not called after `close()`. */
  onEnd(failure: WatchFailure): void
}

/** A running watch. `close()` ends it: nothing is delivered any more, `onEnd` neither. Idempotent. */
export interface Watch {
  close(): void
}

/** The revision is older than what is kept. */
export type Compacted = {
  readonly code: 'Compacted'
  /** What was asked for. */
  readonly requested: Revision
  /** The oldest revision that can be read. */
  readonly oldest: Revision
}
/** The revision is newer than what this store has applied. */
export type FutureRevision = {
  readonly code: 'FutureRevision'
  readonly requested: Revision
  readonly current: Revision
}
/** A guard does not hold: nothing was changed. */
export type GuardFailed = {
  readonly code: 'GuardFailed'
  /** The first guard that does not hold. */
  readonly key: Key
  readonly expected: Revision
  /** The key as it is now; absent = there is none. */
  readonly current?: KeyValue
  /** The store's revision at which `current` was read. */
  readonly revision: Revision
}
/** No leader or no link, nothing was done: try again. */
export type Unavailable = { readonly code: 'Unavailable'; readonly message: string }
/** The commit may or may not have happened: the link or the leader was lost in between. */
export type Unknown = { readonly code: 'Unknown'; readonly message: string }
/** Beyond a limit of this contract, nothing was changed. `what` names the limit, `found` and `limit` are counted in it. */
export type TooLarge = {
  readonly code: 'TooLarge'
  readonly found: number
  readonly limit: number
  readonly what: string
}
/** Stored bytes do not match their checksum. The store serves nothing more. */
export type Corrupt = { readonly code: 'Corrupt'; readonly where: string; readonly message: string }

export type ReadFailure = Compacted | FutureRevision | Unavailable | Corrupt
export type CommitFailure = GuardFailed | Unavailable | Unknown | TooLarge | Corrupt
export type WatchFailure = Compacted | FutureRevision | Unavailable | Corrupt
export type StoreFailure = ReadFailure | CommitFailure

/** What the health checks and metrics show of a member. */
export interface StoreStatus {
  /** Last applied revision. */
  readonly revision: Revision
  /** Oldest revision that can be read. */
  readonly oldest: Revision
  /** Live keys. */
  readonly keys: number
  /** Bytes of keys and values kept, history included. */
  readonly bytes: number
  /** Seconds, as (upper bound, cumulative count) pairs: how long durable batches took; and their number and sum. */
  readonly commits: CommitTimes
}

/** How long durable batches took, as a histogram; since the member started. */
export interface CommitTimes {
  readonly buckets: readonly (readonly [upperSeconds: number, cumulativeCount: number])[]
  readonly sumSeconds: number
  /** Durable batches (group commits). */
  readonly batches: number
  /** Transactions in them. */
  readonly transactions: number
}

export interface Store {
  /**
   * Reads a range, at a revision or as applied now.
   * Fails with Compacted below the oldest revision, FutureRevision above the applied one.
   */
  range(request: RangeRequest): Promise<Result<RangeResponse, ReadFailure>>

  /**
   * Commits a transaction. The answer comes after the change is durable on a quorum and applied here: a range, a
   * watch batch or a readIndex that follows the answer knows it.
   */
  commit(transaction: Transaction): Promise<Result<CommitResponse, CommitFailure>>

  /**
   * Starts a watch. `from` may be one past the current revision (only what comes) or older (history first), down to
   * the oldest readable revision + 1; below it ends with Compacted, further ahead with FutureRevision.
   */
  watch(request: WatchRequest, listener: WatchListener): Watch

  /**
   * A revision at least as new as every commit acknowledged, anywhere in the cluster, before this call: a read of
   * state at that revision is linearizable. Concurrent calls share one round.
   */
  readIndex(): Promise<Result<Revision, Unavailable | Corrupt>>

  /** Makes `revision` the oldest readable one. Nothing happens when it is older than that already. */
  compact(at: Revision): Promise<Result<void, FutureRevision | Unavailable | Unknown | Corrupt>>

  status(): Promise<Result<StoreStatus, Unavailable | Corrupt>>

  /** Ends watches (Unavailable) and releases files or links. Acknowledged commits are safe. Idempotent. */
  close(): Promise<void>
}
