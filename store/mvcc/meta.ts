import { crc32 } from 'node:zlib'
import { readU64, writeU64 } from './record.ts'
import type { StateMeta } from './state.ts'

/**
 * The meta record: what the records add up to, and up to which log entry. Written in the same batch as the records.
 *
 *     format u8 | applied index u64 | applied term u64 | revision u64 | oldest u64 | digest u32 u32 | records u64 | CRC-32 u32
 */
export interface StoredMeta extends StateMeta {
  /** Index of the last log entry that is contained in the records. */
  readonly appliedIndex: number
  /** Its term; 0 before the first. */
  readonly appliedTerm: number
}

/** Key of the meta record. */
export const metaKey: Buffer = Buffer.from('m')
const metaFormat = 2
const metaBytes = 53

/** The value of the meta record. */
export function encodeMeta(meta: StoredMeta): Buffer {
  const target = Buffer.allocUnsafe(metaBytes)
  target[0] = metaFormat
  let offset = writeU64(target, meta.appliedIndex, 1)
  offset = writeU64(target, meta.appliedTerm, offset)
  offset = writeU64(target, meta.revision, offset)
  offset = writeU64(target, meta.oldest, offset)
  offset = target.writeUInt32BE(meta.digest.high, offset)
  offset = target.writeUInt32BE(meta.digest.low, offset)
  offset = writeU64(target, meta.digest.records, offset)
  target.writeUInt32BE(crc32(target.subarray(0, offset)), offset)
  return target
}

/** Undefined when the bytes are not an intact meta record. */
export function decodeMeta(source: Buffer): StoredMeta | undefined {
  const end = metaBytes - 4
  if (source.length !== metaBytes || source[0] !== metaFormat) return undefined
  if (source.readUInt32BE(end) !== crc32(source.subarray(0, end))) return undefined
  return {
    appliedIndex: readU64(source, 1),
    appliedTerm: readU64(source, 9),
    revision: readU64(source, 17),
    oldest: readU64(source, 25),
    digest: {
      high: source.readUInt32BE(33),
      low: source.readUInt32BE(37),
      records: readU64(source, 41),
    },
  }
}
