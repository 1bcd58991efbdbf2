import { type IncomingMessage, ServerResponse } from 'node:http'
import type { Socket } from 'node:net'
import type { BodyFailure, Headers, PeerCertificate, ResponseStream } from '../../src/pipeline/exchange.ts'
import { ok, type Result } from '../../store/contract.ts'
import { flatten, type NodeConnection } from './node-exchange.ts'
import type { NodeLikeExchange } from './reception.ts'
import type { RequestTarget } from './request-target.ts'

const noBody = Buffer.alloc(0)

export interface LetGoOptions {
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
 * A request on a connection that the HTTP server has let go of, since the client asks for another protocol on it. Any
 * answer but agreement is sent as over HTTP, and ends the connection. Source: RFC 9110, section 7.8.
 */
export abstract class LetGoExchange implements NodeLikeExchange {
  readonly method: string
  readonly path: string
  readonly query: string
  protected readonly options: LetGoOptions
  answered = false

  constructor(options: LetGoOptions) {
    this.options = options
    this.method = options.request.method ?? 'GET'
    this.path = options.target.path
    this.query = options.target.query
  }

  get secure(): boolean {
    return this.options.connection.secure
  }

  get remoteAddress(): string {
    return this.options.socket.remoteAddress ?? ''
  }

  get peerCertificate(): PeerCertificate | undefined {
    return this.options.connection.peerCertificate
  }

  get proxyCertificate(): PeerCertificate | undefined {
    return this.options.connection.proxyCertificate
  }

  header(name: string): string | undefined {
    const { instead, request } = this.options
    if (instead.has(name)) return instead.get(name)
    const value = request.headers[name]
    return typeof value === 'string' ? value : undefined
  }

  headerValues(name: string): readonly string[] {
    const { instead, request } = this.options
    if (!instead.has(name)) return request.headersDistinct[name] ?? []
    const value = instead.get(name)
    return value === undefined ? [] : [value]
  }

  headerNames(): readonly string[] {
    return Object.keys(this.options.request.headers).filter((name) => this.header(name) !== undefined)
  }

  /** Whoever asks for another protocol sends none: what follows the head is of that protocol. */
  readBody(): Promise<Result<Buffer, BodyFailure>> {
    return Promise.resolve(ok(noBody))
  }

  respond(status: number, headers: Headers, body: Buffer): void {
    const response = this.begin()
    if (response === undefined) return
    response.writeHead(status, [...flatten(headers), 'content-length', String(body.length)])
    response.end(body)
  }

  abstract stream(status: number, headers: Headers): ResponseStream

  breakOff(): void {
    this.options.socket.destroy()
  }

  onClose(action: () => void): void {
    const { socket } = this.options
    if (socket.destroyed) queueMicrotask(action)
    else socket.once('close', action)
  }

  /** Undefined = the client has gone. */
  protected begin(): ServerResponse | undefined {
    const { request, socket } = this.options
    this.answered = true
    if (socket.destroyed) return undefined
    const response = new ServerResponse(request)
    response.shouldKeepAlive = false
    response.assignSocket(socket)
    response.once('finish', () => socket.destroySoon())
    return response
  }
}
