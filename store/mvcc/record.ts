import { crc32 } from 'node:zlib'
import type { Key } from '../contract.ts'

/**
 * One version of one key, as bytes. The same content stands in a command (as its operation) and on disk (as the value
 * of a record), so that applying a command copies nothing:
 *
 *     content     flags u8 | expiry u64, only with flag 2 | key length u16 | key | value, to the end
 *     record key  'r' | revision u64 | operation u16 | CRC-32 u32          (big-endian: disk order is revision order)
 *
 * The CRC-32 is over the record key before it and the content. It stands in the key because the content is a slice of
 * a command that must not be written into.
 */
export const recordPrefix = 0x72
const recordKeyBytes = 15
const headBytes = 11

const tombstoneFlag = 1
const expiryFlag = 2

export interface RecordKey {
  readonly revision: number
  readonly op: number
  readonly crc: number
}

export interface RecordContent {
  readonly key: Key
  readonly tombstone: boolean
  /** Wall-clock milliseconds since 1970; 0 = never expires. */
  readonly expiresAtMs: number
  /** Where the value starts in the content. */
  readonly valueOffset: number
}

/** Big endian; gives the offset behind it. The value is a safe integer. */
export function writeU64(target: Buffer, value: number, offset: number): number {
  target.writeUInt32BE(Math.floor(value / 0x1_0000_0000), offset)
  return target.writeUInt32BE(value % 0x1_0000_0000, offset + 4)
}

/** Big endian. Not exact above 2^53 - 1, which nothing here reaches. */
export function readU64(source: Buffer, offset: number): number {
  return source.readUInt32BE(offset) * 0x1_0000_0000 + source.readUInt32BE(offset + 4)
}

/** Bytes of the content that {@link writeContent} writes. */
export function contentBytes(keyBytes: number, valueBytes: number, expiresAtMs: number): number {
  return 3 + (expiresAtMs > 0 ? 8 : 0) + keyBytes + valueBytes
}

/** Writes a content and returns the offset after it; `value` undefined = a tombstone. */
export function writeContent(
  target: Buffer,
  at: number,
  key: Key,
  value: Buffer | undefined,
  expiresAtMs: number,
): number {
  let offset = at
  target[offset++] = (value === undefined ? tombstoneFlag : 0) | (expiresAtMs > 0 ? expiryFlag : 0)
  if (expiresAtMs > 0) offset = writeU64(target, expiresAtMs, offset)
  offset = target.writeUInt16BE(key.length, offset)
  offset += target.write(key, offset, 'latin1')
  if (value !== undefined) {
    target.set(value, offset)
    offset += value.length
  }
  return offset
}

/** The content of a tombstone, in a buffer of its own. */
export function tombstoneContent(key: Key): Buffer {
  const content = Buffer.allocUnsafeSlow(contentBytes(key.length, 0, 0))
  writeContent(content, 0, key, undefined, 0)
  return content
}

/** Reads what stands before the value; undefined when the bytes are not a content. */
export function readContent(content: Buffer): RecordContent | undefined {
  if (content.length < 4) return undefined
  const flags = content.readUInt8(0)
  if (flags > (tombstoneFlag | expiryFlag)) return undefined
  const expires = (flags & expiryFlag) !== 0
  const keyAt = expires ? 11 : 3
  if (content.length < keyAt) return undefined
  const valueOffset = keyAt + content.readUInt16BE(keyAt - 2)
  if (valueOffset === keyAt || valueOffset > content.length) return undefined
  return {
    // A binary string by construction (latin1) and not empty: what `key()` would check.
    key: content.toString('latin1', keyAt, valueOffset) as Key,
    tombstone: (flags & tombstoneFlag) !== 0,
    expiresAtMs: expires ? readU64(content, 1) : 0,
    valueOffset,
  }
}

const headScratch = Buffer.alloc(headBytes)

/** CRC-32 of a record, as a signed 32-bit integer (which stays a small integer in the heap). */
export function recordCrc(revision: number, op: number, content: Buffer): number {
  headScratch[0] = recordPrefix
  writeU64(headScratch, revision, 1)
  headScratch.writeUInt16BE(op, 9)
  return crc32(content, crc32(headScratch)) | 0
}

/** The key under which a version is stored. */
export function encodeRecordKey(record: RecordKey): Buffer {
  const target = Buffer.allocUnsafe(recordKeyBytes)
  target[0] = recordPrefix
  writeU64(target, record.revision, 1)
  target.writeUInt16BE(record.op, 9)
  target.writeInt32BE(record.crc, 11)
  return target
}

/** The first possible record key of a revision: where a scan from that revision starts. */
export function revisionStart(revision: number): Buffer {
  return encodeRecordKey({ revision, op: 0, crc: 0 })
}

/** Bound after every record key. */
export const recordsEnd: Buffer = Buffer.from([recordPrefix + 1])
export const recordsStart: Buffer = Buffer.from([recordPrefix])

/** Undefined: no key of a record. */
export function decodeRecordKey(source: Buffer): RecordKey | undefined {
  if (source.length !== recordKeyBytes || source[0] !== recordPrefix) return undefined
  return { revision: readU64(source, 1), op: source.readUInt16BE(9), crc: source.readInt32BE(11) }
}

/** Throws when a record does not match the checksum in its key. */
export function checkRecord(key: Buffer, content: Buffer): void {
  const id = decodeRecordKey(key)
  if (id !== undefined && recordCrc(id.revision, id.op, content) === id.crc) return
  const what = id === undefined ? `record key ${key.toString('hex')}` : describeRecord(id)
  throw new Error(`${what}: checksum does not match`)
}

/** How a record is named in a failure. */
export function describeRecord(record: RecordKey): string {
  return `record ${record.revision}/${record.op}`
}
