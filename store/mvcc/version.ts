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
  /** Absent while there is none, which is so for most keys. */
  #older: OlderVersions | undefined

  constructor(key: Key, latest: Version) {
    this.key = key
    this.latest = latest
    this.#older = undefined
  }

  get hasOlder(): boolean {
    return this.#older !== undefined
  }

  /** The version that a read at `revision` sees; a tombstone counts as one, undefined = not yet written then. */
  at(revision: number): Version | undefined {
    return this.latest.revision <= revision ? this.latest : this.#older?.at(revision)
  }

  push(version: Version): void {
    this.#older ??= new OlderVersions()
    this.#older.push(this.latest)
    this.latest = version
  }

  /** Removes and returns the oldest of the older versions. */
  shift(): Version | undefined {
    const oldest = this.#older?.shift()
    if (this.#older?.isEmpty === true) this.#older = undefined
    return oldest
  }
}

/** A queue with rising revisions. A key that is written all the time has tens of thousands here. */
class OlderVersions {
  #versions: Version[] = []
  /** Those before it are gone. */
  #head = 0

  get isEmpty(): boolean {
    return this.#head === this.#versions.length
  }

  push(version: Version): void {
    this.#versions.push(version)
  }

  shift(): Version | undefined {
    const oldest = this.#versions[this.#head++]
    if (this.#head * 2 < this.#versions.length) return oldest
    // Copying the rest costs what was removed since the last copy, at most.
    this.#versions = this.#versions.slice(this.#head)
    this.#head = 0
    return oldest
  }

  at(revision: number): Version | undefined {
    let low = this.#head
    let high = this.#versions.length
    while (low < high) {
      const middle = (low + high) >>> 1
      const version = this.#versions[middle]
      if (version !== undefined && version.revision <= revision) low = middle + 1
      else high = middle
    }
    return low === this.#head ? undefined : this.#versions[low - 1]
  }
}
