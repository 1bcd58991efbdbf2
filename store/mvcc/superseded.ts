import type { KeyEntry, Version } from './version.ts'

/** A version that is kept for history only. */
export interface Superseded {
  /** Revision of the version that replaced it; of itself, for a tombstone. */
  readonly at: number
  readonly entry: KeyEntry
  readonly version: Version
}

/**
 * What compaction can remove, now or later, in the order in which it becomes removable: a compaction to revision R
 * removes all that were superseded at R or before.
 */
export class SupersededQueue {
  /** In order of `at`; those before `#head` are done. */
  #queue: Superseded[] = []
  #head = 0

  get length(): number {
    return this.#queue.length - this.#head
  }

  /** `at` is not below that of the one before. */
  push(superseded: Superseded): void {
    this.#queue.push(superseded)
  }

  /** Removes those superseded at `revision` or before, calling `remove` with each. */
  takeTo(revision: number, remove: (superseded: Superseded) => void): void {
    const queue = this.#queue
    let head = this.#head
    for (let first = queue[head]; first !== undefined && first.at <= revision; first = queue[++head]) {
      remove(first)
    }
    // Copying the rest costs what was removed since the last copy, at most.
    if (head * 2 >= queue.length) {
      this.#queue = queue.slice(head)
      head = 0
    }
    this.#head = head
  }

  /** Where the version `count` places ahead was superseded; undefined: there are not that many. */
  revisionAhead(count: number): number | undefined {
    return this.#queue[this.#head + count]?.at
  }
}
