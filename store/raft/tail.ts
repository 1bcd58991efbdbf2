/**
 * The recent end of the log in memory: the Storage that drivers use. The driver calls `append` and `reset` after the
 * same change is durable and before `advance()`, and `compact` to keep memory bounded.
 */
import { invariant } from './invariant.ts'
import type { InitialState, Storage } from './storage.ts'
import { type Entry, headWithin, type LogIndex, larger, type Snapshot, shifted, type Term } from './types.ts'

export interface LogTail extends Storage {
  /** Drops what stands at and after the first of `entries`, and adds them. They touch or overlap what is there. */
  append(entries: readonly Entry[]): void
  /** Forgets everything: the log now starts after `snapshot`. */
  reset(snapshot: Snapshot): void
  /** Drops entries up to and including `to`; not beyond what a snapshot can replace. Lower than the first: no change. */
  compact(to: LogIndex): void
}

export interface LogTailOptions {
  readonly initial: InitialState
  /** Index and term of the entry before `entries`; 0 and 0 for a whole log. */
  readonly before: { readonly index: LogIndex; readonly term: Term }
  /** The kept end of the durable log, contiguous. It reaches down to `initial.applied + 1` at least. */
  readonly entries: readonly Entry[]
  /** What can be streamed now. Asked for each follower that lags beyond the tail. */
  snapshot(): Snapshot | undefined
}

export function createLogTail({ initial, before, entries: kept, snapshot }: LogTailOptions): LogTail {
  invariant(initial.applied >= before.index, `applied ${initial.applied} ends before the log tail`)
  let base = before
  let entries = [...kept]
  const firstIndex = () => shifted(base.index, 1)
  const lastIndex = () => shifted(base.index, entries.length)
  const at = (index: LogIndex) => entries[index - base.index - 1]
  const termAt = (index: LogIndex) => (index === base.index ? base.term : at(index)?.term)

  return {
    initialState: () => initial,
    firstIndex,
    lastIndex,
    term: termAt,
    entries(from, to, bytesMax) {
      invariant(from >= firstIndex() && to <= lastIndex() + 1, `no entries ${from}..${to}`)
      return headWithin(entries.slice(from - base.index - 1, to - base.index - 1), bytesMax)
    },
    snapshot,
    append(added) {
      const [first] = added
      if (first === undefined) return
      invariant(first.index >= firstIndex() && first.index <= lastIndex() + 1, `gap before ${first.index}`)
      entries.length = first.index - base.index - 1
      for (const entry of added) entries.push(entry)
    },
    reset({ index, term }) {
      base = { index, term }
      entries = []
    },
    compact(to) {
      const index = larger(to, base.index)
      if (index === base.index) return
      const term = termAt(index)
      invariant(term !== undefined, `compacting to ${to}, beyond ${lastIndex()}`)
      entries = entries.slice(index - base.index)
      base = { index, term }
    },
  }
}
