import type { Change } from './state.ts'

interface RecentGroup {
  readonly to: number
  readonly changes: readonly Change[]
  readonly bytes: number
}

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
    let drop = 0
    for (const group of this.#groups) {
      if (this.#bytes <= this.#bytesMax) break
      this.#bytes -= group.bytes
      this.#floor = group.to
      for (const { version } of group.changes) version.value = undefined
      drop++
    }
    if (drop > 0) this.#groups = this.#groups.slice(drop)
  }

  /** Changes from revision `from` on, which must be after the floor, in order. */
  *since(from: number): Generator<Change> {
    for (const group of this.#groups) {
      if (group.to < from) continue
      for (const change of group.changes) if (change.version.revision >= from) yield change
    }
  }
}
