/**
 * A hash of a set of records that does not depend on their order: each record is mixed into two words of 32 bits,
 * and the words are summed. Adding on put and subtracting on removal keeps it current at no cost that grows with the
 * store; a lost, doubled or resurrected record changes it.
 */
export interface DigestValue {
  readonly high: number
  readonly low: number
  /** Number of records summed. */
  readonly records: number
}

export interface DigestInput {
  readonly revision: number
  readonly op: number
  /** CRC-32 over revision, operation and content, signed. */
  readonly crc: number
  readonly contentBytes: number
}

/** The hash of a set that changes. */
export class Digest {
  #high: number
  #low: number
  #records: number

  constructor(start: DigestValue = { high: 0, low: 0, records: 0 }) {
    this.#high = start.high | 0
    this.#low = start.low | 0
    this.#records = start.records
  }

  add(record: DigestInput): void {
    this.#high = (this.#high + mix(record, 0x9e3779b9)) | 0
    this.#low = (this.#low + mix(record, 0x85ebca6b)) | 0
    this.#records++
  }

  subtract(record: DigestInput): void {
    this.#high = (this.#high - mix(record, 0x9e3779b9)) | 0
    this.#low = (this.#low - mix(record, 0x85ebca6b)) | 0
    this.#records--
  }

  value(): DigestValue {
    return { high: this.#high >>> 0, low: this.#low >>> 0, records: this.#records }
  }
}

/** The same set of records, as far as a hash of 64 bits can tell. */
export function digestEquals(a: DigestValue, b: DigestValue): boolean {
  return a.high === b.high && a.low === b.low && a.records === b.records
}

/** Hexadecimal, with the number of records: for messages. */
export function describeDigest(digest: DigestValue): string {
  const hex = (word: number): string => word.toString(16).padStart(8, '0')
  return `${hex(digest.high)}${hex(digest.low)} over ${digest.records} records`
}

function mix(record: DigestInput, seed: number): number {
  let word = scramble(seed ^ record.crc)
  word = scramble(word ^ (record.revision % 0x1_0000_0000))
  word = scramble(word ^ Math.floor(record.revision / 0x1_0000_0000) ^ (record.op << 16))
  return scramble(word ^ record.contentBytes)
}

/** A bijection of 32-bit words whose every output bit depends on every input bit (xor-shift and multiply). */
function scramble(word: number): number {
  let mixed = Math.imul(word ^ (word >>> 16), 0x7feb352d)
  mixed = Math.imul(mixed ^ (mixed >>> 15), 0x846ca68b)
  return mixed ^ (mixed >>> 16)
}
