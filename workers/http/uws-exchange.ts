import { STATUS_CODES } from 'node:http'
import type { BodyFailure, Exchange, Headers, ResponseStream } from '../../src/pipeline/exchange.ts'
import type { Result } from '../../store/contract.ts'
import { UwsBody } from './uws-body.ts'
import type { UwsRequest, UwsResponse } from './uws-library.ts'
import { UwsStream, type UwsStreamOwner } from './uws-stream.ts'

export interface UwsConnections {
  /** The listener closes: no further request on a connection. */
  readonly last: () => boolean
  readonly opened: (exchange: UwsExchange) => void
  readonly closed: (exchange: UwsExchange) => void
}

/** Everything of the request is copied here: the library's objects live only in the turn of the handler. */
export class UwsExchange implements Exchange, UwsStreamOwner {
  readonly method: string
  readonly path: string
  readonly query: string
  readonly secure = false
  readonly remoteAddress: string
  readonly peerCertificate = undefined
  readonly proxyCertificate = undefined
  readonly response: UwsResponse
  readonly #names: string[] = []
  readonly #values: string[] = []
  readonly #body: UwsBody
  readonly #connections: UwsConnections
  #over = false
  #onClose: (() => void)[] = []

  constructor(response: UwsResponse, request: UwsRequest, connections: UwsConnections) {
    this.response = response
    this.#connections = connections
    this.method = request.getCaseSensitiveMethod()
    this.path = request.getUrl()
    this.query = request.getQuery() ?? ''
    this.remoteAddress = Buffer.from(response.getRemoteAddressAsText()).toString('latin1')
    request.forEach((name, value) => {
      this.#names.push(name)
      this.#values.push(value)
    })
    const length = this.#declaredBytes()
    this.#body = new UwsBody(response, this.header('transfer-encoding') !== undefined || (length ?? 0) > 0)
    response.onAborted(() => {
      this.#body.abort()
      this.finished()
    })
    connections.opened(this)
  }

  header(name: string): string | undefined {
    const first = this.#names.indexOf(name)
    if (first === -1) return undefined
    if (this.#names.indexOf(name, first + 1) === -1) return this.#values[first]
    return this.headerValues(name).join(', ')
  }

  headerValues(name: string): readonly string[] {
    return this.#values.filter((_, at) => this.#names[at] === name)
  }

  headerNames(): readonly string[] {
    return [...new Set(this.#names)]
  }

  #declaredBytes(): number | undefined {
    const length = this.header('content-length')
    return length === undefined ? undefined : Number(length)
  }

  readBody(limitBytes: number): Promise<Result<Buffer, BodyFailure>> {
    return this.#body.read(limitBytes, this.#declaredBytes())
  }

  respond(status: number, headers: Headers, body: Buffer): void {
    if (this.#over) return
    const close = this.#closesConnection()
    this.response.cork(() => {
      this.#writeHead(this.response, status, headers, close)
      if (status === 204 || status === 304) this.response.endWithoutBody()
      else if (this.method === 'HEAD') {
        this.response.writeHeader('content-length', String(body.length))
        this.response.endWithoutBody()
      } else this.response.end(body, close)
    })
    this.finished()
  }

  stream(status: number, headers: Headers): ResponseStream {
    const close = this.#closesConnection()
    const head = (response: UwsResponse): void => this.#writeHead(response, status, headers, close)
    return new UwsStream(this, {
      head,
      bodiless: this.method === 'HEAD',
      json: isPlainJson(headers),
    })
  }

  /** A body that was not read to its end would be taken for the next request. */
  #closesConnection(): boolean {
    return !this.#body.whole || this.#connections.last()
  }

  #writeHead(response: UwsResponse, status: number, headers: Headers, close: boolean): void {
    response.writeStatus(`${status} ${STATUS_CODES[status] ?? 'Unknown'}`)
    for (const name in headers) {
      const value = headers[name]
      if (typeof value === 'string') response.writeHeader(name, value)
      else if (value !== undefined) for (const one of value) response.writeHeader(name, one)
    }
    if (close) response.writeHeader('connection', 'close')
  }

  /** Ends the connection now. */
  drop(): void {
    this.response.close()
  }

  gone(): boolean {
    return this.#over
  }

  finished(): void {
    if (this.#over) return
    this.#over = true
    this.#connections.closed(this)
    for (const action of this.#onClose) action()
    this.#onClose = []
  }

  onClose(action: () => void): void {
    if (this.#over) queueMicrotask(action)
    else this.#onClose.push(action)
  }
}

/** JSON text that is not compressed. */
function isPlainJson(headers: Headers): boolean {
  let json = false
  for (const name in headers) {
    const lowerCase = name.toLowerCase()
    if (lowerCase === 'content-encoding') return false
    if (lowerCase === 'content-type') json = String(headers[name]).startsWith('application/json')
  }
  return json
}
