import type { IncomingMessage, ServerResponse } from 'node:http'
import type { BodyFailure, Headers, PeerCertificate, ResponseStream } from '../../src/pipeline/exchange.ts'
import { fail, ok, type Result } from '../../store/contract.ts'
import { forgetAsked } from './forget.ts'
import { limits } from './limits.ts'
import { createNodeStream } from './node-stream.ts'
import type { NodeLikeExchange } from './reception.ts'
import type { RequestTarget } from './request-target.ts'

const noBody = Buffer.alloc(0)

/** What the listener knows of the connection. */
export interface NodeConnection {
  readonly secure: boolean
  readonly peerCertificate: PeerCertificate | undefined
  readonly proxyCertificate: PeerCertificate | undefined
  /** The client waits for `100 Continue` before it sends the body. */
  readonly expectsContinue: boolean
  /** The listener closes: no further request on this connection. */
  readonly last: () => boolean
}

export class NodeExchange implements NodeLikeExchange {
  readonly path: string
  readonly query: string
  readonly #request: IncomingMessage
  readonly #response: ServerResponse
  readonly #connection: NodeConnection

  constructor(
    request: IncomingMessage,
    response: ServerResponse,
    target: RequestTarget,
    connection: NodeConnection,
  ) {
    this.#request = request
    this.#response = response
    this.#connection = connection
    this.path = target.path
    this.query = target.query
  }

  get method(): string {
    return this.#request.method ?? 'GET'
  }

  get answered(): boolean {
    return this.#response.headersSent
  }

  breakOff(): void {
    this.#request.socket.destroy()
  }

  get secure(): boolean {
    return this.#connection.secure
  }

  get remoteAddress(): string {
    return this.#request.socket.remoteAddress ?? ''
  }

  get peerCertificate(): PeerCertificate | undefined {
    return this.#connection.peerCertificate
  }

  get proxyCertificate(): PeerCertificate | undefined {
    return this.#connection.proxyCertificate
  }

  header(name: string): string | undefined {
    const value = this.#request.headers[name]
    return typeof value === 'string' ? value : undefined
  }

  headerValues(name: string): readonly string[] {
    return this.#request.headersDistinct[name] ?? []
  }

  headerNames(): readonly string[] {
    return Object.keys(this.#request.headers)
  }

  readBody(limitBytes: number): Promise<Result<Buffer, BodyFailure>> {
    const request = this.#request
    const { 'content-length': length, 'transfer-encoding': encoding } = request.headers
    if (encoding === undefined && (length === undefined || length === '0')) return Promise.resolve(ok(noBody))
    if (length !== undefined && Number(length) > limitBytes) {
      return Promise.resolve(fail({ code: 'TooLarge', limitBytes }))
    }
    if (this.#connection.expectsContinue) this.#response.writeContinue()
    return collect(request, limitBytes)
  }

  respond(status: number, headers: Headers, body: Buffer): void {
    const response = this.#response
    if (response.destroyed) return
    const lingers = this.#bodyIsUnwanted()
    if (lingers || this.#connection.last()) response.shouldKeepAlive = false
    const flat = flatten(headers)
    if (status !== 204 && status !== 304) flat.push('content-length', String(body.length))
    response.writeHead(status, flat)
    if (!lingers) {
      response.end(body)
      return
    }
    // An answer that is complete, then a moment in which the sender can see it, then the end: closing at once would
    // make the kernel reset the connection, and the answer would be lost.
    if (body.length > 0) response.write(body)
    else response.flushHeaders()
    discard(this.#request, () => {
      response.end()
      this.#request.socket.destroySoon()
    })
  }

  stream(status: number, headers: Headers): ResponseStream {
    if (this.#bodyIsUnwanted() || this.#connection.last()) this.#response.shouldKeepAlive = false
    this.#response.writeHead(status, flatten(headers))
    const stream = createNodeStream(this.#response)
    forgetAsked(this.#request)
    return stream
  }

  /** The rest of the body is too long to be read for nothing, or its sender still waits to be asked for it. */
  #bodyIsUnwanted(): boolean {
    const request = this.#request
    if (request.complete) return false
    const { 'content-length': length, 'transfer-encoding': encoding } = request.headers
    if (encoding === undefined && length === undefined) return false
    return (
      encoding !== undefined || this.#connection.expectsContinue || Number(length) > limits.unwantedBytesMax
    )
  }

  onClose(action: () => void): void {
    if (this.#response.destroyed || this.#response.closed) queueMicrotask(action)
    // Node tells it once; `once` would keep four more objects for as long as a watch.
    else this.#response.on('close', action)
  }
}

/** As Node's fast path takes them: name, value, name, value. */
export function flatten(headers: Headers): string[] {
  const flat: string[] = []
  for (const name in headers) {
    const value = headers[name]
    if (typeof value === 'string') flat.push(name, value)
    else if (value !== undefined) for (const one of value) flat.push(name, one)
  }
  return flat
}

function collect(request: IncomingMessage, limitBytes: number): Promise<Result<Buffer, BodyFailure>> {
  return new Promise((resolve) => {
    let chunks: Buffer[] = []
    let bytes = 0
    let over = false
    // The listeners stay: they go with the request, which is cheaper than taking them away one by one.
    const finish = (result: Result<Buffer, BodyFailure>): void => {
      over = true
      chunks = []
      resolve(result)
    }
    const onData = (chunk: Buffer): void => {
      if (over) return
      bytes += chunk.length
      if (bytes > limitBytes) {
        request.pause()
        finish(fail({ code: 'TooLarge', limitBytes }))
      } else chunks.push(chunk)
    }
    const onEnd = (): void => {
      if (over) return
      const [only] = chunks
      finish(ok(only !== undefined && chunks.length === 1 ? only : Buffer.concat(chunks, bytes)))
    }
    const onClose = (): void => {
      if (!over) finish(fail({ code: 'Aborted' }))
    }
    request.on('data', onData)
    request.on('end', onEnd)
    request.on('close', onClose)
    request.on('error', ignore) // 'close' follows
    if (request.destroyed) onClose()
  })
}

function ignore(): void {}

/** Reads and forgets until the request is whole, too much came, or the time is up; then calls `done` once. */
function discard(request: IncomingMessage, done: () => void): void {
  let bytes = 0
  let over = false
  const finish = (): void => {
    if (over) return
    over = true
    clearTimeout(timer)
    request.off('data', onData)
    request.pause()
    done()
  }
  const onData = (chunk: Buffer): void => {
    bytes += chunk.length
    if (bytes > limits.unwantedBytesMax) finish()
  }
  const timer = setTimeout(finish, limits.unwantedMs)
  timer.unref()
  request.on('data', onData)
  request.once('end', finish)
  request.once('close', finish)
  request.on('error', ignore)
  request.resume()
}
