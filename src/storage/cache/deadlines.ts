/**
 * Many deadlines behind one timer. They fire up to `resolutionMs` late, those of one bucket together; ten thousand
 * idle watches cost one armed timer.
 */

import type { Clock, Timer } from '../../../store/contract.ts'

export interface Deadline {
  cancel(): void
}

export interface Deadlines {
  /** Runs `action` once, `delayMs` from now or up to `resolutionMs` later. */
  after(delayMs: number, action: () => void): Deadline
  /** Forgets all. */
  close(): void
}

interface Entry {
  readonly action: () => void
}

export function createDeadlines(clock: Clock, resolutionMs: number): Deadlines {
  const buckets = new Map<number, Set<Entry>>()
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
      for (const entry of entries ?? []) entry.action()
    }
    arm()
  }

  return {
    after(delayMs, action) {
      const bucket = Math.ceil((clock.monotonicMs() + delayMs) / resolutionMs)
      const entry: Entry = { action }
      const entries = buckets.get(bucket)
      if (entries === undefined) {
        buckets.set(bucket, new Set([entry]))
        if (armed === undefined || bucket < armed.bucket) arm()
      } else {
        entries.add(entry)
      }
      return {
        cancel() {
          const held = buckets.get(bucket)
          if (held?.delete(entry) && held.size === 0) buckets.delete(bucket)
        },
      }
    },
    close() {
      armed?.timer.cancel()
      armed = undefined
      buckets.clear()
    },
  }
}
