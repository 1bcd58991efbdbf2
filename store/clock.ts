/**
 * Time as it is handed in. Nothing below `workers/` reads a clock of its own, so a test or a simulation owns time.
 */
export interface Clock {
  /** Wall-clock time, milliseconds since 1970. May jump. For timestamps that people read. */
  wallMs(): number
  /** Monotonic time in milliseconds, from an arbitrary origin. For durations and deadlines. */
  monotonicMs(): number
  /** Calls `action` once after `delayMs`; the timer never keeps the process alive. */
  after(delayMs: number, action: () => void): Timer
}

export interface Timer {
  cancel(): void
}

/** The machine's clock. Made once, in `workers/` or a test, and handed down. */
export const systemClock: Clock = {
  wallMs: () => Date.now(),
  monotonicMs: () => performance.now(),
  after(delayMs, action) {
    const handle = setTimeout(action, delayMs)
    handle.unref()
    return { cancel: () => clearTimeout(handle) }
  },
}
