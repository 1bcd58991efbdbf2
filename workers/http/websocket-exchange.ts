import { type IncomingMessage, ServerResponse } from 'node:http'
import type { Socket } from 'node:net'
import type { WebSocketServer } from 'ws'
import type { BodyFailure, Headers, PeerCertificate, ResponseStream } from '../../src/pipeline/exchange.ts'
import { ok, type Result } from '../../store/contract.ts'
import { flatten, type NodeConnection } from './node-exchange.ts'
import type { NodeLikeExchange } from './reception.ts'
import type { RequestTarget } from './request-target.ts'
import { isJson, WebSocketStream } from './websocket-stream.ts'

const noBody = Buffer.alloc(0)
const protocolHeader = 'sec-websocket-protocol'

interface WebSocketExchangeOptions {
  /** `sec-websocket-protocol` and `authorization` of its headers are not looked at. */
  readonly request: IncomingMessage
  readonly socket: Socket
  /** What came behind the request's head. */
  readonly rest: Buffer
  readonly target: RequestTarget
  readonly connection: NodeConnection
  readonly server: WebSocketServer
  readonly authorization: string | undefined
  /** To agree on, if the answer is a stream. */
  readonly protocol: string | undefined
}

/**
 * A request that becomes a WebSocket once its answer is a stream. Any other answer is sent as over HTTP, and ends the
 * connection.
 */
export class WebSocketExchange implements NodeLikeExchange {
  readonly method = 'GET'
  readonly path: string
  readonly query: string
  readonly #options: WebSocketExchangeOptions
  answered = false

  constructor(options: WebSocketExchangeOptions) {
    this.#options = options
    this.path = options.target.path
    this.query = options.target.query
  }

  get secure(): boolean {
    return this.#options.connection.secure
  }

  get remoteAddress(): string {
    return this.#options.socket.remoteAddress ?? ''
  }

  get peerCertificate(): PeerCertificate | undefined {
    return this.#options.connection.peerCertificate
  }

  get proxyCertificate(): PeerCertificate | undefined {
    return this.#options.connection.proxyCertificate
  }

  header(name: string): string | undefined {
    const { request, authorization, protocol } = this.#options
    if (name === 'authorization') return authorization
    if (name === protocolHeader) return protocol
    const value = request.headers[name]
    return typeof value === 'string' ? value : undefined
  }

  headerValues(name: string): readonly string[] {
    if (name !== 'authorization' && name !== protocolHeader) {
      return this.#options.request.headersDistinct[name] ?? []
    }
    const value = this.header(name)
    return value === undefined ? [] : [value]
  }

  headerNames(): readonly string[] {
    return Object.keys(this.#options.request.headers)
  }

  readBody(): Promise<Result<Buffer, BodyFailure>> {
    return Promise.resolve(ok(noBody))
  }

  respond(status: number, headers: Headers, body: Buffer): void {
    const { request, socket } = this.#options
    this.answered = true
    if (socket.destroyed) return
    const response = new ServerResponse(request)
    response.shouldKeepAlive = false
    response.assignSocket(socket)
    response.writeHead(status, [...flatten(headers), 'content-length', String(body.length)])
    response.once('finish', () => socket.destroySoon())
    response.end(body)
  }

  stream(_status: number, headers: Headers): ResponseStream {
    const { request, socket, rest, server, protocol, connection } = this.#options
    this.answered = true
    if (protocol === undefined) delete request.headers[protocolHeader]
    else request.headers[protocolHeader] = protocol
    let stream: ResponseStream = goneStream
    // Done within the call: the request was found in order, and nobody else is asked.
    server.handleUpgrade(request, socket, rest, (webSocket) => {
      const framing = isJson(headers) ? 'lines' : 'lengths'
      stream = new WebSocketStream({ webSocket, socket, framing, last: connection.last })
    })
    return stream
  }

  breakOff(): void {
    this.#options.socket.destroy()
  }

  onClose(action: () => void): void {
    const { socket } = this.#options
    if (socket.destroyed) queueMicrotask(action)
    else socket.once('close', action)
  }
}

/** The client has gone in the meantime: `onClose` has been or will be called. */
const goneStream: ResponseStream = {
  write: () => true,
  onDrain() {},
  end() {},
  abort() {},
  bufferedBytes: 0,
}
