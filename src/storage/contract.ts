/**
 * Objects of one resource as the verbs see them: reads from this worker's watch cache, writes guarded by revision,
 * watches fanned out as shared bytes. Source: design, "Bytes, not objects", "One event", "Reads and resource
 * versions"; specification, "Resource versions".
 *
 * Time, for one resource (revisions grow to the right; the counter is the whole store's, so there are gaps):
 *
 *        compacted        window starts                  cache at        quorum at
 *     ───────┼──────────────────┼──────────────────────────┼───────────────┼──▶ revision
 *     410 Expired │ store history (catch-up) │ window of events │ wait (read index) │ 504 too large
 */

import type {
  CommitFailure,
  Compacted,
  Corrupt,
  Guard,
  Key,
  Result,
  Revision,
  Unavailable,
  Unknown,
} from '../../store/contract.ts'
import type { ResponseStream } from '../pipeline/exchange.ts'
import type { StorageIdentity } from '../types/resource.ts'
import type { Claim, ClaimChanges } from './claims.ts'

/** `namespace` is '' for cluster-scoped objects. */
export interface ObjectName {
  readonly namespace: string
  readonly name: string
}

/** What a map of an object's labels is asked. */
export interface Labels extends Iterable<readonly [name: string, value: string]> {
  get(name: string): string | undefined
  has(name: string): boolean
}

/** One object as the cache keeps it: bytes, never parsed. Immutable and shared by every reader. */
export interface CachedObject {
  readonly key: Key
  readonly namespace: string
  readonly name: string
  /** Revision of the last write; for the object of a DELETED event, of the deletion. */
  readonly revision: Revision
  /** The JSON text of the storage version, `metadata.resourceVersion` filled in. Read only. */
  readonly json: Buffer
  /** Parsed on first use. */
  labels(): Labels
  /** Value of a selectable field; '' when the object has none of that name. */
  field(name: string): string
  /** True = to write the same object again would change what is stored: it is of an older version. */
  readonly isStale?: boolean
}

/** How new a read must be. Source: specification, the table of get and list semantics. */
export type Freshness =
  | { readonly type: 'mostRecent' }
  | { readonly type: 'any' }
  | { readonly type: 'notOlderThan'; readonly revision: Revision }

/** One requirement of a label or field selector. `values` is empty for exists and doesNotExist. */
export interface Requirement {
  readonly name: string
  readonly operator: 'in' | 'notIn' | 'exists' | 'doesNotExist' | 'greaterThan' | 'lessThan'
  readonly values: readonly string[]
}

/** All requirements must hold. Both empty = everything. */
export interface Selector {
  readonly labels: readonly Requirement[]
  readonly fields: readonly Requirement[]
}

/** What a list reads. Source: specification, the list table; the verdict is made by `listStart`. */
export type ListStart =
  | Freshness
  | { readonly type: 'exact'; readonly revision: Revision }
  | { readonly type: 'continue'; readonly token: string }

export interface ListRequest {
  /** Absent = all namespaces (or cluster-scoped). */
  readonly namespace?: string
  readonly selector: Selector
  readonly start: ListStart
  /** Most items of this page; absent = all. ≥ 1. */
  readonly limit?: number
}

export interface ListPage {
  /** In key order. */
  readonly items: readonly CachedObject[]
  /** `metadata.resourceVersion` of the collection; constant over the pages of one list. */
  readonly revision: Revision
  /** Present when more items follow. */
  readonly continueToken?: string
  /** Present when more items follow and no selector was used. */
  readonly remainingItemCount?: number
}

export type EventType = 'ADDED' | 'MODIFIED' | 'DELETED'

/**
 * How objects of a watch are written. Two watches with equal `id` over the same view get the same bytes: `event` is
 * called once for both.
 */
export interface Representation {
  readonly id: string
  /** One whole frame of the stream, e.g. `{"type":"ADDED","object":{…}}\n`. */
  event(type: EventType, object: CachedObject): Buffer
  /** A BOOKMARK frame; `initialEventsEnd` marks the end of the synthetic events of a watch list. */
  bookmark(revision: Revision, initialEventsEnd: boolean): Buffer
  /** An ERROR frame with the Status of this failure. */
  error(failure: WatchEnd): Buffer
  /** Of objects that are shown in another form than the one that is stored: it is made before `event` is called. */
  readonly forms?: Forms
}

/** Objects in the form in which they are shown. */
export interface Forms {
  /** Makes the forms of these; at once, or later where somebody else has to be asked. */
  prepare(objects: readonly CachedObject[]): Prepared | Promise<Prepared>
  /** `departed` is `object` at its deletion: its form follows from that of `object`, where that is there. */
  derive(object: CachedObject, departed: CachedObject): void
}

export type Prepared = Result<void, ConversionFailed>

/** Source: specification, the table of watch semantics, and `sendInitialEvents`. */
export type WatchStart =
  /** Synthetic ADDED events of the state first, then changes. */
  | { readonly type: 'state'; readonly freshness: Freshness; readonly initialEventsEndBookmark: boolean }
  /** Changes only, from a state at least this new on: `sendInitialEvents=false`. */
  | { readonly type: 'now'; readonly freshness: Freshness }
  /** Changes after `revision` only. */
  | { readonly type: 'after'; readonly revision: Revision }

export interface WatchRequest {
  readonly namespace?: string
  /** Watch of a single item. */
  readonly name?: string
  readonly selector: Selector
  readonly start: WatchStart
  /** Send BOOKMARK frames now and then. */
  readonly bookmarks: boolean
  readonly timeoutMs: number
  readonly representation: Representation
}

/** Why a watch is over, where the client is told inside the stream. */
export type WatchEnd = Compacted | Unavailable | Corrupt | ConversionFailed

export interface ActiveWatch {
  /** Resolves when it has sent the state that it begins with, or is over; undefined = it has already. */
  stateSent(): Promise<void> | undefined
  /** The client has gone, or the server stops: ends the stream. Idempotent. */
  close(): void
}

/** What a write stores. Made by `encodeRecord` (`src/storage/record.ts`). */
export interface NewRecord {
  /** The stored form: header, labels and fields, JSON with a hole for the resource version. */
  readonly record: Buffer
  readonly ttlMs?: number
  /** Taken and freed with the write, or not at all. */
  readonly claims?: ClaimChanges
  /** Hold when it is written, or it is not: then what it was made by is outdated. */
  readonly guards?: readonly Guard[]
}

/** The revision asked for is ahead of the cluster's, and did not come within the wait. */
export type ResourceVersionTooLarge = {
  readonly code: 'ResourceVersionTooLarge'
  readonly requested: Revision
  readonly current: Revision
}
/** A continue token that this server did not make, or made for another resource. */
type BadContinueToken = { readonly code: 'BadContinueToken' }
/** The object moved or went away since `base`; `current` is what is there now. */
export type Moved = { readonly code: 'Moved'; readonly current: CachedObject | undefined }

/** An object cannot be shown in the version that is asked for. `message` is for the client. */
export type ConversionFailed = { readonly code: 'ConversionFailed'; readonly message: string }

/** Another object holds what the write was to take. */
export type Claimed = { readonly code: 'Claimed'; readonly claim: Claim }

/**
 * A paged list whose version is compacted; `freshContinueToken` continues at the newest version after the same key,
 * so that a client may accept an inconsistent rest.
 */
export type ListExpired = {
  readonly code: 'ListExpired'
  readonly requested: Revision
  readonly oldest: Revision
  readonly freshContinueToken?: string
}

export type StorageReadFailure =
  | ResourceVersionTooLarge
  | ListExpired
  | BadContinueToken
  | ConversionFailed
  | Unavailable
  | Corrupt
/** One of the guards of a new record does not hold any more. */
type Outdated = { readonly code: 'Outdated' }

export type StorageWriteFailure =
  | Moved
  | Claimed
  | Outdated
  | ConversionFailed
  | Exclude<CommitFailure, { code: 'GuardFailed' }>
  | Unavailable
  | Unknown

/** The objects of one resource. One for each worker and resource; starts its cache on first use. */
export interface ResourceStorage {
  /** undefined = there is no such object at that freshness. */
  get(name: ObjectName, freshness: Freshness): Promise<Result<CachedObject | undefined, StorageReadFailure>>
  /**
   * The object as the cache has it, without waiting for the quorum; the base of an update, whose guard proves it
   * right. Waits only for the first load of the cache.
   */
  cached(name: ObjectName): Promise<Result<CachedObject | undefined, StorageReadFailure>>
  /** The object as the cache has it, in this turn. undefined = it is not there, or the cache is not loaded: ask {@link cached}. */
  peek(name: ObjectName): CachedObject | undefined
  list(request: ListRequest): Promise<Result<ListPage, StorageReadFailure>>
  /**
   * Starts a watch whose frames go to the stream made by `open`. `open` is called once, when the watch can start;
   * failures before that are answered as a normal error. Later failures are ERROR frames, then the end.
   */
  watch(request: WatchRequest, open: () => ResponseStream): Promise<Result<ActiveWatch, StorageReadFailure>>
  /** Fails with Moved when the name is taken. */
  create(name: ObjectName, newRecord: NewRecord): Promise<Result<CachedObject, StorageWriteFailure>>
  /** Fails with Moved when the object is no longer at `base`. */
  replace(
    name: ObjectName,
    base: Revision,
    newRecord: NewRecord,
  ): Promise<Result<CachedObject, StorageWriteFailure>>
  /** Removes it from the store, and frees its claims. The result is the object as DELETED events show it. Fails with Moved. */
  remove(
    name: ObjectName,
    base: CachedObject,
    claims?: ClaimChanges,
  ): Promise<Result<CachedObject, StorageWriteFailure>>
}

/** All storage of one worker. */
export interface Storage {
  resource(identity: StorageIdentity): ResourceStorage
  /** Ends the watches of a resource cleanly: what they show is another from now on. */
  endWatches(identity: StorageIdentity): void
  /**
   * The resource is served no longer, or its objects have another form: ends its watches cleanly, and gives back what
   * is kept of it when nobody can be in the middle of something any more. Whoever asks for it next gets another.
   */
  release(identity: StorageIdentity): void
  /** A quorum-confirmed revision, for health checks. */
  readIndex(): Promise<Result<Revision, Unavailable | Corrupt>>
  /** Names of the claims of a space that are taken, as far as this member knows. Costs their number. */
  claimed(space: string): Promise<Result<ReadonlySet<string>, Unavailable | Corrupt>>
  /** Ends all watches cleanly and stops the caches. */
  close(): Promise<void>
}
