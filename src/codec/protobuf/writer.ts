/**
 * Writes the protobuf wire format from the end to the start: when the length of a message has to be written, its
 * bytes stand there already. So one pass is enough, and nothing is measured beforehand.
 *
 * Callers write in reverse: the last field first, and of a field its value, then its tag.
 *
 * Source: protobuf encoding guide.
 */

const initialBytes = 64 * 1024
/** A buffer that one large message made grow beyond this is let go. */
const keptBytesMax = 4 * 1024 * 1024
const two32 = 2 ** 32

export class ReverseWriter {
  #buffer: Buffer = Buffer.allocUnsafeSlow(initialBytes)
  /** The first byte that is written. */
  #at = initialBytes

  /** Bytes written so far: where a message of unknown length ends. */
  get length(): number {
    return this.#buffer.length - this.#at
  }

  /** The bytes in a buffer of their own; the writer is empty afterwards. */
  take(): Buffer {
    const bytes = Buffer.allocUnsafe(this.length)
    this.#buffer.copy(bytes, 0, this.#at)
    this.clear()
    return bytes
  }

  clear(): void {
    if (this.#buffer.length > keptBytesMax) this.#buffer = Buffer.allocUnsafeSlow(initialBytes)
    this.#at = this.#buffer.length
  }

  byte(value: number): void {
    if (this.#at < 1) this.#grow(1)
    this.#buffer[--this.#at] = value
  }

  /** `tag` is `number << 3 | wireType`. */
  tag(tag: number): void {
    if (tag < 0x80) this.byte(tag)
    else this.varint(tag)
  }

  /** An integer from 0 to 2^53 − 1. */
  varint(value: number): void {
    if (value < 0x80) this.byte(value)
    else if (value < two32) this.#varint64(value >>> 0, 0)
    else this.#varint64(value >>> 0, Math.floor(value / two32))
  }

  /** A signed integer of up to 64 bits; negative ones take ten bytes. */
  signed(value: number): void {
    if (value >= 0) this.varint(value)
    else this.#varint64(value | 0, Math.floor(value / two32) >>> 0)
  }

  /** `low` and `high`: 32 bits each, of either sign. */
  #varint64(low: number, high: number): void {
    let bytes = 1
    let restLow = low >>> 0
    let restHigh = high >>> 0
    while (restHigh !== 0 || restLow > 0x7f) {
      restLow = ((restLow >>> 7) | (restHigh << 25)) >>> 0
      restHigh >>>= 7
      bytes++
    }
    if (this.#at < bytes) this.#grow(bytes)
    this.#at -= bytes
    let at = this.#at
    restLow = low >>> 0
    restHigh = high >>> 0
    while (bytes-- > 1) {
      this.#buffer[at++] = (restLow & 0x7f) | 0x80
      restLow = ((restLow >>> 7) | (restHigh << 25)) >>> 0
      restHigh >>>= 7
    }
    this.#buffer[at] = restLow
  }

  /** IEEE 754, eight bytes. */
  double(value: number): void {
    if (this.#at < 8) this.#grow(8)
    this.#at -= 8
    this.#buffer.writeDoubleLE(value, this.#at)
  }

  /** Four bytes, the highest first. */
  uint32BigEndian(value: number): void {
    if (this.#at < 4) this.#grow(4)
    this.#at -= 4
    this.#buffer.writeUInt32BE(value, this.#at)
  }

  /** UTF-8 behind its length. */
  string(text: string): void {
    if (text.length <= shortText && this.#ascii(text)) return
    const bytes = Buffer.byteLength(text)
    if (this.#at < bytes) this.#grow(bytes)
    this.#at -= bytes
    this.#buffer.write(text, this.#at, bytes, 'utf8')
    this.varint(bytes)
  }

  /** Most strings: short, and ASCII. False = not written. */
  #ascii(text: string): boolean {
    const { length } = text
    if (this.#at < length) this.#grow(length)
    const buffer = this.#buffer
    const start = this.#at - length
    for (let i = 0; i < length; i++) {
      const code = text.charCodeAt(i)
      if (code > 0x7f) return false
      buffer[start + i] = code
    }
    this.#at = start
    this.byte(length)
    return true
  }

  /** What base64 text stands for, behind its length. The text must be valid and padded. */
  base64(text: string): void {
    const bytes = Buffer.byteLength(text, 'base64')
    if (this.#at < bytes) this.#grow(bytes)
    this.#at -= bytes
    const written = this.#buffer.write(text, this.#at, bytes, 'base64')
    if (written !== bytes) throw new TypeError(`not base64: ${written} of ${bytes} bytes`)
    this.varint(bytes)
  }

  /** Bytes as they are, without a length. */
  raw(bytes: Uint8Array): void {
    if (this.#at < bytes.length) this.#grow(bytes.length)
    this.#at -= bytes.length
    this.#buffer.set(bytes, this.#at)
  }

  #grow(needed: number): void {
    const used = this.length
    let capacity = this.#buffer.length * 2
    while (capacity - used < needed) capacity *= 2
    const grown = Buffer.allocUnsafeSlow(capacity)
    this.#buffer.copy(grown, capacity - used, this.#at)
    this.#at = capacity - used
    this.#buffer = grown
  }
}

/** Up to here a loop is faster than a call into the engine. Below 128, so that the length is one byte. */
const shortText = 40
