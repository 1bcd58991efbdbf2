/** A stream whose end is seen, whoever brings it about: this side, or the client. */

import type { StreamKind } from '../observe/request-metrics.ts'
import type { Exchange, ResponseStream, SharedChunk } from './exchange.ts'

/**
 * Who lives on with a stream. Objects rather than functions: a function made beside a request's variables keeps all of
 * them, for as long as the watch.
 */
export interface StreamOwner {
  /** Runs once. */
  onStreamEnd(): void
}

/** Who counts streams: one for all of them. */
export interface StreamAccounts {
  endStream(kind: StreamKind, beganMs: number): void
}

/** The kind and the beginning (monotonic milliseconds) are for the accounts. */
export interface Observers {
  readonly accounts: StreamAccounts
  readonly kind: StreamKind
  readonly beganMs: number
  readonly owner: StreamOwner
}

/** The same stream, whose end is told to the observers, whoever ends it. */
export function observedStream(
  exchange: Exchange,
  stream: ResponseStream,
  observers: Observers,
): ResponseStream {
  const observed = new ObservedStream(stream, observers)
  exchange.onClose(observed.finish)
  return observed
}

/** Tells the observers of the end of a connection that the exchange has let go of. */
export function observeTunnel(exchange: Exchange, { accounts, kind, beganMs, owner }: Observers): void {
  exchange.onClose(() => {
    accounts.endStream(kind, beganMs)
    owner.onStreamEnd()
  })
}

/** A class, for there is one for each watch: an object of functions takes 1 KiB more. */
class ObservedStream implements ResponseStream {
  readonly #stream: ResponseStream
  readonly #accounts: StreamAccounts
  readonly #kind: StreamKind
  readonly #beganMs: number
  #owner: StreamOwner | undefined

  constructor(stream: ResponseStream, { accounts, kind, beganMs, owner }: Observers) {
    this.#stream = stream
    this.#accounts = accounts
    this.#kind = kind
    this.#beganMs = beganMs
    this.#owner = owner
  }

  get bufferedBytes(): number {
    return this.#stream.bufferedBytes
  }

  write(chunk: SharedChunk | Buffer, alone?: boolean): boolean {
    return this.#stream.write(chunk, alone)
  }

  onDrain(action: () => void): void {
    this.#stream.onDrain(action)
  }

  end(): void {
    this.#stream.end()
    this.finish()
  }

  abort(): void {
    this.#stream.abort()
    this.finish()
  }

  readonly finish = (): void => {
    const owner = this.#owner
    if (owner === undefined) return
    this.#owner = undefined
    this.#accounts.endStream(this.#kind, this.#beganMs)
    owner.onStreamEnd()
  }
}
