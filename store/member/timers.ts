import type { Clock, Timer } from '../contract.ts'

/** Calls `action` again and again, `delayMs` after the last call ended. Never overlaps itself. */
export class Repeating {
  readonly #clock: Clock
  readonly #delayMs: number
  readonly #action: () => Promise<void>
  #timer: Timer | undefined
  #closed = false

  constructor(clock: Clock, delayMs: number, action: () => Promise<void>) {
    this.#clock = clock
    this.#delayMs = delayMs
    this.#action = action
  }

  start(): void {
    if (this.#closed) return
    this.#timer = this.#clock.after(this.#delayMs, () => {
      void this.#action().then(() => this.start())
    })
  }

  close(): void {
    this.#closed = true
    this.#timer?.cancel()
  }
}

interface Mark {
  readonly monotonicMs: number
  readonly revision: number
}

/**
 * Remembers which revision was current when, to tell which one has left the history. Revisions from before the start
 * count from the start: after a restart history is kept a little longer, never shorter.
 */
export class RevisionTimes {
  readonly #historyMs: number
  #marks: Mark[] = []

  constructor(historyMs: number) {
    this.#historyMs = historyMs
  }

  /** Notes that `revision` is current; returns the newest revision that has been current `historyMs` ago, 0 = none. */
  mark(monotonicMs: number, revision: number): number {
    this.#marks.push({ monotonicMs, revision })
    let expired = 0
    for (const mark of this.#marks) {
      if (mark.monotonicMs > monotonicMs - this.#historyMs) break
      expired++
    }
    const target = this.#marks[expired - 1]?.revision ?? 0
    // The newest expired mark stays: it is the answer until the next one expires.
    if (expired > 1) this.#marks = this.#marks.slice(expired - 1)
    return target
  }
}
