import assert from 'node:assert/strict'
import type { Key } from '../contract.ts'
import { type DecodedProposal, type ExpiredKey, expireKeysMax } from './command.ts'
import { Digest, type DigestValue } from './digest.ts'
import { ExpiryIndex } from './expiry-index.ts'
import { orderedMap } from './ordered-map.ts'
import { type RecordContent, readContent, recordCrc, tombstoneContent } from './record.ts'
import { type Superseded, SupersededQueue } from './superseded.ts'
import { KeyEntry, Version } from './version.ts'

/**
 * The deterministic state machine: which versions exist, at which revision. The same proposals in the same order give
 * the same state on every member; nothing here knows a clock, a disk or chance. Values are beside the point: they are
 * handed to the caller as records to put, and found again by the version.
 */

/** What a proposal did. Answers and events are made of it. */
export type Outcome =
  | { readonly code: 'Applied'; readonly revision: number }
  | {
      readonly code: 'GuardFailed'
      readonly key: Key
      readonly expected: number
      readonly current: Version | undefined
      readonly revision: number
    }

/** One version that a proposal made. */
export interface Change {
  readonly key: Key
  readonly version: Version
  /** The put before it; undefined on creation. */
  readonly previous: Version | undefined
  /** The record's content. */
  readonly content: Buffer
}

/** Collects what applying changed: versions made, in order, and versions whose record is to be removed. */
export interface Effects {
  readonly changes: Change[]
  readonly removals: Version[]
}

/** Together with the records, the whole state. */
export interface StateMeta {
  readonly revision: number
  readonly oldest: number
  readonly digest: DigestValue
}

export class State {
  readonly #entries = orderedMap<Key, KeyEntry>()
  readonly #expiry = new ExpiryIndex()
  readonly #digest = new Digest()
  readonly #superseded = new SupersededQueue()
  #revision = 0
  #oldest = 0
  #liveKeys = 0
  #bytes = 0

  get revision(): number {
    return this.#revision
  }

  get oldest(): number {
    return this.#oldest
  }

  get liveKeys(): number {
    return this.#liveKeys
  }

  /** Bytes of all records' contents, history included. */
  get bytes(): number {
    return this.#bytes
  }

  /** Versions kept only for history: what compaction can remove, now or later. */
  get historyVersions(): number {
    return this.#superseded.length
  }

  meta(): StateMeta {
    return { revision: this.#revision, oldest: this.#oldest, digest: this.#digest.value() }
  }

  /** All kept versions of a key; undefined: there is none, not even a tombstone. */
  get(key: Key): KeyEntry | undefined {
    return this.#entries.get(key)
  }

  /** Calls `visit` with each key in `[start, end)` that is live at `revision`, in byte order. */
  forRange(start: Key, end: Key, revision: number, visit: (key: Key, version: Version) => void): void {
    this.#entries.forRange(start, end, false, (key, entry) => {
      const version = entry.at(revision)
      if (version !== undefined && !version.tombstone) visit(key, version)
    })
  }

  /** Applies one proposal. `effects` receives what it changed; a failed guard changes nothing. */
  apply(proposal: DecodedProposal, effects: Effects): Outcome {
    switch (proposal.type) {
      case 'transaction': {
        for (const guard of proposal.guards) {
          const current = this.#live(guard.key)
          if ((current?.revision ?? 0) === guard.modRevision) continue
          return {
            code: 'GuardFailed',
            key: guard.key,
            expected: guard.modRevision,
            current,
            revision: this.#revision,
          }
        }
        const next = this.#revision + 1
        let op = 0
        for (const { content, record } of proposal.ops) this.#write(next, op++, content, record, effects)
        break
      }
      case 'expire':
        this.#expire(proposal.keys, effects)
        break
      case 'compact':
        this.#compact(proposal.revision, effects)
        break
      case 'check':
        break
    }
    return { code: 'Applied', revision: this.#revision }
  }

  /** Adds a version read back from disk. They come in order of revision and operation. */
  restore(key: Key, version: Version): void {
    this.#add(key, version)
  }

  /** Ends restoring: the counters that records alone do not tell. */
  restored(meta: StateMeta): void {
    assert(meta.oldest <= meta.revision && this.#revision <= meta.revision)
    this.#revision = meta.revision
    this.#oldest = meta.oldest
  }

  /** Keys whose time has come at `wallMs`, at most what one expire proposal carries. */
  due(wallMs: number): ExpiredKey[] {
    return this.#expiry.due(wallMs, expireKeysMax).map((key) => {
      const version = this.#live(key)
      assert(version !== undefined, 'expiry index holds live keys')
      return { key, modRevision: version.revision }
    })
  }

  /**
   * Where a compaction towards `target` should stop so that it removes about `versionsMax` versions: `target`, or the
   * revision of the version that many places ahead.
   */
  compactionStep(target: number, versionsMax: number): number {
    const last = this.#superseded.revisionAhead(versionsMax)
    return last === undefined ? target : Math.min(target, Math.max(last, this.#oldest + 1))
  }

  /** The lowest compaction after which at most `versionsMax` versions are kept for history. */
  compactionForBound(versionsMax: number): number {
    const excess = this.historyVersions - versionsMax
    if (excess <= 0) return this.#oldest
    return this.#superseded.revisionAhead(excess - 1) ?? this.#oldest
  }

  #live(key: Key): Version | undefined {
    const latest = this.#entries.get(key)?.latest
    return latest === undefined || latest.tombstone ? undefined : latest
  }

  #write(revision: number, op: number, content: Buffer, record: RecordContent, effects: Effects): void {
    if (record.tombstone && this.#live(record.key) === undefined) return
    const version = new Version(
      {
        revision,
        op,
        crc: recordCrc(revision, op, content),
        contentBytes: content.length,
        tombstone: record.tombstone,
        expiresAtMs: record.expiresAtMs,
      },
      record.tombstone ? undefined : content.subarray(record.valueOffset),
    )
    const previous = this.#add(record.key, version)
    effects.changes.push({ key: record.key, version, previous, content })
  }

  /** Adds the newest version of a key and returns the put that it replaces. */
  #add(key: Key, version: Version): Version | undefined {
    assert(version.revision >= this.#revision)
    this.#revision = version.revision
    this.#digest.add(version)
    this.#bytes += version.contentBytes
    let entry = this.#entries.get(key)
    let previous: Version | undefined
    if (entry === undefined) {
      entry = new KeyEntry(key, version)
      this.#entries.set(key, entry)
    } else {
      if (!entry.latest.tombstone) {
        previous = entry.latest
        this.#superseded.push({ at: version.revision, entry, version: previous })
        this.#liveKeys--
        if (previous.expiresAtMs > 0) this.#expiry.remove(key, previous.expiresAtMs)
      }
      entry.push(version)
    }
    if (version.tombstone) {
      this.#superseded.push({ at: version.revision, entry, version })
    } else {
      this.#liveKeys++
      if (version.expiresAtMs > 0) this.#expiry.add(key, version.expiresAtMs)
    }
    return previous
  }

  #expire(keys: readonly ExpiredKey[], effects: Effects): void {
    const next = this.#revision + 1
    let op = 0
    for (const { key, modRevision } of keys) {
      if (this.#live(key)?.revision !== modRevision) continue
      const content = tombstoneContent(key)
      const record = readContent(content)
      assert(record !== undefined)
      this.#write(next, op++, content, record, effects)
    }
  }

  #compact(at: number, effects: Effects): void {
    if (at <= this.#oldest || at > this.#revision) return
    this.#oldest = at
    this.#superseded.takeTo(at, (superseded) => {
      this.#remove(superseded)
      effects.removals.push(superseded.version)
    })
  }

  #remove({ entry, version }: Superseded): void {
    if (entry.latest === version) {
      assert(version.tombstone && !entry.hasOlder)
      this.#entries.delete(entry.key)
    } else {
      assert.equal(entry.shift(), version)
    }
    this.#digest.subtract(version)
    this.#bytes -= version.contentBytes
  }
}
