/**
 * Many deadlines behind one timer. They fire up to `resolutionMs` late, those of one bucket together; ten thousand
 * idle watches cost one armed timer.
 */

import type { Clock, Timer } from '../../../store/contract.ts'

export interface Deadline {
  cancel(): void
}

/** Whose deadline it is: an object that lives anyway, where a function would be one more for each watch. */
export interface Awaiting {
  onDeadline(): void
}

export interface Deadlines {
  /** Tells `whom` once, `delayMs` from now or up to `resolutionMs` later. */
  after(delayMs: number, whom: Awaiting): Deadline
  /** Forgets all. */
  close(): void
}

type Buckets = Map<number, Set<Entry>>

class Entry implements Deadline {
  readonly whom: Awaiting
  readonly #buckets: Buckets
  readonly #bucket: number

  constructor(whom: Awaiting, buckets: Buckets, bucket: number) {
    this.whom = whom
    this.#buckets = buckets
    this.#bucket = bucket
  }

  cancel(): void {
    const held = this.#buckets.get(this.#bucket)
    if (held?.delete(this) && held.size === 0) this.#buckets.delete(this.#bucket)
  }
}

export function createDeadlines(clock: Clock, resolutionMs: number): Deadlines {
  const buckets: Buckets = new Map()
  let armed: { readonly bucket: number; readonly timer: Timer } | undefined

  function arm(): void {
    let next: number | undefined
    for (const bucket of buckets.keys()) {
      if (next === undefined || bucket < next) next = bucket
    }
    if (next === armed?.bucket) return
    armed?.timer.cancel()
    armed = undefined
    if (next === undefined) return
    const delayMs = Math.max(1, Math.ceil(next * resolutionMs - clock.monotonicMs()))
    armed = { bucket: next, timer: clock.after(delayMs, fire) }
  }

  function fire(): void {
    armed = undefined
    const due = Math.floor(clock.monotonicMs() / resolutionMs)
    const ripe = [...buckets.keys()].filter((bucket) => bucket <= due).sort((a, b) => a - b)
    for (const bucket of ripe) {
      const entries = buckets.get(bucket)
      buckets.delete(bucket)
      for (const entry of entries ?? []) entry.whom.onDeadline()
    }
    arm()
  }

  return {
    after(delayMs, whom) {
      const bucket = Math.ceil((clock.monotonicMs() + delayMs) / resolutionMs)
      const entry = new Entry(whom, buckets, bucket)
      const entries = buckets.get(bucket)
      if (entries === undefined) {
        buckets.set(bucket, new Set([entry]))
        if (armed === undefined || bucket < armed.bucket) arm()
      } else {
        entries.add(entry)
      }
      return entry
    },
    close() {
      armed?.timer.cancel()
      armed = undefined
      buckets.clear()
    },
  }
}
