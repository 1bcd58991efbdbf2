import SortedBtree from 'sorted-btree'

/** The B+ tree's own type, without its CommonJS wrapping. */
export type OrderedMap<K extends string | number, V> = import('sorted-btree').default<K, V>

const Tree = SortedBtree.default

/** An empty ordered map: byte order for keys (binary strings), numeric order for numbers. */
export function orderedMap<K extends string | number, V>(): OrderedMap<K, V> {
  return new Tree<K, V>(undefined, (a, b) => (a < b ? -1 : a > b ? 1 : 0))
}
