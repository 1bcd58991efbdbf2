import type { SharedChunk } from '../pipeline/exchange.ts'

const lineEnd = '\r\n'

class Chunk implements SharedChunk {
  readonly payload: Buffer
  #http1: Buffer | undefined

  constructor(payload: Buffer) {
    this.payload = payload
  }

  http1(): Buffer {
    this.#http1 ??= frameHttp1(this.payload)
    return this.#http1
  }
}

/** One chunk of chunked transfer coding. Source: RFC 9112, section 7.1. */
function frameHttp1(payload: Buffer): Buffer {
  const sizeLine = payload.length.toString(16) + lineEnd
  const framed = Buffer.allocUnsafe(sizeLine.length + payload.length + lineEnd.length)
  framed.write(sizeLine, 0, 'latin1')
  payload.copy(framed, sizeLine.length)
  framed.write(lineEnd, sizeLine.length + payload.length, 'latin1')
  return framed
}

/** A chunk of up to 4 GiB: its size line has a fixed length, so that it can be written when the size is known. */
const sizeDigits = 8

/**
 * `parts` as one chunk, with the framing of HTTP/1.1 in the same allocation: nothing is copied twice on its way out.
 * `bytes` = of all parts, more than 0.
 */
export function joinedChunk(parts: readonly Buffer[], bytes: number): SharedChunk {
  const headBytes = sizeDigits + lineEnd.length
  const framed = Buffer.allocUnsafe(headBytes + bytes + lineEnd.length)
  framed.write(bytes.toString(16).padStart(sizeDigits, '0') + lineEnd, 0, 'latin1')
  let at = headBytes
  for (const part of parts) {
    // Every other part of a list is a comma: a call for each would cost as much as for an item.
    if (part.length === 1) framed[at] = part[0] ?? 0
    else framed.set(part, at)
    at += part.length
  }
  framed.write(lineEnd, at, 'latin1')
  return { payload: framed.subarray(headBytes, at), http1: () => framed }
}

/** The bytes themselves, without framing. */
export function payloadOf(piece: SharedChunk | Buffer): Buffer {
  return Buffer.isBuffer(piece) ? piece : piece.payload
}

/** Bytes to send to many. The payload must not be empty (that would end an HTTP/1.1 body) and must not change. */
export function sharedChunk(payload: Buffer): SharedChunk {
  return new Chunk(payload)
}
