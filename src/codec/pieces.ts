/**
 * Large answers gathered into pieces. A piece is filled in place, with room for the framing of HTTP/1.1 around it, so
 * that it leaves in one plain write and each byte is copied once.
 *
 * Its memory is lent: whoever sends it gives it back, and the next piece is written there. With fresh memory for each
 * piece a list of 12 MB is 12 MB of garbage outside of V8's heap, and marks all of that heap every few lists.
 */

import assert from 'node:assert/strict'
import type { LentChunk, SharedChunk } from '../pipeline/exchange.ts'

/** What fits into a piece; only an item that is larger by itself makes a larger one. */
export const pieceBytesMax = 128 * 1024

/** The size line has a fixed length, so that it can be written when the size is known: a chunk of up to 4 GiB. */
const sizeDigits = 8
const lineEnd = '\r\n'
const headBytes = sizeDigits + lineEnd.length
const framingBytes = headBytes + lineEnd.length

/** Smaller pieces are copied out: their memory is free again at once. */
const lentBytesMin = 16 * 1024

/** Memory that lies ready. As many lists as connections may be under way; few of them have a piece in flight. */
const spareMax = 16
const spare: Buffer[] = []

function borrow(): Buffer {
  return spare.pop() ?? Buffer.allocUnsafeSlow(pieceBytesMax + framingBytes)
}

function giveBack(memory: Buffer): void {
  if (spare.length < spareMax) spare.push(memory)
}

/** Joins what is added into pieces. */
export class PieceWriter {
  #memory: Buffer | undefined
  #at = headBytes

  get isEmpty(): boolean {
    return this.#at === headBytes
  }

  /** Whether so many bytes fit behind what is there. */
  fits(bytes: number): boolean {
    return this.#at + bytes <= headBytes + pieceBytesMax
  }

  /** They must fit. */
  add(bytes: Uint8Array): void {
    this.#memory ??= borrow()
    this.#memory.set(bytes, this.#at)
    this.#at += bytes.length
  }

  /** It must fit. */
  addByte(byte: number): void {
    this.#memory ??= borrow()
    this.#memory[this.#at++] = byte
  }

  /** What was added since the last piece: something. What is added from now on belongs to the next. */
  cut(): SharedChunk | LentChunk {
    const memory = this.#memory
    const end = this.#at
    assert(memory !== undefined, 'an empty piece would end an answer over HTTP/1.1')
    this.#memory = undefined
    this.#at = headBytes
    if (end - headBytes >= lentBytesMin) return new LentPiece(memory, end)
    const copy = Buffer.from(memory.subarray(0, end + lineEnd.length))
    giveBack(memory)
    return framed(copy, end)
  }
}

/** What no piece can hold, in one of its own. */
export function largePiece(parts: readonly Uint8Array[]): SharedChunk {
  const bytes = parts.reduce((sum, part) => sum + part.length, 0)
  const memory = Buffer.allocUnsafe(bytes + framingBytes)
  let at = headBytes
  for (const part of parts) {
    memory.set(part, at)
    at += part.length
  }
  return framed(memory, at)
}

/** Source: RFC 9112, section 7.1. */
function framed(memory: Buffer, end: number): SharedChunk {
  const size = (end - headBytes).toString(16).padStart(sizeDigits, '0')
  memory.write(size + lineEnd, 0, 'latin1')
  memory.write(lineEnd, end, 'latin1')
  const whole = memory.subarray(0, end + lineEnd.length)
  return { payload: memory.subarray(headBytes, end), http1: () => whole }
}

class LentPiece implements LentChunk {
  readonly payload: Buffer
  readonly #whole: Buffer
  #memory: Buffer | undefined

  constructor(memory: Buffer, end: number) {
    const { payload, http1 } = framed(memory, end)
    this.payload = payload
    this.#whole = http1()
    this.#memory = memory
  }

  http1(): Buffer {
    return this.#whole
  }

  release(): void {
    if (this.#memory !== undefined) giveBack(this.#memory)
    this.#memory = undefined
  }
}
