/**
 * The latest events of a resource, bounded by number, bytes and age.
 *
 *       start          events, rising revision          newest
 *     ────┼──────────────e1────e2──e2───e5──────────────────▶
 *     complete for every revision ≥ start: `after(r)` is exactly what happened after r
 */

import type { Revision } from '../../../store/contract.ts'
import type { CacheEvent } from './event.ts'

interface WindowLimits {
  readonly windowEventsMax: number
  readonly windowBytesMax: number
  readonly windowAgeMs: number
}

export class EventWindow {
  readonly #limits: WindowLimits
  #events: CacheEvent[] = []
  #timesMs: number[] = []
  /** Events below this index are dropped; they leave the arrays in bulk. */
  #first = 0
  #start: Revision
  #bytes = 0

  constructor(limits: WindowLimits, start: Revision) {
    this.#limits = limits
    this.#start = start
  }

  /** Oldest revision after which all events are known. */
  get start(): Revision {
    return this.#start
  }

  get count(): number {
    return this.#events.length - this.#first
  }

  get bytes(): number {
    return this.#bytes
  }

  /** Time of the oldest event, for the caller's timer. */
  get oldestMs(): number | undefined {
    return this.#timesMs[this.#first]
  }

  push(event: CacheEvent, nowMs: number): void {
    this.#events.push(event)
    this.#timesMs.push(nowMs)
    this.#bytes += event.bytes
    this.trim(nowMs)
  }

  /** Drops what is above the limits. All events of a revision go together, so that `start` stays true. */
  trim(nowMs: number): void {
    const { windowEventsMax, windowBytesMax, windowAgeMs } = this.#limits
    while (
      this.count > windowEventsMax ||
      this.#bytes > windowBytesMax ||
      nowMs - (this.oldestMs ?? nowMs) >= windowAgeMs
    ) {
      const event = this.#events[this.#first]
      if (event === undefined) break
      this.#first++
      this.#bytes -= event.bytes
      this.#start = event.revision
    }
    if (this.#first > 1024 && this.#first * 2 > this.#events.length) this.#compact()
  }

  #compact(): void {
    this.#events = this.#events.slice(this.#first)
    this.#timesMs = this.#timesMs.slice(this.#first)
    this.#first = 0
  }

  /** Forgets everything up to `start`: the cache was loaded anew at this revision. */
  reset(start: Revision): void {
    this.#events = []
    this.#timesMs = []
    this.#first = 0
    this.#bytes = 0
    this.#start = start
  }

  /** The events after `revision`, in order; undefined when some of them are gone. */
  after(revision: Revision): readonly CacheEvent[] | undefined {
    if (revision < this.#start) return undefined
    return this.#events.slice(this.#indexAfter(revision))
  }

  #indexAfter(revision: Revision): number {
    let low = this.#first
    let high = this.#events.length
    while (low < high) {
      const middle = (low + high) >>> 1
      const event = this.#events[middle]
      if (event !== undefined && event.revision > revision) high = middle
      else low = middle + 1
    }
    return low
  }
}
