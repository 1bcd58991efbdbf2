/** What a handler gives back, before it becomes bytes on a connection; and the one place where it does. */

import type { Result } from '../../store/contract.ts'
import { gzipBuffer, gzipPieces, type Sink } from '../codec/gzip.ts'
import type { ApiFailure } from '../status/status.ts'
import { codeOf, toStatus } from '../status/status.ts'
import { payloadOf } from '../storage/shared-chunk.ts'
import type { Exchange, Headers, LentChunk, ResponseStream, SharedChunk } from './exchange.ts'

/** Lent pieces are given back when they have left. */
type Piece = LentChunk | SharedChunk | Buffer

export type Answer =
  | {
      readonly type: 'body'
      readonly code: number
      readonly contentType: string
      readonly body: Buffer
      readonly headers?: Headers
    }
  /** A large body, written as the connection takes it. */
  | {
      readonly type: 'pieces'
      readonly code: number
      readonly contentType: string
      readonly pieces: Iterable<Piece>
    }
  /** The handler has opened a stream on the exchange and lives on with it. `code` was sent. */
  | { readonly type: 'streaming'; readonly code: number }

type BodyAnswer = Extract<Answer, { type: 'body' }>

export type Outcome = Result<Answer, ApiFailure>

const jsonType = 'application/json'

/** A value as JSON text. */
export function jsonAnswer(code: number, value: unknown): Answer {
  return { type: 'body', code, contentType: jsonType, body: Buffer.from(JSON.stringify(value)) }
}

/** Plain text in UTF-8. */
export function textAnswer(code: number, text: string): Answer {
  return { type: 'body', code, contentType: 'text/plain; charset=utf-8', body: Buffer.from(text) }
}

/** A failure as `Status` in JSON. */
export function failureAnswer(failure: ApiFailure): BodyAnswer {
  const retryAfterSeconds = failure.details?.retryAfterSeconds
  return {
    type: 'body',
    code: codeOf(failure),
    contentType: jsonType,
    body: Buffer.from(JSON.stringify(toStatus(failure))),
    ...(retryAfterSeconds === undefined ? {} : { headers: { 'Retry-After': String(retryAfterSeconds) } }),
  }
}

/** Bodies from this size on are compressed for clients that take gzip. Source: specification, `APIResponseCompression`. */
const gzipBytesMin = 128 * 1024

interface SendOptions {
  /** Headers of every answer. */
  readonly headers: Headers
  /** Response compression is on. */
  readonly compression: boolean
}

/** The number of body bytes, when all is handed to the transport or the client is gone: at once, as a rule. */
export function send(
  exchange: Exchange,
  answer: Exclude<Answer, { type: 'streaming' }>,
  options: SendOptions,
): number | Promise<number> {
  const headers: Record<string, string | readonly string[]> = {}
  for (const name in options.headers) headers[name] = options.headers[name] ?? ''
  headers['Content-Type'] = answer.contentType
  const gzip = options.compression && answer.code === 200 && takesGzip(exchange)
  if (answer.type === 'pieces' && exchange.method === 'HEAD') {
    exchange.respond(answer.code, headers, Buffer.concat([...answer.pieces].map(payloadOf)))
    return 0
  }
  if (answer.type === 'pieces') return sendPieces(exchange, answer.code, headers, answer.pieces, gzip)
  const all = answer.headers === undefined ? headers : { ...headers, ...answer.headers }
  if (gzip && answer.body.length >= gzipBytesMin) {
    return sendGzipped(exchange, answer, all)
  }
  exchange.respond(answer.code, all, answer.body)
  return answer.body.length
}

async function sendGzipped(
  exchange: Exchange,
  { code, body }: BodyAnswer,
  headers: Headers,
): Promise<number> {
  const zipped = await gzipBuffer(body)
  exchange.respond(code, { ...headers, 'Content-Encoding': 'gzip', Vary: 'Accept-Encoding' }, zipped)
  return zipped.length
}

function takesGzip(exchange: Exchange): boolean {
  return exchange.method === 'GET' && (exchange.header('accept-encoding') ?? '').includes('gzip')
}

/** One piece alone is sent whole, with its length; more are streamed at the pace of the client. */
async function sendPieces(
  exchange: Exchange,
  code: number,
  headers: Headers,
  pieces: Iterable<Piece>,
  gzip: boolean,
): Promise<number> {
  const iterator = pieces[Symbol.iterator]()
  const first = iterator.next()
  const second = iterator.next()
  if (first.done === true) {
    exchange.respond(code, headers, Buffer.alloc(0))
    return 0
  }
  if (second.done === true) {
    const sent = await send(
      exchange,
      { type: 'body', code, contentType: String(headers['Content-Type']), body: payloadOf(first.value) },
      { headers, compression: gzip },
    )
    if (isLent(first.value)) releaseAtEnd([first.value], exchange)
    return sent
  }
  const rest: Iterable<Piece> = { [Symbol.iterator]: () => iterator }
  const all = chain([first.value, second.value], rest)
  const sent = gzip ? { ...headers, 'Content-Encoding': 'gzip', Vary: 'Accept-Encoding' } : headers
  const stream = exchange.stream(code, sent)
  const sink = createSink(exchange, stream)
  return gzip ? gzipPieces(payloads(all), sink) : writeAll(all, sink, stream, exchange)
}

function* chain<T>(first: readonly T[], rest: Iterable<T>): Iterable<T> {
  yield* first
  yield* rest
}

function* payloads(pieces: Iterable<Piece>): Iterable<Buffer> {
  for (const piece of pieces) yield payloadOf(piece)
}

function createSink(exchange: Exchange, stream: ResponseStream): Sink {
  let gone = false
  let resume: (() => void) | undefined
  const wake = () => {
    resume?.()
    resume = undefined
  }
  stream.onDrain(wake)
  exchange.onClose(() => {
    gone = true
    wake()
  })
  return {
    write(piece) {
      if (gone) return false
      if (stream.write(piece)) return true
      return new Promise((resolve) => {
        resume = () => resolve(!gone)
        if (gone) wake()
      })
    },
    end: () => stream.end(),
  }
}

async function writeAll(
  pieces: Iterable<Piece>,
  sink: Sink,
  stream: ResponseStream,
  exchange: Exchange,
): Promise<number> {
  let bytes = 0
  let lent: LentChunk[] = []
  for (const piece of pieces) {
    bytes += payloadOf(piece).length
    if (isLent(piece)) lent.push(piece)
    if (!(await sink.write(piece))) return bytes
    if (lent.length === 0 || stream.bufferedBytes > 0) continue
    for (const one of lent) one.release()
    lent = []
  }
  sink.end()
  if (lent.length > 0) releaseAtEnd(lent, exchange)
  return bytes
}

function isLent(piece: Piece): piece is LentChunk {
  return 'release' in piece
}

/** The answer has left, or nobody will send it any more. */
function releaseAtEnd(lent: readonly LentChunk[], exchange: Exchange): void {
  exchange.onClose(() => {
    for (const piece of lent) piece.release()
  })
}
