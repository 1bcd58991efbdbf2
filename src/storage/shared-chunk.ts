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

/** The bytes themselves, without framing. */
export function payloadOf(piece: SharedChunk | Buffer): Buffer {
  return Buffer.isBuffer(piece) ? piece : piece.payload
}

/** Bytes to send to many. The payload must not be empty (that would end an HTTP/1.1 body) and must not change. */
export function sharedChunk(payload: Buffer): SharedChunk {
  return new Chunk(payload)
}
