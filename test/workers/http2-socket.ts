/**
 * HTTP/1.1 on this side, HTTP/2 on the other: lets the transport suite, which speaks byte by byte, drive a listener over
 * HTTP/2. Requests become streams of one connection; answers come back in the order of the requests, each chunk of DATA
 * as a chunk, at the pace at which this side is read.
 */

import { type ClientHttp2Session, type ClientHttp2Stream, connect, constants } from 'node:http2'
import { Duplex } from 'node:stream'

interface DialOptions {
  readonly port: number
  readonly ca: string
}

/** Resolves when the connection stands. */
export function connectHttp2({ port, ca }: DialOptions): Promise<Http2Socket> {
  return new Promise((resolve, reject) => {
    const session = connect(`https://127.0.0.1:${port}`, { ca })
    session.once('connect', () => resolve(new Http2Socket(session)))
    session.once('error', reject)
  })
}

interface Head {
  readonly method: string
  readonly path: string
  readonly headers: readonly (readonly [string, string])[]
}

interface Asked {
  readonly stream: ClientHttp2Stream
  readonly method: string
  /** It may come while earlier answers are passed on. */
  readonly head: Promise<Record<string, unknown>>
}

const hopByHop: ReadonlySet<string> = new Set(['host', 'connection', 'transfer-encoding', 'expect'])

class Http2Socket extends Duplex {
  readonly session: ClientHttp2Session
  #received = ''
  /** The request whose body is being sent: its bytes by length, or in chunks. */
  #open: { readonly stream: ClientHttp2Stream; left: number | 'chunked' } | undefined
  /** Requests whose answers are not over, in order. */
  readonly #asked: Asked[] = []

  constructor(session: ClientHttp2Session) {
    super({ allowHalfOpen: true })
    this.session = session
    session.on('error', () => {})
    session.once('close', () => {
      if (this.#asked.length === 0) this.push(null)
    })
  }

  override _write(chunk: Buffer, _encoding: string, done: () => void): void {
    this.#received += chunk.toString('latin1')
    while (this.#step()) {}
    done()
  }

  override _final(done: () => void): void {
    for (const { stream } of this.#asked) stream.close(constants.NGHTTP2_CANCEL)
    done()
  }

  override _destroy(error: Error | null, done: (error: Error | null) => void): void {
    this.session.destroy()
    done(error)
  }

  override _read(): void {
    this.#asked[0]?.stream.resume()
  }

  /** One head, or one piece of a body; false = more bytes are needed. */
  #step(): boolean {
    if (this.#open === undefined) {
      const end = this.#received.indexOf('\r\n\r\n')
      if (end === -1) return false
      const head = parseHead(this.#received.slice(0, end))
      this.#received = this.#received.slice(end + 4)
      this.#ask(head)
      return true
    }
    const { stream, left } = this.#open
    if (stream.closed) return false
    if (left === 'chunked') return this.#chunkStep(stream)
    const piece = this.#received.slice(0, left)
    if (piece === '') return false
    this.#received = this.#received.slice(piece.length)
    this.#open.left = left - piece.length
    stream.write(Buffer.from(piece, 'latin1'))
    if (this.#open.left === 0) this.#endBody(stream)
    return true
  }

  #chunkStep(stream: ClientHttp2Stream): boolean {
    const lineEnd = this.#received.indexOf('\r\n')
    if (lineEnd === -1) return false
    const size = Number.parseInt(this.#received.slice(0, lineEnd), 16)
    const end = lineEnd + 2 + size + 2
    if (this.#received.length < end) return false
    const payload = this.#received.slice(lineEnd + 2, end - 2)
    this.#received = this.#received.slice(end)
    if (size === 0) this.#endBody(stream)
    else stream.write(Buffer.from(payload, 'latin1'))
    return true
  }

  #endBody(stream: ClientHttp2Stream): void {
    stream.end()
    this.#open = undefined
  }

  #ask({ method, path, headers }: Head): void {
    const values = new Map<string, string[]>()
    for (const [name, value] of headers) {
      const known = values.get(name)
      if (known === undefined) values.set(name, [value])
      else known.push(value)
    }
    const chunked = values.has('transfer-encoding')
    const length = Number(values.get('content-length')?.[0] ?? 0)
    const fields = [...values].filter(([name]) => !hopByHop.has(name))
    const bodiless = !chunked && length === 0
    const stream = this.session.request(
      { ...Object.fromEntries(fields), ':method': method, ':path': path },
      { endStream: bodiless },
    )
    stream.on('error', () => {})
    if (!bodiless) this.#open = { stream, left: chunked ? 'chunked' : length }
    const head = new Promise<Record<string, unknown>>((resolve) => stream.once('response', resolve))
    this.#asked.push({ stream, method, head })
    if (this.#asked.length === 1) this.#relay()
  }

  /** Passes on the answer to the first request, then those of the next. */
  #relay(): void {
    const [first] = this.#asked
    if (first === undefined) {
      if (this.session.closed) this.push(null)
      return
    }
    const { stream, method, head } = first
    let chunked = true
    let whole = false
    let early = false
    void head.then((headers) => {
      early = this.#open?.stream === stream
      const lines = [`HTTP/1.1 ${headers[':status']} ${headers[':status'] === 200 ? 'OK' : 'Other'}`]
      for (const [name, value] of Object.entries(headers)) {
        if (!name.startsWith(':')) lines.push(`${name}: ${String(value)}`)
      }
      chunked = headers['content-length'] === undefined
      if (chunked) lines.push('transfer-encoding: chunked')
      this.push(`${lines.join('\r\n')}\r\n\r\n`)
      this.#relayBody(stream, chunked)
    })
    stream.once('end', () => {
      whole = stream.rstCode === constants.NGHTTP2_NO_ERROR
      if (whole && chunked && method !== 'HEAD') this.push('0\r\n\r\n')
    })
    stream.once('close', () => {
      this.#asked.shift()
      if (!whole && !stream.readableEnded) whole = stream.rstCode === constants.NGHTTP2_NO_ERROR
      if (!whole) this.destroy()
      // The rest of its body would be taken for a request.
      else if (early) this.push(null)
      else this.#relay()
    })
  }

  #relayBody(stream: ClientHttp2Stream, chunked: boolean): void {
    stream.on('data', (payload: Buffer) => {
      const frame = chunked
        ? Buffer.concat([Buffer.from(`${payload.length.toString(16)}\r\n`), payload, Buffer.from('\r\n')])
        : payload
      if (!this.push(frame)) stream.pause()
    })
  }
}

function parseHead(text: string): Head {
  const [first = '', ...lines] = text.split('\r\n')
  const [method = '', path = ''] = first.split(' ')
  const headers = lines.map((line): readonly [string, string] => {
    const colon = line.indexOf(':')
    return [line.slice(0, colon).toLowerCase(), line.slice(colon + 1).trim()]
  })
  return { method, path, headers }
}
