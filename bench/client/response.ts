/**
 * A small HTTP/1.1 response parser for a load generator: it counts bytes rather than collecting them, so that the
 * client's own processor time stays out of the figures.
 *
 * Source: RFC 9112, sections 4 (status line), 6 (message body), 7.1 (chunked). Trailers and obsolete line folding
 * are refused; no server of this API sends them.
 */

/** What one response turns into, in this order: `head`, any number of `body`, `end`. */
export interface ResponseListener {
  /** `head` is the status line and the headers, lower case, CRLF between lines. */
  head(status: number, head: string): void
  /** Bytes `[start, end)` of `bytes`, which belong to the caller again afterwards. */
  body(bytes: Buffer, start: number, end: number): void
  end(): void
}

/** Longest head that is accepted, in bytes. Beyond it the parser throws. */
const headBytesMax = 65_536
const CR = 13
const LF = 10

type State = 'head' | 'length' | 'close' | 'chunkSize' | 'chunkData' | 'chunkEnd' | 'lastLine'

export class ResponseParser {
  readonly #listener: ResponseListener
  #state: State = 'head'
  #head: Buffer | undefined
  #remaining = 0
  #chunkSize = 0
  #inExtension = false
  #between = 0

  constructor(listener: ResponseListener) {
    this.#listener = listener
  }

  /** Parses bytes `[start, end)`. Throws when they are no HTTP/1.1 response. */
  feed(bytes: Buffer, start: number, end: number): void {
    let at = start
    while (at < end) {
      switch (this.#state) {
        case 'head':
          at = this.#parseHead(bytes, at, end)
          break
        case 'length':
        case 'chunkData':
          at = this.#parseCounted(bytes, at, end)
          break
        case 'close':
          this.#listener.body(bytes, at, end)
          at = end
          break
        case 'chunkSize':
          at = this.#parseChunkSize(bytes, at, end)
          break
        case 'chunkEnd':
        case 'lastLine':
          at = this.#parseLineEnd(bytes, at)
          break
      }
    }
  }

  /** The peer closed. True when this is a proper end: nothing was begun, or the body ran until the close. */
  finish(): boolean {
    if (this.#state === 'close') {
      this.#state = 'head'
      this.#listener.end()
      return true
    }
    return this.#state === 'head' && this.#head === undefined
  }

  #parseHead(bytes: Buffer, start: number, end: number): number {
    const earlier = this.#head
    const piece = bytes.subarray(start, end)
    const all = earlier === undefined ? piece : Buffer.concat([earlier, piece])
    const headEnd = all.indexOf('\r\n\r\n', 0, 'latin1')
    if (headEnd < 0) {
      if (all.length > headBytesMax) throw new Error(`response head of more than ${headBytesMax} bytes`)
      this.#head = Buffer.from(all)
      return end
    }
    this.#head = undefined
    this.#begin(all.toString('latin1', 0, headEnd + 2).toLowerCase())
    return start + headEnd + 4 - (earlier === undefined ? 0 : earlier.length)
  }

  #begin(head: string): void {
    const status = Number(head.slice(9, 12))
    if (!head.startsWith('http/1.1 ') || !Number.isInteger(status)) {
      throw new Error(`not an HTTP/1.1 status line: ${JSON.stringify(head.slice(0, 40))}`)
    }
    if (status < 200) return
    const lengthText = headerOf(head, 'content-length')
    this.#listener.head(status, head)
    if (headerOf(head, 'transfer-encoding') === 'chunked') {
      this.#beginChunk()
    } else if (status === 204 || status === 304) {
      this.#listener.end()
    } else if (lengthText === undefined) {
      this.#state = 'close'
    } else {
      this.#remaining = Number(lengthText)
      if (this.#remaining === 0) this.#listener.end()
      else this.#state = 'length'
    }
  }

  #parseCounted(bytes: Buffer, start: number, end: number): number {
    const to = Math.min(end, start + this.#remaining)
    this.#remaining -= to - start
    const chunked = this.#state === 'chunkData'
    this.#listener.body(bytes, start, to)
    if (this.#remaining > 0) return to
    if (chunked) {
      this.#state = 'chunkEnd'
    } else {
      this.#state = 'head'
      this.#listener.end()
    }
    return to
  }

  #beginChunk(): void {
    this.#state = 'chunkSize'
    this.#chunkSize = 0
    this.#inExtension = false
  }

  #parseChunkSize(bytes: Buffer, start: number, end: number): number {
    for (let at = start; at < end; at++) {
      const byte = bytes[at] ?? 0
      if (byte === LF) {
        this.#remaining = this.#chunkSize
        this.#state = this.#chunkSize === 0 ? 'lastLine' : 'chunkData'
        return at + 1
      }
      if (byte === CR || this.#inExtension) continue
      const digit = hexDigit(byte)
      if (digit >= 0) this.#chunkSize = this.#chunkSize * 16 + digit
      else if (byte === 59 || byte === 32) this.#inExtension = true
      else throw new Error(`byte ${byte} in a chunk size`)
    }
    return end
  }

  /** CRLF after a chunk's data, and the empty line after the last chunk. */
  #parseLineEnd(bytes: Buffer, at: number): number {
    const byte = bytes[at]
    if (byte !== (this.#between === 0 ? CR : LF)) throw new Error(`byte ${byte} where a chunk ends`)
    this.#between = 1 - this.#between
    if (this.#between === 1) return at + 1
    if (this.#state === 'chunkEnd') {
      this.#beginChunk()
    } else {
      this.#state = 'head'
      this.#listener.end()
    }
    return at + 1
  }
}

/** A header's value in a lower-case head as {@link ResponseListener.head} gets it; absent = no such header. */
export function headerOf(head: string, name: string): string | undefined {
  const at = head.indexOf(`\r\n${name}:`)
  if (at < 0) return undefined
  const start = at + name.length + 3
  return head.slice(start, head.indexOf('\r\n', start)).trim()
}

function hexDigit(byte: number): number {
  if (byte >= 48 && byte <= 57) return byte - 48
  const lower = byte | 32
  return lower >= 97 && lower <= 102 ? lower - 87 : -1
}
