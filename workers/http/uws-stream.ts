import type { ResponseStream, SharedChunk } from '../../src/pipeline/exchange.ts'
import { limits } from './limits.ts'
import { type Flushable, flushAtTurnEnd, join } from './turn.ts'
import type { UwsResponse } from './uws-library.ts'

/** What a stream needs of its exchange. */
export interface UwsStreamOwner {
  readonly response: UwsResponse
  /** The response may not be touched any more. */
  gone(): boolean
  finished(): void
}

interface UwsStreamOptions {
  /** Writes status and headers. */
  readonly head: (response: UwsResponse) => void
  /** Answers HEAD. */
  readonly bodiless: boolean
  /** The body is JSON text. */
  readonly json: boolean
}

const space = Buffer.from(' ')

/**
 * A streamed answer over uWebSockets.js, which frames the chunks itself. What its socket does not take waits here, not
 * in the library's buffer, whose size nobody can ask: there waits at most the last write.
 */
export class UwsStream implements ResponseStream, Flushable {
  readonly #owner: UwsStreamOwner
  readonly #head: (response: UwsResponse) => void
  readonly #bodiless: boolean
  readonly #json: boolean
  #headSent = false
  #frames: Buffer[] = []
  #frameBytes = 0
  /** Bytes of the write that the socket did not take at once. */
  #stuckBytes = 0
  #listensWritable = false
  #flushing = false
  #ended = false
  #full = false
  #drained: () => void = () => {}

  constructor(owner: UwsStreamOwner, options: UwsStreamOptions) {
    this.#owner = owner
    this.#head = options.head
    this.#bodiless = options.bodiless
    this.#json = options.json
    this.#flushLater()
  }

  get bufferedBytes(): number {
    return this.#owner.gone() ? 0 : this.#frameBytes + this.#stuckBytes
  }

  write(chunk: SharedChunk | Buffer): boolean {
    if (this.#ended || this.#bodiless || this.#owner.gone()) return true
    const payload = Buffer.isBuffer(chunk) ? chunk : chunk.payload
    if (payload.length > 0) {
      this.#frames.push(payload)
      this.#frameBytes += payload.length
    }
    if (this.#stuckBytes === 0) {
      if (this.#frameBytes >= limits.streamBytesHigh) this.flush()
      else this.#flushLater()
    }
    if (this.bufferedBytes > limits.streamBytesHigh) this.#full = true
    return !this.#full
  }

  #flushLater(): void {
    if (this.#flushing) return
    this.#flushing = true
    flushAtTurnEnd(this)
  }

  flush(): void {
    this.#flushing = false
    if (this.#ended || this.#owner.gone() || this.#stuckBytes > 0) return
    this.#owner.response.cork(() => {
      this.#sendHead()
      if (this.#frames.length > 0) this.#sendFrames()
      else this.#pushHead()
    })
    this.#tellDrained()
  }

  #sendHead(): void {
    if (this.#headSent) return
    this.#headSent = true
    this.#head(this.#owner.response)
  }

  /**
   * Clients of a watch wait for the head, and no event may come for hours. Versions that cannot send a head alone end
   * it with the first chunk; in front of JSON that may be a space.
   */
  #pushHead(): void {
    const { response } = this.#owner
    if (response.beginWrite !== undefined) response.beginWrite()
    else if (this.#json) response.write(space)
  }

  #sendFrames(): void {
    const frames = this.#frames
    if (frames.length === 0) return
    this.#frames = []
    const bytes = this.#frameBytes
    this.#frameBytes = 0
    const [only] = frames
    const payload = only !== undefined && frames.length === 1 ? only : join(frames)
    if (this.#owner.response.write(payload)) return
    this.#stuckBytes = bytes
    if (this.#listensWritable) return
    this.#listensWritable = true
    this.#owner.response.onWritable(() => this.#onWritable())
  }

  /** The socket takes bytes again. The library sends its own rest only with the next write or an empty cork. */
  #onWritable(): boolean {
    if (this.#ended || this.#owner.gone()) return true
    this.#stuckBytes = 0
    this.#owner.response.cork(() => this.#sendFrames())
    this.#tellDrained()
    return true
  }

  #tellDrained(): void {
    if (!this.#full || this.bufferedBytes > 0) return
    this.#full = false
    this.#drained()
  }

  onDrain(action: () => void): void {
    this.#drained = action
  }

  end(): void {
    if (this.#ended || this.#owner.gone()) return
    this.#ended = true
    this.#owner.response.cork(() => {
      this.#sendHead()
      if (this.#bodiless) this.#owner.response.endWithoutBody()
      else {
        if (this.#frames.length > 0) this.#owner.response.write(join(this.#frames))
        // Asked to close as well, the library would write a header into the body.
        this.#owner.response.end()
      }
    })
    this.#frames = []
    this.#owner.finished()
  }

  abort(): void {
    if (this.#ended || this.#owner.gone()) return
    this.#ended = true
    this.#owner.response.close()
  }
}
