/** What storage counts, as plain numbers: others export them. All only grow, unless said otherwise. */
export interface ResourceCounters {
  /** Now. Objects in the cache. */
  objects: number
  /** Now. Revision that the cache has reached. */
  revision: number
  /** Now. Events in the window, and bytes of their objects. */
  windowEvents: number
  windowBytes: number
  /** Times the cache was read from the store: 1, unless it lost its place. */
  loads: number
  /** Events that the cache took from the store. */
  events: number
  /** How often a view has looked at an event, and what of it views have shown, each framed once. */
  eventsJudged: number
  eventsFramed: number
  /** Frames handed to watchers, and their bytes. */
  eventsDelivered: number
  bytesDelivered: number
  /** Those of them that are up to 1 KiB, 2 KiB ... 128 KiB large, and larger: events of a frame by their mean. */
  readonly eventsBySize: number[]
  bookmarks: number
  /** Now. */
  watchers: number
  views: number
  /** Watchers dropped because they were too slow. */
  watchersDropped: number
  /** Watchers ended because history was lost (410). */
  watchersExpired: number
  /** Watches that read the store's history first. */
  catchUps: number
  lists: number
  listItems: number
  /** Lists and initial states that an index has found the objects of. */
  indexHits: number
  /** Pages and exact lists served from a kept snapshot, from the window rolled back, from the store. */
  snapshotHits: number
  rollbacks: number
  storeReads: number
}

/** Bytes. */
export const eventSizeBounds: readonly number[] = Array.from({ length: 8 }, (_, power) => 1024 * 2 ** power)

/** Which of {@link ResourceCounters.eventsBySize} an event of this many bytes belongs to. */
export function eventSizeAt(bytes: number): number {
  return Math.min(eventSizeBounds.length, 32 - Math.clz32((Math.max(1, Math.ceil(bytes)) - 1) >>> 10))
}

export function createCounters(): ResourceCounters {
  return {
    objects: 0,
    revision: 0,
    windowEvents: 0,
    windowBytes: 0,
    loads: 0,
    events: 0,
    eventsJudged: 0,
    eventsFramed: 0,
    eventsDelivered: 0,
    bytesDelivered: 0,
    eventsBySize: new Array(eventSizeBounds.length + 1).fill(0),
    bookmarks: 0,
    watchers: 0,
    views: 0,
    watchersDropped: 0,
    watchersExpired: 0,
    catchUps: 0,
    lists: 0,
    listItems: 0,
    indexHits: 0,
    snapshotHits: 0,
    rollbacks: 0,
    storeReads: 0,
  }
}
