/**
 * Watches over WebSocket on the plaintext listener: uWebSockets.js frames the messages, answers pings and closes; what is
 * agreed on, refused and sent is the same as on the listeners of Node.
 */

import type { IncomingHttpHeaders } from 'node:http'
import type { Headers, ResponseStream, SharedChunk } from '../../src/pipeline/exchange.ts'
import { limits, webSocketLimits } from './limits.ts'
import { badRequestTarget, type Refusal, webSocketRefusals } from './refusal.ts'
import { parseRequestTarget } from './request-target.ts'
import { type UwsConnections, UwsExchange } from './uws-exchange.ts'
import type { UwsRequest, UwsResponse, UwsWebSocket, UwsWebSocketBehavior } from './uws-library.ts'
import { type Framing, framesOf } from './websocket-frames.ts'
import { readWebSocketRequest } from './websocket-request.ts'
import { goingAway, isJson, normalClosure } from './websocket-stream.ts'

const protocolHeader = 'sec-websocket-protocol'
const tooLong = 1009

/** A request that becomes a WebSocket once its answer is a stream. Any other answer ends the connection. */
export class UwsWebSocketExchange extends UwsExchange {
  readonly refusal: Refusal | undefined
  /** Undefined = the library has not taken the key for one. */
  readonly #context: object | undefined
  readonly #isLast: () => boolean
  readonly #key: string
  readonly #authorization: string | undefined
  readonly #protocol: string | undefined
  #stream: UwsWebSocketStream | undefined

  constructor(
    response: UwsResponse,
    request: UwsRequest,
    context: object | undefined,
    connections: UwsConnections,
  ) {
    super(response, request, { ...connections, last: () => true })
    this.#context = context
    this.#isLast = connections.last
    this.#key = super.header('sec-websocket-key') ?? ''
    const target = parseRequestTarget(this.query === '' ? this.path : `${this.path}?${this.query}`)
    const headers: IncomingHttpHeaders = Object.create(null)
    for (const name of this.headerNames()) headers[name] = super.header(name)
    const asked = readWebSocketRequest(
      { method: this.method, headers },
      target ?? { path: '/', query: '' },
      this.secure,
    )
    const isWatch = asked.type === 'watch'
    this.#authorization = isWatch ? asked.authorization : undefined
    this.#protocol = isWatch ? asked.protocol : undefined
    if (target === undefined) this.refusal = badRequestTarget
    else if (isWatch) this.refusal = context === undefined ? webSocketRefusals.BadHandshake : undefined
    else this.refusal = webSocketRefusals[asked.why]
  }

  override header(name: string): string | undefined {
    if (name === 'authorization') return this.#authorization
    return name === protocolHeader ? this.#protocol : super.header(name)
  }

  override headerValues(name: string): readonly string[] {
    if (name !== 'authorization' && name !== protocolHeader) return super.headerValues(name)
    const value = this.header(name)
    return value === undefined ? [] : [value]
  }

  override stream(_status: number, headers: Headers): ResponseStream {
    const stream = new UwsWebSocketStream(this, isJson(headers) ? 'lines' : 'lengths', this.#isLast)
    const context = this.#context
    if (this.gone() || context === undefined) return stream
    this.#stream = stream
    // The library opens it within the call.
    this.response.cork(() => this.response.upgrade({ stream }, this.#key, this.#protocol ?? '', '', context))
    return stream
  }

  override drop(): void {
    if (this.#stream === undefined) super.drop()
    else this.#stream.abort()
  }
}

/** What the library keeps for each of its sockets. */
interface UwsSocketData {
  readonly stream: UwsWebSocketStream
}

/** A streamed answer as messages. */
class UwsWebSocketStream implements ResponseStream {
  readonly #exchange: UwsExchange
  readonly #framing: Framing
  readonly #last: () => boolean
  /** Undefined = not yet, or not any more. */
  #socket: UwsWebSocket<UwsSocketData> | undefined
  #full = false
  #drained: () => void = () => {}

  constructor(exchange: UwsExchange, framing: Framing, last: () => boolean) {
    this.#exchange = exchange
    this.#framing = framing
    this.#last = last
  }

  onOpen(socket: UwsWebSocket<UwsSocketData>): void {
    this.#socket = socket
  }

  onGone(): void {
    this.#socket = undefined
    this.#exchange.finished()
  }

  get bufferedBytes(): number {
    return this.#socket?.getBufferedAmount() ?? 0
  }

  write(chunk: SharedChunk | Buffer): boolean {
    const socket = this.#socket
    if (socket === undefined) return true
    const frames = framesOf(chunk, this.#framing)
    if (frames.length > 0) {
      socket.cork(() => {
        for (const frame of frames) socket.send(frame, this.#framing === 'lengths', false)
      })
    }
    if (this.bufferedBytes > limits.streamBytesHigh) this.#full = true
    return !this.#full
  }

  onDrain(action: () => void): void {
    this.#drained = action
  }

  onWritable(): void {
    if (!this.#full || this.bufferedBytes > 0) return
    this.#full = false
    this.#drained()
  }

  end(): void {
    const socket = this.#socket
    this.#socket = undefined
    socket?.end(this.#last() ? goingAway : normalClosure)
  }

  abort(): void {
    const socket = this.#socket
    this.#socket = undefined
    socket?.close()
  }

  onMessage(bytes: number): void {
    if (bytes <= webSocketLimits.messageBytesMax) return
    const socket = this.#socket
    this.#socket = undefined
    socket?.end(tooLong)
  }

  /** One who pings and never reads would have the answers pile up. */
  onPing(): void {
    if (this.bufferedBytes > limits.streamBytesHigh) this.abort()
  }
}

/** @param upgrade a request that may become one */
export function webSocketBehavior(
  upgrade: UwsWebSocketBehavior<UwsSocketData>['upgrade'],
): UwsWebSocketBehavior<UwsSocketData> {
  return {
    compression: 0,
    idleTimeout: 0,
    maxLifetime: 0,
    sendPingsAutomatically: false,
    // Looked at below, where the client can be told; what is longer than this ends the connection at once.
    maxPayloadLength: 64 * webSocketLimits.messageBytesMax,
    // Bounded by the one who writes: beyond this the library would leave out messages.
    maxBackpressure: 2 ** 30,
    upgrade,
    open: (socket) => socket.getUserData().stream.onOpen(socket),
    message: (socket, message) => socket.getUserData().stream.onMessage(message.byteLength),
    ping: (socket) => socket.getUserData().stream.onPing(),
    drain: (socket) => socket.getUserData().stream.onWritable(),
    close: (socket) => socket.getUserData().stream.onGone(),
  }
}
