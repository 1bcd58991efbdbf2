import type { Change } from './state.ts'

interface RecentGroup {
  readonly to: number
  readonly changes: readonly Change[]
  readonly bytes: number
}

/** In the place of a dropped group, which must not be held. */
const gone: RecentGroup = { to: 0, changes: [], bytes: 0 }

/**
 * The newest groups with their values in memory: a read of what was just written, a watch that starts a little behind
 * and the value before an event need no disk. Values are slices of their group's one buffer, so memory is counted and
 * freed by group: no small value pins a large buffer for longer than its neighbours.
 *
 * Bounded by bytes; a group whose records are not yet written to disk stays whatever its size (there is at most one
 * such batch, bounded by the proposal queue).
 */
export class Recent {
  readonly #bytesMax: number
  #groups: RecentGroup[] = []
  /** Those before it are gone. */
  #head = 0
  #bytes = 0
  #floor: number

  constructor(bytesMax: number, revision: number) {
    this.#bytesMax = bytesMax
    this.#floor = revision
  }

  /** Every change after this revision is here. */
  get floor(): number {
    return this.#floor
  }

  push(to: number, changes: readonly Change[], bytes: number): void {
    this.#groups.push({ to, changes, bytes })
    this.#bytes += bytes
  }

  /** The records of everything pushed so far are on disk. */
  written(): void {
    while (this.#bytes > this.#bytesMax) {
      const group = this.#groups[this.#head]
      if (group === undefined) break
      this.#groups[this.#head++] = gone
      this.#bytes -= group.bytes
      this.#floor = group.to
      for (const { version } of group.changes) version.value = undefined
    }
    if (this.#head * 2 <= this.#groups.length) return
    // Copying the rest costs what was dropped since the last copy, at most.
    this.#groups = this.#groups.slice(this.#head)
    this.#head = 0
  }

  /** Changes from revision `from` on, which must be after the floor, in order. */
  *since(from: number): Generator<Change> {
    for (const group of this.#groups.slice(this.#head)) {
      if (group.to < from) continue
      for (const change of group.changes) if (change.version.revision >= from) yield change
    }
  }
}
