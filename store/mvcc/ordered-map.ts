import { createRequire } from 'node:module'
import type SortedBtree from 'sorted-btree'

/** The B+ tree's own type, without its CommonJS wrapping. */
export type OrderedMap<K extends string | number, V> = import('sorted-btree').default<K, V>

// Not imported: Node would read the whole of a CommonJS module beforehand, to learn what it exports.
const library: typeof SortedBtree = createRequire(import.meta.url)('sorted-btree')
const Tree = library.default

/** An empty ordered map: byte order for keys (binary strings), numeric order for numbers. */
export function orderedMap<K extends string | number, V>(): OrderedMap<K, V> {
  return new Tree<K, V>(undefined, (a, b) => (a < b ? -1 : a > b ? 1 : 0))
}
