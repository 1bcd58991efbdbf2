import assert from 'node:assert/strict'

/**
 * The protobuf wire format, laid by hand: numbers up to 53 bits without Long, values sliced instead of copied on
 * reading, frames of one turn written into one buffer.
 *
 *     frame    length u32 little-endian | message
 *     message  (field number << 3 | wire type) value …    wire type 0: varint, 2: length and bytes
 */
export const frameHeadBytes = 4
/** A frame above this closes the link: 8 MiB of transaction, or its events with the values before them, fit well. */
export const frameBytesMax = 32 * 1024 * 1024

const varintType = 0
const bytesType = 2
/** Room for the length of a message whose end is not known yet: a varint padded to four bytes, up to 256 MiB. */
const nestedLengthBytes = 4

/** Writes messages and frames into one buffer that grows as it must. */
export class WireWriter {
  #target: Buffer
  #at = 0

  constructor(expectedBytes: number) {
    this.#target = Buffer.allocUnsafeSlow(expectedBytes)
  }

  get length(): number {
    return this.#at
  }

  /** What was written. The buffer is the caller's; the writer must not be used again. */
  finish(): Buffer {
    return this.#target.subarray(0, this.#at)
  }

  /** Takes back everything after `length`. */
  cutTo(length: number): void {
    assert(length <= this.#at)
    this.#at = length
  }

  /** Begins a frame; what comes back goes to {@link endFrame}. */
  beginFrame(): number {
    this.#reserve(frameHeadBytes)
    this.#at += frameHeadBytes
    return this.#at
  }

  /** Ends the frame that began at `start` and returns its bytes. */
  endFrame(start: number): number {
    const bytes = this.#at - start
    this.#target.writeUInt32LE(bytes, start - frameHeadBytes)
    return bytes
  }

  /** Begins a message in a field; what comes back goes to {@link end}. Messages end in reverse order. */
  begin(field: number): number {
    this.#reserve(6 + nestedLengthBytes)
    this.#varint((field << 3) | bytesType)
    this.#at += nestedLengthBytes
    return this.#at
  }

  end(start: number): void {
    let bytes = this.#at - start
    assert(bytes < 1 << (7 * nestedLengthBytes))
    for (let at = start - nestedLengthBytes; at < start; at++) {
      this.#target[at] = (bytes & 127) | (at < start - 1 ? 128 : 0)
      bytes >>>= 7
    }
  }

  /** 0 is the default of a field and not written. */
  uint(field: number, value: number): void {
    if (value === 0) return
    this.#reserve(16)
    this.#varint((field << 3) | varintType)
    this.#varint(value)
  }

  bytes(field: number, value: Uint8Array): void {
    this.#reserve(12 + value.length)
    this.#varint((field << 3) | bytesType)
    this.#varint(value.length)
    this.#target.set(value, this.#at)
    this.#at += value.length
  }

  /** A key: its characters are its bytes. */
  key(field: number, key: string): void {
    this.#reserve(12 + key.length)
    this.#varint((field << 3) | bytesType)
    this.#varint(key.length)
    this.#at += this.#target.write(key, this.#at, 'latin1')
  }

  text(field: number, text: string): void {
    this.bytes(field, Buffer.from(text))
  }

  #varint(value: number): void {
    let rest = value
    while (rest > 127) {
      this.#target[this.#at++] = (rest % 128) | 128
      rest = Math.floor(rest / 128)
    }
    this.#target[this.#at++] = rest
  }

  #reserve(bytes: number): void {
    if (this.#at + bytes <= this.#target.length) return
    const larger = Buffer.allocUnsafeSlow(Math.max(this.#target.length * 2, this.#at + bytes))
    this.#target.copy(larger, 0, 0, this.#at)
    this.#target = larger
  }
}

/** Reads one message. What makes no sense sets `broken` on the root, and reads as empty. */
export class WireReader {
  readonly #source: Buffer
  readonly #root: WireReader
  readonly #end: number
  #at: number
  #type = 0
  broken = false

  constructor(source: Buffer, at = 0, end: number = source.length, root?: WireReader) {
    this.#source = source
    this.#at = at
    this.#end = end
    this.#root = root ?? this
  }

  /** Number of the next field, 0 at the end. Read its value or `skip()` it. */
  field(): number {
    if (this.#root.broken || this.#at >= this.#end) return 0
    const tag = this.#varint()
    this.#type = tag & 7
    return tag >>> 3
  }

  /** A number of a varint field, 0 … 2^53 - 1. */
  uint(): number {
    return this.#type === varintType ? this.#varint() : this.#break()
  }

  /** A slice of the frame. */
  bytes(): Buffer {
    const length = this.#length()
    this.#at += length
    return this.#source.subarray(this.#at - length, this.#at)
  }

  /** Bytes as a binary string, one character for each. */
  binary(): string {
    const length = this.#length()
    this.#at += length
    return this.#source.toString('latin1', this.#at - length, this.#at)
  }

  text(): string {
    return this.bytes().toString()
  }

  /** A reader of the message inside; what breaks it breaks the root. */
  message(): WireReader {
    const length = this.#length()
    this.#at += length
    return new WireReader(this.#source, this.#at - length, this.#at, this.#root)
  }

  /** Passes over a field that this release does not know. */
  skip(): void {
    if (this.#type === varintType) this.#varint()
    else this.bytes()
  }

  /** The message makes no sense to its reader. */
  fail(): void {
    this.#root.broken = true
  }

  #length(): number {
    if (this.#type !== bytesType) return this.#break()
    const length = this.#varint()
    return this.#at + length <= this.#end ? length : this.#break()
  }

  #varint(): number {
    let value = 0
    for (let scale = 1; scale <= 2 ** 49 && this.#at < this.#end; scale *= 128) {
      const byte = this.#source[this.#at++] ?? 0
      value += (byte & 127) * scale
      if (byte < 128) return Number.isSafeInteger(value) ? value : this.#break()
    }
    return this.#break()
  }

  #break(): number {
    this.fail()
    return 0
  }
}
