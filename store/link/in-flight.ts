import type { KeyValue, Unavailable } from '../contract.ts'
import { Slots } from '../slots.ts'
import type { Answer } from './answers.ts'

export interface InFlightBounds {
  readonly countMax: number
  /** Of keys and values that commits put. A larger one passes when no other is under way. */
  readonly bytesMax: number
}

/** The answer to a request, with the entries of all parts that came for it. */
export interface Reply {
  readonly answer: Answer
  readonly entries: readonly KeyValue[]
}

interface Waiting {
  /** A write whose fate is unknown when the link is lost. */
  readonly writes: boolean
  readonly bytes: number
  /** Entries of a range that came so far. */
  readonly entries: KeyValue[]
  settle(reply: Reply): void
}

/** Requests under way over a link, bounded in number and bytes. The id of one is free again once it is answered. */
export class InFlight {
  readonly #bounds: InFlightBounds
  readonly #waiting = new Slots<Waiting>()
  #bytes = 0

  constructor(bounds: InFlightBounds) {
    this.#bounds = bounds
  }

  /** Why one more request of `bytes` must not be sent now; undefined: it may. */
  refusal(bytes: number): Unavailable | undefined {
    const { countMax, bytesMax } = this.#bounds
    const fits = this.#bytes === 0 || this.#bytes + bytes <= bytesMax
    if (this.#waiting.size < countMax && fits) return undefined
    const message = `${this.#waiting.size} requests with ${this.#bytes} bytes are under way, the most allowed is ${countMax} with ${bytesMax} bytes`
    return { code: 'Unavailable', message }
  }

  /** The id of the request that is added next. */
  get next(): number {
    return this.#waiting.next
  }

  /** Waits for the answer to a request that is being sent, under the id {@link next}. */
  add({ writes, bytes }: { readonly writes: boolean; readonly bytes: number }): Promise<Reply> {
    this.#bytes += bytes
    return new Promise((settle) => this.#waiting.add({ writes, bytes, entries: [], settle }))
  }

  /** A part of a range has come. */
  gather(id: number, entries: readonly KeyValue[]): void {
    const gathered = this.#waiting.get(id)?.entries
    for (const entry of entries) gathered?.push(entry)
  }

  /** The last word on a request; of one that is not under way nothing happens. */
  settle(id: number, answer: Answer): void {
    const waiting = this.#waiting.take(id)
    if (waiting === undefined) return
    this.#bytes -= waiting.bytes
    waiting.settle({ answer, entries: waiting.entries })
  }

  /** The link is gone. `sent`: the member may have read the requests, so that the fate of a write is unknown. */
  failAll(message: string, sent: boolean): void {
    for (const id of this.#waiting.slots()) {
      const code = this.#waiting.get(id)?.writes && sent ? 'Unknown' : 'Unavailable'
      this.settle(id, { kind: 'failed', id, failure: { code, message } })
    }
  }
}
