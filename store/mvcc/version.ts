import type { Key } from '../contract.ts'

/** One version of one key: a put or a tombstone. Its bytes are on disk, and in `value` while they are recent. */
export class Version {
  readonly revision: number
  /** Position of its operation in the transaction. */
  readonly op: number
  /** CRC-32 of the record, signed. */
  readonly crc: number
  /** Bytes of the record's content. */
  readonly contentBytes: number
  readonly tombstone: boolean
  /** Wall-clock milliseconds since 1970; 0 = never. */
  readonly expiresAtMs: number
  /** The value, while it is kept in memory; always there until the record has been written to disk. */
  value: Buffer | undefined

  constructor(fields: Omit<Version, 'value'>, value: Buffer | undefined) {
    this.revision = fields.revision
    this.op = fields.op
    this.crc = fields.crc
    this.contentBytes = fields.contentBytes
    this.tombstone = fields.tombstone
    this.expiresAtMs = fields.expiresAtMs
    this.value = value
  }
}

/**
 * A key and its versions newer than the compaction, plus the one that the compaction's own revision sees:
 *
 *     put 2, put 5, delete 7, put 9      older = [2, 5, ×7]  latest = 9
 *     compact(6)                         older = [5, ×7]     latest = 9
 *     compact(8)                         older = []          latest = 9
 */
export class KeyEntry {
  readonly key: Key
  latest: Version
  /** Rising revisions; absent while there is none. */
  older: Version[] | undefined

  constructor(key: Key, latest: Version) {
    this.key = key
    this.latest = latest
    this.older = undefined
  }

  /** The version that a read at `revision` sees; a tombstone counts as one, undefined = not yet written then. */
  at(revision: number): Version | undefined {
    if (this.latest.revision <= revision) return this.latest
    const older = this.older
    if (older === undefined) return undefined
    let low = 0
    let high = older.length
    while (low < high) {
      const middle = (low + high) >>> 1
      const version = older[middle]
      if (version !== undefined && version.revision <= revision) low = middle + 1
      else high = middle
    }
    return low === 0 ? undefined : older[low - 1]
  }

  push(version: Version): void {
    if (this.older === undefined) this.older = [this.latest]
    else this.older.push(this.latest)
    this.latest = version
  }
}
