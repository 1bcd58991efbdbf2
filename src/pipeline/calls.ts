/**
 * Requests under way: how many there are, which have taken too long, and which watches a stop has to end.
 *
 * One timer looks at all of them, so a request costs an entry in a set and nothing more.
 */

import type { Clock, Timer } from '../../store/contract.ts'

/** How often deadlines are looked at. Milliseconds. */
const sweepMs = 500

export interface Call {
  /** Monotonic milliseconds; a watch has none. */
  deadlineMs: number
  readonly startMs: number
  /** Answers the client that it took too long. Runs once, from the sweep. */
  readonly expire: () => void
}

export class Calls {
  readonly #clock: Clock
  readonly #requests = new Set<Call>()
  readonly #watches = new Set<() => void>()
  #timer: Timer | undefined
  #idle: (() => void)[] = []
  #streams = 0

  constructor(clock: Clock) {
    this.#clock = clock
  }

  begin(timeoutMs: number, expire: () => void): Call {
    const startMs = this.#clock.monotonicMs()
    const call: Call = { startMs, deadlineMs: startMs + timeoutMs, expire }
    this.#requests.add(call)
    this.#timer ??= this.#clock.after(sweepMs, () => this.#sweep())
    return call
  }

  end(call: Call): void {
    this.#requests.delete(call)
    if (this.#requests.size === 0) this.#wakeIdle()
  }

  /** A watch or another answer without an end. The result ends it. */
  beginStream(): () => void {
    this.#streams++
    let running = true
    return () => {
      if (running) this.#streams--
      running = false
    }
  }

  /** `close` ends a watch when the server stops; the result takes it out again. */
  add(close: () => void): () => void {
    this.#watches.add(close)
    return () => this.#watches.delete(close)
  }

  closeWatches(): void {
    for (const close of [...this.#watches]) close()
    this.#watches.clear()
  }

  /** Resolves when no request but watches is under way. */
  async idle(): Promise<void> {
    if (this.#requests.size === 0) return
    await new Promise<void>((resolve) => this.#idle.push(resolve))
  }

  get requests(): number {
    return this.#requests.size + this.#streams
  }

  get watches(): number {
    return this.#streams
  }

  #sweep(): void {
    this.#timer = undefined
    const now = this.#clock.monotonicMs()
    for (const call of [...this.#requests]) {
      if (call.deadlineMs > now) continue
      call.deadlineMs = Number.POSITIVE_INFINITY
      call.expire()
    }
    if (this.#requests.size > 0) this.#timer = this.#clock.after(sweepMs, () => this.#sweep())
  }

  #wakeIdle(): void {
    const waiting = this.#idle
    this.#idle = []
    for (const resolve of waiting) resolve()
  }
}
