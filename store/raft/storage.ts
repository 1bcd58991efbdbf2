/**
 * What the core reads back of what its driver has persisted. Every call answers at once, from memory: the driver
 * keeps the recent end of the log there (createLogTail in tail.ts) and bounds it; a follower that needs older entries
 * gets a snapshot.
 */
import type { Configuration, Entry, HardState, LogIndex, Snapshot, Term } from './types.ts'

export interface InitialState {
  readonly hardState: HardState
  /** Everything up to here is in the state machine, durably; the core hands out entries from the next one on. */
  readonly applied: LogIndex
  /** The configuration in force at `applied`: the bootstrap voters at 0, empty for a member that joins. */
  readonly configuration: Configuration
}

export interface Storage {
  /** Read once, at the start. */
  initialState(): InitialState
  /** Lowest index whose entry is kept; `lastIndex() + 1` when there is none. Never above `applied + 1` at the start. */
  firstIndex(): LogIndex
  /** Highest index kept; `firstIndex() - 1` when there is none. */
  lastIndex(): LogIndex
  /** Term at `index`, for `firstIndex() - 1 <= index <= lastIndex()`; `undefined` outside. 0 at index 0. */
  term(index: LogIndex): Term | undefined
  /**
   * Entries in `[from, to)`, the head within `bytesMax`, at least one. `firstIndex() <= from < to <= lastIndex() + 1`
   * holds. The answer is the caller's; the entries are shared and not written into.
   */
  entries(from: LogIndex, to: LogIndex, bytesMax: number): readonly Entry[]
  /** The newest state that can be streamed now, at `firstIndex() - 1` or later; `undefined`: not now, ask later. */
  snapshot(): Snapshot | undefined
}
