/**
 * Reads the protobuf wire format. Nothing is read beyond the end of the message at hand, whatever lengths the bytes
 * claim; what does not fit is a {@link Malformed}, which the decoder turns into a value.
 *
 * Source: protobuf encoding guide.
 */

import { isUtf8 } from 'node:buffer'
import { formatPath, type PathSegment } from '../../schema/path.ts'

export type WireType = 0 | 1 | 2 | 5

/** Wire types by number: varint, eight bytes, length and bytes, four bytes. Groups (3, 4) are skipped, never read. */
export const wire = { varint: 0, fixed64: 1, bytes: 2, fixed32: 5 } as const

const groupStart = 3
const groupEnd = 4
const groupDepthMax = 100
const fieldNumberMax = 2 ** 29 - 1
const two32 = 2 ** 32

export class Malformed extends Error {
  readonly offset: number
  /** '' at the top. */
  readonly path: string

  constructor(message: string, offset: number, path: string) {
    super(message)
    this.offset = offset
    this.path = path
  }
}

export class Reader {
  readonly bytes: Buffer
  at: number
  /** Of the message that is being read. */
  end: number
  /** Where the reader is; every level of messages writes its own place. */
  readonly path: PathSegment[] = []
  #depth = 0

  /** Reads `bytes` from `at` up to `end`. Offsets in failures count from the start of `bytes`. */
  constructor(bytes: Buffer, at = 0, end = bytes.length) {
    this.bytes = bytes
    this.at = at
    this.end = end
  }

  fail(message: string, offset = this.at): never {
    throw new Malformed(message, offset, formatPath(this.path, this.#depth))
  }

  /** `depth`: segments of the path that lead to what is read now. */
  enter(depth: number, segment: PathSegment): void {
    this.path[depth] = segment
    this.#depth = depth + 1
  }

  /** Back at a message of that depth. */
  leave(depth: number): void {
    this.#depth = depth
  }

  /** Unsigned, up to 32 bits: tags and lengths. */
  uint32(): number {
    const first = this.bytes[this.at] ?? 0
    if (first < 0x80 && this.at < this.end) {
      this.at++
      return first
    }
    const start = this.at
    let value = 0
    let scale = 1
    for (let count = 0; count < 5; count++) {
      const byte = this.#byte()
      value += (byte & 0x7f) * scale
      if (byte < 0x80) return value < two32 ? value : this.fail('a length or tag is too large', start)
      scale *= 128
    }
    return this.fail('a length or tag is too large', start)
  }

  #byte(): number {
    if (this.at >= this.end) this.fail('the message ends inside a number')
    return this.bytes[this.at++] ?? 0
  }

  /** 64 bits as a signed number; beyond 2^53 the nearest that there is. */
  int64(): number {
    const first = this.bytes[this.at] ?? 0
    if (first < 0x80 && this.at < this.end) {
      this.at++
      return first
    }
    return this.#varint(false)
  }

  /** The low 32 bits of a varint, signed. */
  int32(): number {
    const first = this.bytes[this.at] ?? 0
    if (first < 0x80 && this.at < this.end) {
      this.at++
      return first
    }
    return this.#varint(true)
  }

  bool(): boolean {
    return this.int64() !== 0
  }

  /** Three parts of at most 28, 28 and 8 bits, so that each is an exact integer. */
  #varint(lowOnly: boolean): number {
    const start = this.at
    const parts = [0, 0, 0]
    for (let count = 0; count < 10; count++) {
      const byte = this.#byte()
      const part = Math.floor(count / 4)
      parts[part] = (parts[part] ?? 0) | ((byte & 0x7f) << (7 * (count % 4)))
      if (byte < 0x80) return join(parts[0] ?? 0, parts[1] ?? 0, parts[2] ?? 0, lowOnly)
    }
    return this.fail('a number has more than ten bytes', start)
  }

  double(): number {
    this.#need(8)
    const value = this.bytes.readDoubleLE(this.at)
    this.at += 8
    return value
  }

  #need(bytes: number): void {
    if (this.end - this.at < bytes) this.fail(`${bytes} bytes are announced, ${this.end - this.at} are left`)
  }

  /** Reads a length; the bytes that it announces are there. */
  length(): number {
    const length = this.uint32()
    this.#need(length)
    return length
  }

  string(): string {
    const length = this.length()
    const start = this.at
    this.at += length
    if (length <= shortText) {
      const text = this.#ascii(start, this.at)
      if (text !== undefined) return text
    }
    const text = this.bytes.toString('utf8', start, this.at)
    if (text.includes('\ufffd') && !isUtf8(this.bytes.subarray(start, this.at)))
      this.fail('the text is not valid UTF-8', start)
    return text
  }

  #ascii(start: number, end: number): string | undefined {
    let text = ''
    for (let at = start; at < end; at++) {
      const byte = this.bytes[at] ?? 0
      if (byte > 0x7f) return undefined
      text += String.fromCharCode(byte)
    }
    return text
  }

  base64(): string {
    const length = this.length()
    const start = this.at
    this.at += length
    return this.bytes.toString('base64', start, this.at)
  }

  /** A view, not a copy. */
  slice(): Buffer {
    const length = this.length()
    const start = this.at
    this.at += length
    return this.bytes.subarray(start, this.at)
  }

  /** The next tag: `number << 3 | wireType`. Undefined at the end of the message. */
  tag(): number | undefined {
    if (this.at >= this.end) return undefined
    const start = this.at
    const tag = this.uint32()
    const number = tag >>> 3
    if (number === 0 || number > fieldNumberMax) this.fail(`${number} is no field number`, start)
    return tag
  }

  /** What stands behind a tag that nobody knows. */
  skip(tag: number): void {
    let open = 0
    let next: number | undefined = tag
    for (;;) {
      if (next === undefined) this.fail('the message ends inside a group')
      if ((next & 7) === groupStart) {
        if (++open > groupDepthMax) this.fail(`more than ${groupDepthMax} groups inside each other`)
      } else if ((next & 7) === groupEnd) {
        if (--open < 0) this.fail('a group ends that did not begin')
      } else {
        this.#skipValue(next & 7)
      }
      if (open === 0) return
      next = this.tag()
    }
  }

  #skipValue(wireType: number): void {
    switch (wireType) {
      case wire.varint:
        this.int64()
        return
      case wire.fixed64:
        this.#need(8)
        this.at += 8
        return
      case wire.bytes: {
        const length = this.length()
        this.at += length
        return
      }
      case wire.fixed32:
        this.#need(4)
        this.at += 4
        return
      default:
        this.fail(`${wireType} is no wire type`)
    }
  }
}

/** Up to here a loop is faster than a call into the engine. */
const shortText = 10

/** 28 + 28 + 8 bits to a signed 64-bit number, or its low 32 bits. */
function join(low: number, middle: number, high: number, lowOnly: boolean): number {
  const low32 = (low | (middle << 28)) >>> 0
  if (lowOnly) return low32 | 0
  const high32 = (middle >>> 4) | (high << 24)
  return (high32 | 0) * two32 + low32
}
