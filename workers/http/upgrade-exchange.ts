import { type IncomingMessage, ServerResponse, STATUS_CODES } from 'node:http'
import type { Socket } from 'node:net'
import type { Duplex } from 'node:stream'
import type {
  BodyFailure,
  Headers,
  PeerCertificate,
  ResponseStream,
  Upgrade,
} from '../../src/pipeline/exchange.ts'
import { ok, type Result } from '../../store/contract.ts'
import { flatten, type NodeConnection } from './node-exchange.ts'
import { createNodeStream } from './node-stream.ts'
import type { NodeLikeExchange } from './reception.ts'
import type { RequestTarget } from './request-target.ts'

const noBody = Buffer.alloc(0)

interface UpgradeExchangeOptions {
  readonly request: IncomingMessage
  readonly socket: Socket
  /** What came behind the request's head. */
  readonly rest: Buffer
  readonly target: RequestTarget
  readonly connection: NodeConnection
  /** Take the place of headers of the request, by lower-case name; undefined = the client has sent none. */
  readonly instead: ReadonlyMap<string, string | undefined>
}

/**
 * A request for another protocol, on a connection that the HTTP server has let go of. Any answer but agreement is sent
 * as over HTTP, and ends the connection. Source: RFC 9110, section 7.8.
 */
export class UpgradeExchange implements NodeLikeExchange {
  readonly method: string
  readonly path: string
  readonly query: string
  readonly upgrade: Upgrade
  readonly #options: UpgradeExchangeOptions
  answered = false

  constructor(options: UpgradeExchangeOptions) {
    this.#options = options
    this.method = options.request.method ?? 'GET'
    this.path = options.target.path
    this.query = options.target.query
    this.upgrade = {
      protocol: options.request.headers.upgrade ?? '',
      accept: (headers) => this.#accept(headers),
    }
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
    const { instead, request } = this.#options
    if (instead.has(name)) return instead.get(name)
    const value = request.headers[name]
    return typeof value === 'string' ? value : undefined
  }

  headerValues(name: string): readonly string[] {
    const { instead, request } = this.#options
    if (!instead.has(name)) return request.headersDistinct[name] ?? []
    const value = instead.get(name)
    return value === undefined ? [] : [value]
  }

  headerNames(): readonly string[] {
    return Object.keys(this.#options.request.headers).filter((name) => this.header(name) !== undefined)
  }

  /** Whoever asks for another protocol sends none: what follows the head is of that protocol. */
  readBody(): Promise<Result<Buffer, BodyFailure>> {
    return Promise.resolve(ok(noBody))
  }

  respond(status: number, headers: Headers, body: Buffer): void {
    const response = this.#begin()
    if (response === undefined) return
    response.writeHead(status, [...flatten(headers), 'content-length', String(body.length)])
    response.end(body)
  }

  stream(status: number, headers: Headers): ResponseStream {
    const response = this.#begin() ?? new ServerResponse(this.#options.request)
    response.writeHead(status, flatten(headers))
    return createNodeStream(response)
  }

  breakOff(): void {
    this.#options.socket.destroy()
  }

  onClose(action: () => void): void {
    const { socket } = this.#options
    if (socket.destroyed) queueMicrotask(action)
    else socket.once('close', action)
  }

  /** Undefined = the client has gone. */
  #begin(): ServerResponse | undefined {
    const { request, socket } = this.#options
    this.answered = true
    if (socket.destroyed) return undefined
    const response = new ServerResponse(request)
    response.shouldKeepAlive = false
    response.assignSocket(socket)
    response.once('finish', () => socket.destroySoon())
    return response
  }

  #accept(headers: Headers): Duplex {
    const { socket, rest } = this.#options
    this.answered = true
    let head = `HTTP/1.1 101 ${STATUS_CODES[101]}\r\n`
    const flat = flatten(headers)
    for (let at = 0; at + 1 < flat.length; at += 2) head += `${flat[at]}: ${flat[at + 1]}\r\n`
    socket.write(`${head}\r\n`, 'latin1')
    if (rest.length > 0) socket.unshift(rest)
    return socket
  }
}
