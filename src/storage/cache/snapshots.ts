/** States of the cache kept for the later pages of lists: bounded by number and age, the oldest go first. */

import type { Revision } from '../../../store/contract.ts'
import type { Deadline, Deadlines } from './deadlines.ts'
import type { ObjectTree } from './tree.ts'

interface Snapshot {
  readonly tree: ObjectTree
  readonly expiry: Deadline
}

export class Snapshots {
  readonly #countMax: number
  readonly #ageMs: number
  readonly #deadlines: Deadlines
  readonly #byRevision = new Map<Revision, Snapshot>()

  constructor(
    limits: { readonly snapshotsMax: number; readonly snapshotAgeMs: number },
    deadlines: Deadlines,
  ) {
    this.#countMax = limits.snapshotsMax
    this.#ageMs = limits.snapshotAgeMs
    this.#deadlines = deadlines
  }

  get(revision: Revision): ObjectTree | undefined {
    return this.#byRevision.get(revision)?.tree
  }

  /** Keeps a snapshot; one that is kept already lives on for another while. */
  keep(revision: Revision, tree: ObjectTree): void {
    this.#drop(revision)
    const expiry = this.#deadlines.after(this.#ageMs, {
      onDeadline: () => this.#byRevision.delete(revision),
    })
    this.#byRevision.set(revision, { tree, expiry })
    for (const oldest of this.#byRevision.keys()) {
      if (this.#byRevision.size <= this.#countMax) break
      this.#drop(oldest)
    }
  }

  #drop(revision: Revision): void {
    this.#byRevision.get(revision)?.expiry.cancel()
    this.#byRevision.delete(revision)
  }
}
