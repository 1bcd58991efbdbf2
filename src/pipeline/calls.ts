/**
 * Requests under way: how many there are, which have taken too long, and which watches a stop has to end.
 *
 * One timer looks at all of them, so a request costs a place in a list and nothing more. (No set: one that many pass
 * through keeps them alive for long, see store/slots.ts.)
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
  /** Its place in the list; −1 = it has ended. */
  at: number
}

/** A watch that a stop has to end. */
interface Closing {
  close(): void
}

export class Calls {
  readonly #clock: Clock
  readonly #requests: Call[] = []
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
    const call: Call = { startMs, deadlineMs: startMs + timeoutMs, writes, expire, at: this.#requests.length }
    this.#requests.push(call)
    if (writes) this.#writes++
    this.#timer ??= this.#clock.after(sweepMs, () => this.#sweep())
    return call
  }

  end(call: Call): void {
    if (call.at >= 0) this.#remove(call)
    if (this.#requests.length === 0) this.#wakeIdle()
  }

  /** The last one takes its place. */
  #remove(call: Call): void {
    const last = this.#requests.pop()
    if (last !== undefined && last !== call) {
      last.at = call.at
      this.#requests[last.at] = last
    }
    call.at = -1
    if (call.writes) this.#writes--
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
    if (this.#requests.length === 0) return
    await new Promise<void>((resolve) => this.#idle.push(resolve))
  }

  get requests(): number {
    return this.#requests.length + this.#streams
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
    if (this.#requests.length > 0) this.#timer = this.#clock.after(sweepMs, () => this.#sweep())
  }

  #wakeIdle(): void {
    const waiting = this.#idle
    this.#idle = []
    for (const resolve of waiting) resolve()
  }
}
