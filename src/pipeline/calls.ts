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
  /** Not a read. */
  readonly writes: boolean
  /** Answers the client that it took too long. Runs once, from the sweep. */
  readonly expire: () => void
}

/** A watch that a stop has to end. */
export interface Closing {
  close(): void
}

export class Calls {
  readonly #clock: Clock
  readonly #requests = new Set<Call>()
  readonly #watches = new Set<Closing>()
  #timer: Timer | undefined
  #idle: (() => void)[] = []
  #streams = 0
  #writes = 0

  constructor(clock: Clock) {
    this.#clock = clock
  }

  begin(timeoutMs: number, writes: boolean, expire: () => void): Call {
    const startMs = this.#clock.monotonicMs()
    const call: Call = { startMs, deadlineMs: startMs + timeoutMs, writes, expire }
    this.#requests.add(call)
    if (writes) this.#writes++
    this.#timer ??= this.#clock.after(sweepMs, () => this.#sweep())
    return call
  }

  end(call: Call): void {
    if (this.#requests.delete(call) && call.writes) this.#writes--
    if (this.#requests.size === 0) this.#wakeIdle()
  }

  /** A watch or another answer without an end. */
  beginStream(): void {
    this.#streams++
  }

  /** Once for each that has begun. */
  endStream(): void {
    this.#streams--
  }

  /** Is closed when the server stops, unless it has been taken out again. */
  add(watch: Closing): void {
    this.#watches.add(watch)
  }

  remove(watch: Closing): void {
    this.#watches.delete(watch)
  }

  closeWatches(): void {
    for (const watch of [...this.#watches]) watch.close()
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

  /** Those of the requests that are no reads. */
  get writes(): number {
    return this.#writes
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
