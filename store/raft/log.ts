/**
 * The log as the core sees it: what the storage holds, with the unstable end laid over it.
 *
 *     firstIndex .. handedOut .. committed .. lastIndex         handedOut <= committed <= lastIndex
 *     stored      |──────────────────────| offset - 1
 *     unstable                           | offset ..|
 */
import { invariant } from './invariant.ts'
import type { ConflictHint } from './message.ts'
import type { Storage } from './storage.ts'
import {
  type Entry,
  headWithin,
  type LogIndex,
  larger,
  type Snapshot,
  shifted,
  smaller,
  type Term,
} from './types.ts'
import { createUnstable, type Unpersisted } from './unstable.ts'

export interface RaftLog {
  firstIndex(): LogIndex
  lastIndex(): LogIndex
  lastTerm(): Term
  /** `undefined`: not in the log any more, or not yet. Known for `firstIndex() - 1` too. */
  term(index: LogIndex): Term | undefined
  /** Entries from `from` on, the head within `bytesMax`; `undefined` when `from` is no longer kept. */
  entries(from: LogIndex, bytesMax: number): readonly Entry[] | undefined
  /** Entries in `[from, to)`, all of them kept. */
  range(from: LogIndex, to: LogIndex): readonly Entry[]
  /** Highest index known to be committed (thesis figure 3.1, commitIndex). Never decreases while the member runs. */
  committed(): LogIndex
  /** Highest index given out to be applied. Never decreases; each entry is given out once, in order. */
  handedOut(): LogIndex
  /** This log is durable up to here. The member's own vote for a commit (thesis 10.2.1). */
  stableIndex(): LogIndex
  /** Replaces everything from the first of `entries` on; never a committed entry. */
  truncateAndAppend(entries: readonly Entry[]): void
  /** Raises the commit index. Lower than it is: no change. */
  commitTo(index: LogIndex): void
  /** The log becomes what `snapshot` stands for, and nothing after it. */
  restore(snapshot: Snapshot): void
  /** The last place at or below `index` whose term is not above `term`: where two logs may still agree. */
  conflictHint(index: LogIndex, term: Term): ConflictHint
  /** A snapshot that waits for its installation. */
  pendingSnapshot(): Snapshot | undefined
  take(): Unpersisted
  persisted(batch: Unpersisted): void
  /** Committed entries not given out yet, the head within `bytesMax`. */
  takeCommitted(bytesMax: number): readonly Entry[]
}

/** `applied`: given out before the start. `commit`: from the hard state, may trail `applied`. */
export function createRaftLog(storage: Storage, applied: LogIndex, commit: LogIndex): RaftLog {
  const unstable = createUnstable(shifted(storage.lastIndex(), 1))
  let committed = larger(applied, commit)
  let handedOut = applied
  invariant(
    committed <= storage.lastIndex(),
    `commit ${committed} beyond the log's end ${storage.lastIndex()}`,
  )

  const firstIndex = () => {
    const snapshot = unstable.snapshot()
    return snapshot === undefined ? storage.firstIndex() : shifted(snapshot.index, 1)
  }
  const lastIndex = () => unstable.maybeLastIndex() ?? storage.lastIndex()

  function term(index: LogIndex): Term | undefined {
    const known = unstable.maybeTerm(index)
    if (known !== undefined) return known
    if (unstable.snapshot() !== undefined || index >= unstable.offset()) return undefined
    return storage.term(index)
  }

  function slice(from: LogIndex, to: LogIndex, bytesMax: number): readonly Entry[] {
    const offset = unstable.offset()
    if (from >= offset) return headWithin(unstable.slice(from, to), bytesMax)
    const stored = storage.entries(from, smaller(to, offset), bytesMax)
    if (to <= offset || stored.length < offset - from) return stored
    return headWithin([...stored, ...unstable.slice(offset, to)], bytesMax)
  }

  return {
    firstIndex,
    lastIndex,
    term,
    lastTerm() {
      const last = term(lastIndex())
      invariant(last !== undefined, `no term at the log's end ${lastIndex()}`)
      return last
    },
    entries(from, bytesMax) {
      if (from < firstIndex()) return undefined
      return from > lastIndex() ? [] : slice(from, shifted(lastIndex(), 1), bytesMax)
    },
    range: (from, to) => (from < to ? slice(from, to, Number.POSITIVE_INFINITY) : []),
    committed: () => committed,
    handedOut: () => handedOut,
    stableIndex: () => (unstable.snapshot() === undefined ? shifted(unstable.offset(), -1) : handedOut),
    truncateAndAppend(entries) {
      const [first] = entries
      invariant(first === undefined || first.index > committed, `replacing committed entry ${first?.index}`)
      unstable.truncateAndAppend(entries)
    },
    commitTo(index) {
      if (index <= committed) return
      invariant(index <= lastIndex(), `commit ${index} beyond the log's end ${lastIndex()}`)
      committed = index
    },
    restore(snapshot) {
      invariant(snapshot.index > committed, `snapshot ${snapshot.index} below commit ${committed}`)
      unstable.restore(snapshot)
      committed = snapshot.index
    },
    conflictHint(index, notAbove) {
      for (let i = smaller(index, lastIndex()); ; i = shifted(i, -1)) {
        const found = term(i)
        if (found === undefined || found <= notAbove) return { index: i, term: found ?? notAbove }
        if (i === 0) return { index: i, term: found }
      }
    },
    pendingSnapshot: () => unstable.snapshot(),
    take() {
      const batch = unstable.take()
      if (batch.snapshot !== undefined) handedOut = batch.snapshot.index
      return batch
    },
    persisted: (batch) => unstable.persisted(batch),
    takeCommitted(bytesMax) {
      if (unstable.snapshot() !== undefined || committed === handedOut) return []
      const entries = slice(shifted(handedOut, 1), shifted(committed, 1), bytesMax)
      handedOut = shifted(handedOut, entries.length)
      return entries
    },
  }
}
