/** An exchange without a network: a request made of values, an answer that a test can await and read. */

import type {
  Exchange,
  Handler,
  Headers,
  PeerCertificate,
  ResponseStream,
  SharedChunk,
} from '../../src/pipeline/exchange.ts'
import { fail, ok } from '../../store/contract.ts'

interface FakeRequest {
  readonly method: string
  /** With the query. */
  readonly target: string
  /** Lower-case names. */
  readonly headers?: Readonly<Record<string, string | readonly string[]>>
  readonly body?: Buffer
  readonly certificate?: PeerCertificate
  readonly proxyCertificate?: PeerCertificate
  /** The client goes away before its body is whole. */
  readonly abortsBody?: boolean
}

interface FakeAnswer {
  readonly status: number
  readonly headers: Headers
  readonly body: Buffer
  /** False = the connection broke before the end. */
  readonly complete: boolean
}

export interface FakeExchange {
  readonly exchange: Exchange
  /** Resolves when the answer is complete or aborted. */
  readonly answered: Promise<FakeAnswer>
  /** Resolves with status and headers, as soon as there are any. */
  readonly started: Promise<{ readonly status: number; readonly headers: Headers }>
  /** Text of the stream so far. */
  text(): string
  /** The same as bytes. */
  bytes(): Buffer
  /** Runs at each write and at the end. */
  onProgress(action: () => void): void
  /** The client goes away. */
  disconnect(): void
}

export function fakeExchange(request: FakeRequest): FakeExchange {
  const [path = '', query = ''] = split(request.target)
  const { headers = {}, body = Buffer.alloc(0) } = request
  const parts: Buffer[] = []
  const closeActions: (() => void)[] = []
  let closed = false
  const valuesOf = (name: string): readonly string[] => {
    const value = headers[name]
    return value === undefined ? [] : typeof value === 'string' ? [value] : value
  }
  let progress = () => {}
  let resolveStarted: (value: { status: number; headers: Headers }) => void = () => {}
  let resolveAnswered: (answer: FakeAnswer) => void = () => {}
  const started = new Promise<{ status: number; headers: Headers }>((resolve) => {
    resolveStarted = resolve
  })
  const answered = new Promise<FakeAnswer>((resolve) => {
    resolveAnswered = resolve
  })
  let begun = false

  function begin(status: number, sent: Headers): void {
    if (begun) throw new Error('answered twice')
    begun = true
    resolveStarted({ status, headers: lowerCase(sent) })
  }

  async function finish(complete: boolean): Promise<void> {
    const { status, headers: sent } = await started
    resolveAnswered({ status, headers: sent, body: Buffer.concat(parts), complete })
    progress()
  }

  const stream: ResponseStream = {
    bufferedBytes: 0,
    write(chunk: SharedChunk | Buffer) {
      if (!closed) parts.push(Buffer.from(Buffer.isBuffer(chunk) ? chunk : chunk.payload))
      progress()
      return true
    },
    onDrain() {},
    end: () => void finish(true),
    abort: () => void finish(false),
  }

  const exchange: Exchange = {
    method: request.method,
    path,
    query,
    secure: true,
    remoteAddress: '192.0.2.1',
    peerCertificate: request.certificate,
    proxyCertificate: request.proxyCertificate,
    header(name) {
      const values = valuesOf(name)
      if (values.length > 0) return values.join(', ')
      return name === 'content-length' && body.length > 0 ? String(body.length) : undefined
    },
    headerValues: valuesOf,
    headerNames: () => Object.keys(headers),
    async readBody(limitBytes) {
      if (request.abortsBody === true) return fail({ code: 'Aborted' })
      return body.length > limitBytes ? fail({ code: 'TooLarge', limitBytes }) : ok(body)
    },
    respond(status, sent, content) {
      begin(status, sent)
      if (request.method !== 'HEAD') parts.push(Buffer.from(content))
      void finish(true)
    },
    stream(status, sent) {
      begin(status, sent)
      return stream
    },
    onClose(action) {
      closeActions.push(action)
      if (closed) action()
    },
  }

  return {
    exchange,
    answered,
    started,
    text: () => Buffer.concat(parts).toString('utf8'),
    bytes: () => Buffer.concat(parts),
    onProgress(action) {
      progress = action
    },
    disconnect() {
      closed = true
      for (const action of closeActions.splice(0)) action()
    },
  }
}

function split(target: string): readonly string[] {
  const mark = target.indexOf('?')
  return mark < 0 ? [target] : [target.slice(0, mark), target.slice(mark + 1)]
}

function lowerCase(headers: Headers): Headers {
  return Object.fromEntries(Object.entries(headers).map(([name, value]) => [name.toLowerCase(), value]))
}

/** Sends one request through a handler. */
export function exchangeWith(handler: Handler, request: FakeRequest): FakeExchange {
  const fake = fakeExchange(request)
  handler(fake.exchange)
  return fake
}
