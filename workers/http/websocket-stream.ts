/**
 * A streamed answer as messages of a WebSocket. The library reads what the client sends, answers its pings and closes;
 * the messages go straight to the socket, many in one write, the same bytes for all watchers of a view.
 */

import type { Socket } from 'node:net'
import type { WebSocket } from 'ws'
import type { Headers, ResponseStream, SharedChunk } from '../../src/pipeline/exchange.ts'
import { limits } from './limits.ts'
import { type Framing, messagesOf } from './websocket-frames.ts'

/** RFC 6455, section 7.4.1. */
export const normalClosure = 1000
export const goingAway = 1001

interface WebSocketStreamOptions {
  readonly webSocket: WebSocket
  /** Under it. */
  readonly socket: Socket
  readonly framing: Framing
  /** The listener closes: the client is told to come back. */
  readonly last: () => boolean
}

export class WebSocketStream implements ResponseStream {
  readonly #options: WebSocketStreamOptions
  #full = false
  #drained: () => void = () => {}

  constructor(options: WebSocketStreamOptions) {
    this.#options = options
    const { webSocket, socket } = options
    webSocket.on('error', ignore) // 'close' follows
    webSocket.on('ping', (data) => this.#answerPing(data))
    socket.on('drain', () => this.#onSocketDrain())
  }

  get bufferedBytes(): number {
    return this.#isOpen() ? this.#options.socket.writableLength : 0
  }

  #isOpen(): boolean {
    const { webSocket } = this.#options
    return webSocket.readyState === webSocket.OPEN
  }

  write(chunk: SharedChunk | Buffer): boolean {
    if (!this.#isOpen()) return true
    const { socket, framing } = this.#options
    const messages = messagesOf(chunk, framing)
    if (messages.length > 0) socket.write(messages)
    if (socket.writableLength > limits.streamBytesHigh) this.#full = true
    return !this.#full
  }

  onDrain(action: () => void): void {
    this.#drained = action
  }

  end(): void {
    const { webSocket, last } = this.#options
    if (this.#isOpen()) webSocket.close(last() ? goingAway : normalClosure)
  }

  abort(): void {
    this.#options.webSocket.terminate()
  }

  /** One who pings and never reads would have the answers pile up here. */
  #answerPing(data: Buffer): void {
    if (!this.#isOpen()) return
    if (this.#options.socket.writableLength > limits.streamBytesHigh) this.abort()
    else this.#options.webSocket.pong(data)
  }

  #onSocketDrain(): void {
    if (!this.#full || !this.#isOpen()) return
    this.#full = false
    this.#drained()
  }
}

/** The frames of the answer are lines of text. */
export function isJson(headers: Headers): boolean {
  for (const name in headers) {
    if (name.toLowerCase() === 'content-type') return String(headers[name]).startsWith('application/json')
  }
  return false
}

function ignore(): void {}
