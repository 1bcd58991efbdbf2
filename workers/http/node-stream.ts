/**
 * Streamed answers over node:http. The usual one writes frames straight to the socket: Node's own `write` would copy
 * the framing of each chunk for each of a thousand watchers. Head and end still go through the response, so Node's
 * state of the connection (keep-alive, the next pipelined request) stays its own.
 */

import type { ServerResponse } from 'node:http'
import type { Socket } from 'node:net'
import type { ResponseStream, SharedChunk } from '../../src/pipeline/exchange.ts'
import { forgetClearedTimer, forgetSent } from './forget.ts'
import { limits } from './limits.ts'
import { type Flushable, flushAtTurnEnd, join } from './turn.ts'

/** Frames up to this size are joined before they are sent; copying larger ones costs more than it saves. */
const joinedFrameBytesMax = 16 * 1024

/** Of a stream that has nothing to send. Never written to. */
const noFrames: Buffer[] = []

/** Starts the answer whose head `writeHead` has set. */
export function createNodeStream(response: ServerResponse): ResponseStream {
  const { socket } = response
  // Behind a pipelined request whose answer is not finished there is no socket yet: Node has to queue.
  return socket === null ? new QueuedStream(response) : new SocketStream(response, socket)
}

class SocketStream implements ResponseStream, Flushable {
  readonly #response: ServerResponse
  readonly #socket: Socket
  /** HTTP/1.0 knows no chunks: its body is raw and ends with the connection. */
  readonly #chunked: boolean
  readonly #bodiless: boolean
  #frames = noFrames
  #frameBytes = 0
  #flushing = false
  /** The head is held back until the first frames go with it. */
  #corked = true
  #over = false
  /** What waits for the socket to drain, while it is full: a watch that nothing happens to listens to nothing. */
  #full: (() => void) | undefined
  #drained: (() => void) | undefined

  constructor(response: ServerResponse, socket: Socket) {
    this.#response = response
    this.#socket = socket
    socket.cork()
    response.flushHeaders()
    this.#chunked = response.chunkedEncoding
    this.#bodiless = response.req.method === 'HEAD'
    this.#flushLater()
    forgetSent(response)
    forgetClearedTimer(socket)
  }

  #isOver(): boolean {
    return this.#over || this.#response.closed
  }

  get bufferedBytes(): number {
    return this.#isOver() ? 0 : this.#frameBytes + this.#socket.writableLength
  }

  write(chunk: SharedChunk | Buffer, alone = false): boolean {
    if (this.#isOver() || this.#bodiless) return true
    // A thousand streams that are looked at twice are out of the processor's caches in between.
    if (alone && !this.#flushing && !Buffer.isBuffer(chunk)) return this.#sendNow(chunk)
    if (!Buffer.isBuffer(chunk)) this.#push(this.#chunked ? chunk.http1() : chunk.payload)
    else if (chunk.length === 0) return this.#full === undefined
    else if (this.#chunked) this.#pushChunk(chunk)
    else this.#push(chunk)
    if (this.#frameBytes >= limits.streamBytesHigh) this.flush()
    else this.#flushLater()
    if (this.bufferedBytes > limits.streamBytesHigh) this.#fill()
    return this.#full === undefined
  }

  /** Nothing waits here, for then a flush would be due. */
  #sendNow(chunk: SharedChunk): boolean {
    this.#socket.write(this.#chunked ? chunk.http1() : chunk.payload)
    if (this.#socket.writableLength > limits.streamBytesHigh) this.#fill()
    return this.#full === undefined
  }

  #fill(): void {
    if (this.#full !== undefined) return
    this.#full = () => this.#onSocketDrain()
    this.#socket.on('drain', this.#full)
  }

  #push(frame: Buffer): void {
    if (this.#frameBytes === 0) this.#frames = [frame]
    else this.#frames.push(frame)
    this.#frameBytes += frame.length
  }

  #pushChunk(payload: Buffer): void {
    this.#push(Buffer.from(`${payload.length.toString(16)}\r\n`, 'latin1'))
    this.#push(payload)
    this.#push(crlf)
  }

  #flushLater(): void {
    if (this.#flushing) return
    this.#flushing = true
    flushAtTurnEnd(this)
  }

  flush(): void {
    this.#flushing = false
    if (this.#isOver()) {
      this.#leave()
      return
    }
    this.#send()
    if (this.#corked) {
      this.#corked = false
      this.#socket.uncork()
    }
    // Written at once, without the socket having been full: nobody will tell.
    if (this.#full !== undefined && !this.#socket.writableNeedDrain) this.#onSocketDrain()
  }

  #send(): void {
    const frames = this.#frames
    if (frames.length === 0) return
    this.#forgetFrames()
    const [only] = frames
    if (only !== undefined && frames.length === 1) this.#socket.write(only)
    else if (frames.every((frame) => frame.length <= joinedFrameBytesMax)) this.#socket.write(join(frames))
    else {
      this.#socket.cork()
      for (const frame of frames) this.#socket.write(frame)
      this.#socket.uncork()
    }
  }

  onDrain(action: () => void): void {
    this.#drained = action
  }

  end(): void {
    if (this.#isOver()) return
    this.#socket.cork()
    this.#send()
    this.#leave()
    this.#response.end()
    this.#socket.uncork()
  }

  abort(): void {
    if (this.#isOver()) return
    this.#leave()
    this.#socket.destroy()
  }

  #leave(): void {
    this.#over = true
    this.#forgetFrames()
    this.#listenNoMore()
    if (this.#corked) this.#socket.uncork()
    this.#corked = false
  }

  #forgetFrames(): void {
    this.#frames = noFrames
    this.#frameBytes = 0
  }

  #listenNoMore(): void {
    if (this.#full !== undefined) this.#socket.off('drain', this.#full)
    this.#full = undefined
  }

  #onSocketDrain(): void {
    if (this.#isOver()) return
    if (this.#frames.length > 0) {
      this.#flushLater()
      return
    }
    this.#listenNoMore()
    this.#drained?.()
  }
}

const crlf = Buffer.from('\r\n', 'latin1')

/** The same through Node's own queue: rare, and correct without touching the socket. */
class QueuedStream implements ResponseStream {
  readonly #response: ServerResponse
  #full = false
  #drained: () => void = () => {}

  constructor(response: ServerResponse) {
    this.#response = response
    response.flushHeaders()
    response.on('drain', () => {
      this.#full = false
      this.#drained()
    })
  }

  get bufferedBytes(): number {
    return this.#response.destroyed ? 0 : this.#response.writableLength
  }

  write(chunk: SharedChunk | Buffer): boolean {
    if (this.#response.destroyed || this.#response.writableEnded) return true
    if (!this.#response.write(Buffer.isBuffer(chunk) ? chunk : chunk.payload)) this.#full = true
    return !this.#full
  }

  onDrain(action: () => void): void {
    this.#drained = action
  }

  end(): void {
    this.#response.end()
  }

  abort(): void {
    this.#response.req.socket.destroy()
  }
}
