/** Reads LevelDB's encodings from the front of a buffer; any reading past the end makes it `broken`. */
export class ByteReader {
  readonly #source: Buffer
  #offset = 0
  broken = false

  constructor(source: Buffer) {
    this.#source = source
  }

  get atEnd(): boolean {
    return this.broken || this.#offset >= this.#source.length
  }

  /** A little-endian base-128 number; beyond 53 bits it is broken (no size or offset gets there). */
  varint(): number {
    let value = 0
    for (let scale = 1; scale <= 2 ** 49; scale *= 128) {
      const byte = this.#source[this.#offset++]
      if (byte === undefined) break
      value += (byte & 127) * scale
      if (byte < 128) return value
    }
    this.broken = true
    return 0
  }

  bytes(length: number): Buffer {
    const end = this.#offset + length
    if (end > this.#source.length) {
      this.broken = true
      return Buffer.alloc(0)
    }
    const found = this.#source.subarray(this.#offset, end)
    this.#offset = end
    return found
  }

  /** Bytes with their length before them. */
  string(): Buffer {
    return this.bytes(this.varint())
  }
}
