/**
 * The end of the log that is not yet known to be durable, and a snapshot that is not yet installed.
 *
 *     stored      1 2 3 4 | 5 6 7 8        entries 5.. differ from, or are not in, the storage
 *     unstable              5'6'7          offset 5; a batch in writing holds the first `taken` of them
 */
import { invariant } from './invariant.ts'
import { type Entry, type LogIndex, type Snapshot, shifted, smaller, type Term } from './types.ts'

export interface Unpersisted {
  readonly entries: readonly Entry[]
  readonly snapshot: Snapshot | undefined
}

export interface Unstable {
  /** Index of the first unstable entry, or the one it would have. */
  offset(): LogIndex
  /** `undefined` when there is neither an entry nor a snapshot. */
  maybeLastIndex(): LogIndex | undefined
  /** Term at `index` when it is the snapshot's or an unstable entry's. */
  maybeTerm(index: LogIndex): Term | undefined
  snapshot(): Snapshot | undefined
  /** Entries in `[from, to)`, all unstable. */
  slice(from: LogIndex, to: LogIndex): readonly Entry[]
  /** Replaces everything from the first of `entries` on. */
  truncateAndAppend(entries: readonly Entry[]): void
  restore(snapshot: Snapshot): void
  /** Everything that no earlier batch in writing holds. */
  take(): Unpersisted
  /** The batch taken last is durable. What was replaced in between stays, to be written anew. */
  persisted(batch: Unpersisted): void
}

export function createUnstable(start: LogIndex): Unstable {
  let offset = start
  let entries: Entry[] = []
  let snapshot: Snapshot | undefined
  let taken = 0
  let snapshotTaken = false
  const at = (index: LogIndex) => (index < offset ? undefined : entries[index - offset])

  return {
    offset: () => offset,
    maybeLastIndex() {
      if (entries.length > 0) return shifted(offset, entries.length - 1)
      return snapshot?.index
    },
    maybeTerm: (index) => (snapshot?.index === index ? snapshot.term : at(index)?.term),
    snapshot: () => snapshot,
    slice: (from, to) => entries.slice(from - offset, to - offset),
    truncateAndAppend(added) {
      const [first] = added
      if (first === undefined) return
      invariant(first.index <= offset + entries.length, `gap before entry ${first.index}`)
      invariant(snapshot === undefined || first.index > snapshot.index, `entry ${first.index} below snapshot`)
      const kept = first.index < offset ? 0 : first.index - offset
      offset = smaller(offset, first.index)
      taken = Math.min(taken, kept)
      entries.length = kept
      for (const entry of added) entries.push(entry)
    },
    restore(newer) {
      offset = shifted(newer.index, 1)
      entries = []
      taken = 0
      snapshot = newer
      snapshotTaken = false
    },
    take() {
      const batch = { entries: entries.slice(taken), snapshot: snapshotTaken ? undefined : snapshot }
      taken = entries.length
      snapshotTaken = snapshot !== undefined
      return batch
    },
    persisted(batch) {
      if (batch.snapshot !== undefined && batch.snapshot === snapshot) snapshot = undefined
      const last = batch.entries.at(-1)
      if (last === undefined || at(last.index)?.term !== last.term) return
      const count = last.index - offset + 1
      entries.splice(0, count)
      taken = Math.max(0, taken - count)
      offset = shifted(last.index, 1)
    },
  }
}
