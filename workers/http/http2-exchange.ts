import {
  constants,
  type IncomingHttpHeaders,
  type OutgoingHttpHeaders,
  type ServerHttp2Stream,
} from 'node:http2'
import type { BodyFailure, Headers, PeerCertificate, ResponseStream } from '../../src/pipeline/exchange.ts'
import { fail, ok, type Result } from '../../store/contract.ts'
import { forgetSentHeaders } from './forget.ts'
import { breakOff, Http2ResponseStream } from './http2-stream.ts'
import type { Peer } from './peer.ts'
import type { NodeLikeExchange } from './reception.ts'
import type { RequestTarget } from './request-target.ts'

const noBody = Buffer.alloc(0)
const noHeaders: IncomingHttpHeaders = {}
const noRaw: readonly string[] = []

/** What all streams of a connection share. */
export interface Http2Connection {
  readonly remoteAddress: string
  readonly peer: Peer
  /** A body that is not whole after this long is answered 408. */
  readonly requestMs: number
  /** A stream is over; `answered`: an answer was begun before. */
  ended(answered: boolean): void
}

/** One stream of an HTTP/2 connection. Source: RFC 9113, section 8. */
export class Http2Exchange implements NodeLikeExchange {
  readonly method: string
  readonly path: string
  readonly query: string
  readonly secure = true
  readonly #stream: ServerHttp2Stream
  readonly #connection: Http2Connection
  #headers: IncomingHttpHeaders
  /** Name, value, name, value, as received. */
  #raw: readonly string[]
  #closed = false
  #onClose: (() => void) | undefined
  answered = false

  constructor(
    stream: ServerHttp2Stream,
    headers: IncomingHttpHeaders,
    raw: readonly string[],
    target: RequestTarget,
    connection: Http2Connection,
  ) {
    this.#stream = stream
    this.#headers = headers
    this.#raw = raw
    this.#connection = connection
    this.method = headers[':method'] ?? 'GET'
    this.path = target.path
    this.query = target.query
    stream.on('error', ignore) // 'close' follows
    // Node tells it once; `once` would keep four more objects for as long as a watch.
    stream.on('close', () => this.#finish())
  }

  get remoteAddress(): string {
    return this.#connection.remoteAddress
  }

  get peerCertificate(): PeerCertificate | undefined {
    const { peer } = this.#connection
    return peer.type === 'verified' ? peer.certificate : undefined
  }

  get proxyCertificate(): PeerCertificate | undefined {
    const { peer } = this.#connection
    return peer.type === 'verified' ? peer.proxyCertificate : undefined
  }

  header(name: string): string | undefined {
    const value = this.#headers[name === 'host' ? ':authority' : name] ?? this.#headers[name]
    return typeof value === 'string' ? value : undefined
  }

  headerValues(name: string): readonly string[] {
    const values: string[] = []
    for (let at = 0; at + 1 < this.#raw.length; at += 2) {
      if (this.#raw[at] === name) values.push(this.#raw[at + 1] ?? '')
    }
    return values
  }

  headerNames(): readonly string[] {
    return Object.keys(this.#headers).filter((name) => !name.startsWith(':'))
  }

  readBody(limitBytes: number): Promise<Result<Buffer, BodyFailure>> {
    const stream = this.#stream
    if (stream.endAfterHeaders) return Promise.resolve(ok(noBody))
    if (Number(this.#headers['content-length'] ?? 0) > limitBytes) {
      return Promise.resolve(fail({ code: 'TooLarge', limitBytes }))
    }
    return collect(stream, limitBytes, this.#connection.requestMs, () => {
      if (!this.answered) this.respond(408, {}, noBody)
    })
  }

  respond(status: number, headers: Headers, body: Buffer): void {
    const stream = this.#stream
    this.answered = true
    if (stream.destroyed || stream.closed) return
    const head = headOf(status, headers)
    if (status !== 204 && status !== 304) head['content-length'] = body.length
    const bodiless = body.length === 0 || this.method === 'HEAD' || status === 204 || status === 304
    stream.respond(head, { endStream: bodiless })
    if (!bodiless) stream.end(body)
    // The rest of a body that nobody reads: RFC 9113, section 8.1.
    if (!stream.readableEnded && !stream.endAfterHeaders) {
      if (stream.writableFinished) stream.close(constants.NGHTTP2_NO_ERROR)
      else stream.once('finish', () => stream.close(constants.NGHTTP2_NO_ERROR))
    }
  }

  stream(status: number, headers: Headers): ResponseStream {
    const stream = this.#stream
    this.answered = true
    const bodiless = this.method === 'HEAD'
    if (!stream.destroyed && !stream.closed) {
      stream.respond(headOf(status, headers), { endStream: bodiless })
    }
    // A watch lives for hours: what was asked has been read.
    this.#raw = noRaw
    this.#headers = noHeaders
    forgetSentHeaders(stream)
    return new Http2ResponseStream(stream, bodiless)
  }

  breakOff(): void {
    breakOff(this.#stream)
  }

  onClose(action: () => void): void {
    const before = this.#onClose
    if (this.#closed) queueMicrotask(action)
    else if (before === undefined) this.#onClose = action
    else
      this.#onClose = () => {
        before()
        action()
      }
  }

  #finish(): void {
    this.#closed = true
    this.#connection.ended(this.answered)
    this.#onClose?.()
    this.#onClose = undefined
  }
}

function ignore(): void {}

/** As Node takes them: it lowers the case of names itself. */
function headOf(status: number, headers: Headers): OutgoingHttpHeaders {
  const head: OutgoingHttpHeaders = { ':status': status }
  for (const name in headers) {
    const value = headers[name]
    if (value !== undefined) head[name] = typeof value === 'string' ? value : [...value]
  }
  return head
}

function collect(
  stream: ServerHttp2Stream,
  limitBytes: number,
  requestMs: number,
  tooSlow: () => void,
): Promise<Result<Buffer, BodyFailure>> {
  return new Promise((resolve) => {
    let chunks: Buffer[] = []
    let bytes = 0
    const finish = (result: Result<Buffer, BodyFailure>): void => {
      clearTimeout(timer)
      stream.off('data', onData)
      stream.off('end', onEnd)
      stream.off('close', onClose)
      chunks = []
      resolve(result)
    }
    const onData = (chunk: Buffer): void => {
      bytes += chunk.length
      if (bytes > limitBytes) {
        // What follows waits in the client: its window stays closed.
        stream.pause()
        finish(fail({ code: 'TooLarge', limitBytes }))
      } else chunks.push(chunk)
    }
    const onEnd = (): void => {
      // A reset ends the body too.
      if (stream.rstCode !== constants.NGHTTP2_NO_ERROR || stream.destroyed) {
        onClose()
        return
      }
      const [only] = chunks
      finish(ok(only !== undefined && chunks.length === 1 ? only : Buffer.concat(chunks, bytes)))
    }
    const onClose = (): void => finish(fail({ code: 'Aborted' }))
    const timer = setTimeout(() => {
      tooSlow()
      onClose()
    }, requestMs)
    timer.unref()
    stream.on('data', onData)
    stream.once('end', onEnd)
    stream.once('close', onClose)
    if (stream.destroyed) onClose()
  })
}
