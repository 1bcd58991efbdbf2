/**
 * A streamed answer over HTTP/2. Frames of one turn leave in one write, as over HTTP/1.1. Node counts a write as done
 * when its bytes are in the kernel, so what waits for the client's flow control (RFC 9113, section 5.2) waits here,
 * is counted in `bufferedBytes`, and makes this stream alone slow.
 */

import type { ServerHttp2Stream } from 'node:http2'
import type { ResponseStream, SharedChunk } from '../../src/pipeline/exchange.ts'
import { limits } from './limits.ts'
import { type Flushable, flushAtTurnEnd, join } from './turn.ts'

/** Of a stream that has nothing to send. Never written to. */
const noFrames: Buffer[] = []

const broken = new Error('the answer was broken off')

/** Resets the stream. `close` with an error code would end the body first, and the client would take it for whole. */
export function breakOff(stream: ServerHttp2Stream): void {
  stream.destroy(broken)
}

export class Http2ResponseStream implements ResponseStream, Flushable {
  readonly #stream: ServerHttp2Stream
  #frames = noFrames
  #frameBytes = 0
  #flushing = false
  #over: boolean
  /** What waits for the stream to drain, while it is full: a watch that nothing happens to listens to nothing. */
  #full: (() => void) | undefined
  #drained: (() => void) | undefined

  /** The head has been sent. `bodiless`: and with it the whole answer. */
  constructor(stream: ServerHttp2Stream, bodiless: boolean) {
    this.#stream = stream
    this.#over = bodiless
  }

  get bufferedBytes(): number {
    return this.#isOver() ? 0 : this.#frameBytes + this.#stream.writableLength
  }

  write(chunk: SharedChunk | Buffer): boolean {
    if (this.#isOver()) return true
    const payload = Buffer.isBuffer(chunk) ? chunk : chunk.payload
    if (payload.length === 0) return this.#full === undefined
    if (this.#frameBytes === 0) this.#frames = [payload]
    else this.#frames.push(payload)
    this.#frameBytes += payload.length
    if (this.#frameBytes >= limits.streamBytesHigh) this.flush()
    else this.#flushLater()
    if (this.bufferedBytes > limits.streamBytesHigh) this.#fill()
    return this.#full === undefined
  }

  #fill(): void {
    if (this.#full !== undefined) return
    this.#full = () => this.#onStreamDrain()
    this.#stream.on('drain', this.#full)
  }

  #isOver(): boolean {
    return this.#over || this.#stream.destroyed || this.#stream.closed
  }

  #flushLater(): void {
    if (this.#flushing) return
    this.#flushing = true
    flushAtTurnEnd(this)
  }

  flush(): void {
    this.#flushing = false
    if (this.#isOver()) {
      this.#forget()
      return
    }
    this.#send()
    // Written at once, without the stream having been full: nobody will tell.
    if (this.#full !== undefined && !this.#stream.writableNeedDrain) this.#onStreamDrain()
  }

  #send(): void {
    const frames = this.#frames
    if (frames.length === 0) return
    this.#forget()
    const [only] = frames
    this.#stream.write(only !== undefined && frames.length === 1 ? only : join(frames))
  }

  #forget(): void {
    this.#frames = noFrames
    this.#frameBytes = 0
  }

  onDrain(action: () => void): void {
    this.#drained = action
  }

  end(): void {
    if (this.#isOver()) return
    this.#send()
    this.#over = true
    this.#stream.end()
  }

  abort(): void {
    if (this.#isOver()) return
    this.#over = true
    this.#forget()
    breakOff(this.#stream)
  }

  #onStreamDrain(): void {
    if (this.#isOver() || this.#full === undefined) return
    if (this.#frames.length > 0) {
      this.#flushLater()
      return
    }
    this.#stream.off('drain', this.#full)
    this.#full = undefined
    this.#drained?.()
  }
}
