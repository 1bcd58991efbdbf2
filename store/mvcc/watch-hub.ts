import type { KeyRange, Revision, StoreEvent, WatchFailure, WatchListener } from '../contract.ts'

/** A watch that has caught up. */
export interface LiveWatch {
  readonly range: KeyRange
  readonly previous: boolean
  readonly listener: WatchListener
}

/** Makes the event of a change; `previous` = with the value before. */
export interface PendingEvent {
  readonly key: string
  event(previous: boolean): StoreEvent
}

interface Segment {
  readonly start: string
  readonly watches: readonly LiveWatch[]
}

/**
 * Delivers each applied group to the watches it concerns, and progress to the rest. The ranges of all watches cut the
 * keys into segments, so that an event finds its watches by one binary search however many there are.
 */
export class WatchHub {
  readonly #watches = new Set<LiveWatch>()
  /** Rebuilt when watches come or go. */
  #segments: readonly Segment[] | undefined

  get size(): number {
    return this.#watches.size
  }

  add(watch: LiveWatch): void {
    this.#watches.add(watch)
    this.#segments = undefined
  }

  delete(watch: LiveWatch): void {
    if (this.#watches.delete(watch)) this.#segments = undefined
  }

  /** Removes and returns every watch. */
  takeAll(): LiveWatch[] {
    const taken = [...this.#watches]
    this.#watches.clear()
    this.#segments = undefined
    return taken
  }

  publish(revision: Revision, changes: readonly PendingEvent[]): void {
    if (this.#watches.size === 0) return
    this.#segments ??= segmentsOf([...this.#watches])
    const events = new Map<LiveWatch, StoreEvent[]>()
    for (const change of changes) {
      for (const watch of segmentAt(this.#segments, change.key)?.watches ?? []) {
        const event = change.event(watch.previous)
        const earlier = events.get(watch)
        if (earlier === undefined) events.set(watch, [event])
        else earlier.push(event)
      }
    }
    const progress = { revision, events: [] }
    for (const watch of [...this.#watches]) {
      // A listener may have closed another watch meanwhile.
      if (!this.#watches.has(watch)) continue
      const own = events.get(watch)
      watch.listener.onBatch(own === undefined ? progress : { revision, events: own })
    }
  }

  endAll(failure: WatchFailure): void {
    const ended = [...this.#watches]
    for (const watch of ended) {
      if (!this.#watches.delete(watch)) continue
      watch.listener.onEnd(failure)
    }
    this.#segments = undefined
  }
}

function segmentsOf(watches: readonly LiveWatch[]): readonly Segment[] {
  const bounds = new Set<string>()
  for (const { range } of watches) bounds.add(range.start).add(range.end)
  const starts = [...bounds].sort((a, b) => (a < b ? -1 : 1))
  const covering: LiveWatch[][] = starts.map(() => [])
  const places = new Map(starts.map((start, i) => [start, i]))
  for (const watch of watches) {
    const end = places.get(watch.range.end) ?? 0
    for (let i = places.get(watch.range.start) ?? 0; i < end; i++) covering[i]?.push(watch)
  }
  return starts.map((start, i) => ({ start, watches: covering[i] ?? [] }))
}

function segmentAt(segments: readonly Segment[], key: string): Segment | undefined {
  let low = 0
  let high = segments.length
  while (low < high) {
    const middle = (low + high) >>> 1
    const segment = segments[middle]
    if (segment !== undefined && segment.start <= key) low = middle + 1
    else high = middle
  }
  return segments[low - 1]
}
