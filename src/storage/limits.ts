/** What storage may keep and how long it may wait. Source: specification, "Limits"; design, "One event". */
export interface StorageLimits {
  /** Longest wait for the cache to reach a revision, or to load; then ResourceVersionTooLarge or Unavailable. */
  readonly freshnessWaitMs: number
  /** Entries of one page when a cache loads, or a list reads the store. */
  readonly rangeEntriesMax: number
  /** Event window of one resource; the oldest go first, and watches from before it read the store's history. */
  readonly windowEventsMax: number
  readonly windowBytesMax: number
  readonly windowAgeMs: number
  /** Snapshots kept for the pages of lists, for each resource; the oldest go first, and their pages read the store. */
  readonly snapshotsMax: number
  readonly snapshotAgeMs: number
  /** Indexes over values of labels and fields, for each resource: the longest unused go first, all of them after a time. */
  readonly indexesMax: number
  readonly indexAgeMs: number
  /** Among fewer objects than these, a list by label looks at all. */
  readonly indexObjectsMin: number
  /** What a view keeps for watchers whose sockets are busy. A watcher that needs more is dropped. */
  readonly backlogEventsMax: number
  readonly backlogBytesMax: number
  /** Most bytes of one write to a watcher that catches up, or reads its initial state. */
  readonly sliceBytes: number
  /** Watches that may read the store's history at once, for each resource; more are answered 410 Expired. */
  readonly catchUpsMax: number
  /** What a watch may hold of the store's history before its client has read it; above it the watch is dropped. */
  readonly catchUpBytesMax: number
  /** Time between bookmarks of a watch, ± a quarter. */
  readonly bookmarkIntervalMs: number
  /** A last bookmark goes out this long before the timeout. */
  readonly bookmarkBeforeTimeoutMs: number
  /** Timeouts, bookmarks and expiries come up to this much late, so that many share a timer. */
  readonly timerResolutionMs: number
  /** First and longest pause before the cache asks the store again after a failure. */
  readonly retryMinMs: number
  readonly retryMaxMs: number
}

export const defaultLimits: StorageLimits = {
  freshnessWaitMs: 3_000,
  rangeEntriesMax: 500,
  windowEventsMax: 10_000,
  windowBytesMax: 16 * 1024 * 1024,
  windowAgeMs: 5 * 60_000,
  snapshotsMax: 16,
  snapshotAgeMs: 75_000,
  indexesMax: 4,
  indexAgeMs: 5 * 60_000,
  indexObjectsMin: 64,
  backlogEventsMax: 10_000,
  backlogBytesMax: 16 * 1024 * 1024,
  sliceBytes: 256 * 1024,
  catchUpsMax: 64,
  catchUpBytesMax: 16 * 1024 * 1024,
  bookmarkIntervalMs: 60_000,
  bookmarkBeforeTimeoutMs: 2_000,
  timerResolutionMs: 250,
  retryMinMs: 20,
  retryMaxMs: 2_000,
}
