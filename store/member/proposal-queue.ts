import type { CommitFailure, CommitResponse, Result } from '../contract.ts'
import { groupHeadBytes, type Proposal, proposalBytes } from '../mvcc/command.ts'

/** How a proposal ends: decided (applied, or refused by a guard), or not known to be, with the reason. */
export type Settled =
  | { readonly code: 'Answer'; readonly answer: Result<CommitResponse, CommitFailure> }
  | { readonly code: 'Unavailable' | 'Unknown'; readonly message: string }

/** A proposal and who waits for it. */
export interface Waiting {
  readonly proposal: Proposal
  readonly bytes: number
  /** Monotonic time at which it began to wait, milliseconds. */
  readonly sinceMs: number
  settle(settled: Settled): void
}

export interface QueueBounds {
  /** Most proposals waiting. */
  readonly waitingMax: number
  /** Most bytes waiting. */
  readonly waitingBytesMax: number
  /** Most proposals of one group. */
  readonly groupMax: number
  /** Bytes at which a group is full; a larger proposal makes a group alone. */
  readonly groupBytesMax: number
}

export const defaultQueueBounds: QueueBounds = {
  waitingMax: 16_384,
  waitingBytesMax: 64 * 1024 * 1024,
  groupMax: 1024,
  groupBytesMax: 2 * 1024 * 1024,
}

/** Proposals that wait for their group. Overflow is refused at once: the caller is told to try again. */
export class ProposalQueue {
  readonly #bounds: QueueBounds
  #waiting: Waiting[] = []
  #bytes = 0

  constructor(bounds: QueueBounds) {
    this.#bounds = bounds
  }

  get length(): number {
    return this.#waiting.length
  }

  push(proposal: Proposal, nowMs: number): Promise<Settled> {
    const bytes = proposalBytes(proposal)
    const { waitingMax, waitingBytesMax } = this.#bounds
    if (this.#waiting.length >= waitingMax || (this.#bytes + bytes > waitingBytesMax && this.#bytes > 0)) {
      const message = `${this.#waiting.length} proposals of ${this.#bytes} bytes are waiting, the most allowed is ${waitingMax} of ${waitingBytesMax} bytes`
      return Promise.resolve({ code: 'Unavailable', message })
    }
    this.#bytes += bytes
    return new Promise((settle) => this.#waiting.push({ proposal, bytes, sinceMs: nowMs, settle }))
  }

  /** Removes and returns the next group, at least one proposal when any waits. */
  take(): Waiting[] {
    const { groupMax, groupBytesMax } = this.#bounds
    let bytes = groupHeadBytes
    let count = 0
    for (const waiting of this.#waiting) {
      if (count === groupMax || (count > 0 && bytes + waiting.bytes > groupBytesMax)) break
      bytes += waiting.bytes
      count++
    }
    this.#bytes -= bytes - groupHeadBytes
    if (count === this.#waiting.length) {
      const all = this.#waiting
      this.#waiting = []
      return all
    }
    return this.#waiting.splice(0, count)
  }

  /** Takes back what was taken, ahead of the others. It was within the bounds once, and stays. */
  putBack(group: readonly Waiting[]): void {
    this.#waiting = [...group, ...this.#waiting]
    for (const { bytes } of group) this.#bytes += bytes
  }

  /** Removes and returns those that began to wait before `sinceMs`. */
  takeOlder(sinceMs: number): Waiting[] {
    const older = this.#waiting.filter((waiting) => waiting.sinceMs < sinceMs)
    if (older.length === 0) return older
    this.#waiting = this.#waiting.filter((waiting) => waiting.sinceMs >= sinceMs)
    for (const { bytes } of older) this.#bytes -= bytes
    return older
  }

  takeAll(): Waiting[] {
    const all = this.#waiting
    this.#waiting = []
    this.#bytes = 0
    return all
  }
}
