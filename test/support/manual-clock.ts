/** A clock that stands still until it is told: real waiting is for sockets alone. */

import type { Clock } from '../../store/contract.ts'

export interface ManualClock extends Clock {
  /** Lets time pass; timers that are due run in their order. */
  advance(ms: number): void
  /** Timers that have neither run nor been cancelled. */
  readonly pending: number
}

export function createManualClock(startMs = Date.UTC(2026, 0, 1)): ManualClock {
  let elapsedMs = 0
  let timers: { readonly dueMs: number; readonly action: () => void }[] = []
  return {
    wallMs: () => startMs + elapsedMs,
    monotonicMs: () => elapsedMs,
    after(delayMs, action) {
      const timer = { dueMs: elapsedMs + delayMs, action }
      timers.push(timer)
      return {
        cancel() {
          timers = timers.filter((one) => one !== timer)
        },
      }
    },
    advance(ms) {
      const untilMs = elapsedMs + ms
      for (;;) {
        const due = timers.filter(({ dueMs }) => dueMs <= untilMs).sort((a, b) => a.dueMs - b.dueMs)[0]
        if (due === undefined) break
        timers = timers.filter((one) => one !== due)
        elapsedMs = due.dueMs
        due.action()
      }
      elapsedMs = untilMs
    },
    get pending() {
      return timers.length
    },
  }
}
