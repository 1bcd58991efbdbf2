/** A stream whose end is seen, whoever brings it about: this side, or the client. */

import type { Exchange, ResponseStream, SharedChunk } from './exchange.ts'

/** `ended` runs once. */
export function observedStream(
  exchange: Exchange,
  stream: ResponseStream,
  ended: () => void,
): ResponseStream {
  const observed = new ObservedStream(stream, ended)
  exchange.onClose(observed.finish)
  return observed
}

/** A class, for there is one for each watch: an object of functions takes 1 KiB more. */
class ObservedStream implements ResponseStream {
  readonly #stream: ResponseStream
  #ended: (() => void) | undefined

  constructor(stream: ResponseStream, ended: () => void) {
    this.#stream = stream
    this.#ended = ended
  }

  get bufferedBytes(): number {
    return this.#stream.bufferedBytes
  }

  write(chunk: SharedChunk | Buffer): boolean {
    return this.#stream.write(chunk)
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
    const ended = this.#ended
    this.#ended = undefined
    ended?.()
  }
}
