/** Objects in key order, with snapshots that cost nothing until the tree changes: nodes are copied on write. */

import { createRequire } from 'node:module'
import type sortedBtree from 'sorted-btree'
import type { Key, KeyRange } from '../../../store/contract.ts'
import type { StoredObject } from '../record.ts'

// Not imported: Node would read the whole of a CommonJS module beforehand, to learn what it exports.
const library: typeof sortedBtree = createRequire(import.meta.url)('sorted-btree')

type Nodes = sortedBtree.default<Key, StoredObject>

const compareKeys = (a: Key, b: Key): number => (a < b ? -1 : a > b ? 1 : 0)

export class ObjectTree {
  readonly #nodes: Nodes

  private constructor(nodes: Nodes) {
    this.#nodes = nodes
  }

  static of(objects: readonly StoredObject[]): ObjectTree {
    const entries = objects.map((object): [Key, StoredObject] => [object.key, object])
    return new ObjectTree(new library.default(entries, compareKeys))
  }

  get size(): number {
    return this.#nodes.size
  }

  get first(): StoredObject | undefined {
    const least = this.#nodes.minKey()
    return least === undefined ? undefined : this.#nodes.get(least)
  }

  get(at: Key): StoredObject | undefined {
    return this.#nodes.get(at)
  }

  set(object: StoredObject): void {
    this.#nodes.set(object.key, object)
  }

  delete(at: Key): void {
    this.#nodes.delete(at)
  }

  /** The tree as it is now, forever. */
  snapshot(): ObjectTree {
    return new ObjectTree(this.#nodes.clone())
  }

  count({ start, end }: KeyRange): number {
    return this.#nodes.forRange(start, end, false)
  }

  /** Visits the objects of `[start, end)` in order until `visit` answers false. */
  scan({ start, end }: KeyRange, visit: (object: StoredObject) => boolean): void {
    this.#nodes.forRange(start, end, false, (_, object) => (visit(object) ? undefined : stop))
  }

  /** All objects, in order. */
  all(): Iterable<StoredObject> {
    return this.#nodes.valuesArray()
  }

  /** The objects of `[start, end)`, one at a time. The tree must be a snapshot when others may change it meanwhile. */
  *objects({ start, end }: KeyRange): Generator<StoredObject, undefined> {
    for (const [at, object] of this.#nodes.entries(start)) {
      if (at >= end) return
      yield object
    }
  }
}

const stop = { break: true }
