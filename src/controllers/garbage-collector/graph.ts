/**
 * Who owns whom: the items that the collector cares for, by key, and the dependents of each owner. Pure: changes come
 * in, and the keys that have to be looked at come out.
 *
 * Changes arrive in the order in which they were stored, those of all resources together. So when the deletion of an
 * owner is seen, all dependents that were stored before are known.
 *
 * Memory: one entry for each object that has an owner or is being deleted in a way that concerns its dependents.
 */

import type { Key } from '../../../store/contract.ts'
import type { Item, Reference } from './item.ts'

export interface GraphItem extends Item {
  readonly key: Key
}

/** Where the owner of a reference lives; undefined = cannot be told (unknown kind, or no such owner can be). */
export type OwnerKeyOf = (dependent: Key, reference: Reference) => Key | undefined

const none: ReadonlySet<Key> = new Set()

export class OwnerGraph {
  readonly #ownerKeyOf: OwnerKeyOf
  readonly #items = new Map<Key, GraphItem>()
  readonly #dependents = new Map<Key, Set<Key>>()
  /** Owners that were there when they were last asked for, by their uid. Only of owners with dependents. */
  readonly #present = new Map<Key, string>()
  #removals = 0

  constructor(ownerKeyOf: OwnerKeyOf) {
    this.#ownerKeyOf = ownerKeyOf
  }

  get size(): number {
    return this.#items.size
  }

  get(key: Key): GraphItem | undefined {
    return this.#items.get(key)
  }

  /** Of all items. */
  keys(): IterableIterator<Key> {
    return this.#items.keys()
  }

  /** Those that refer to just this owner: same place, same uid. */
  dependentsOf({ key, uid }: Pick<GraphItem, 'key' | 'uid'>): readonly GraphItem[] {
    return [...this.#dependentKeys(key)].flatMap((dependent) => {
      const item = this.#items.get(dependent)
      return item?.references.some((reference) => reference.uid === uid) ? [item] : []
    })
  }

  /** All references lead to owners that are known to be there, and not on their way out in a way that concerns it. */
  isSettled(item: GraphItem): boolean {
    return item.references.every((reference) => {
      const owner = this.#ownerKeyOf(item.key, reference)
      if (owner === undefined || this.#present.get(owner) !== reference.uid) return false
      return this.#items.get(owner)?.phase !== 'foreground'
    })
  }

  /** The item counts among the dependents of owners whose kinds were unknown when it came. */
  link(key: Key): void {
    this.#relink(key, undefined, this.#items.get(key))
  }

  /** Nothing was heard for a while. */
  forgetPresent(): void {
    this.#removals++
    this.#present.clear()
  }

  /** Changes whenever something goes: what was read before such a change proves nothing any more. */
  get removals(): number {
    return this.#removals
  }

  /** An owner was seen alive; `removals` is what it was before it was looked for. */
  confirm(owner: Key, uid: string, removals: number): void {
    if (removals === this.#removals && this.#dependents.has(owner)) this.#present.set(owner, uid)
  }

  /** The object at a key as it is now; undefined = it is there, and nothing that concerns the collector. */
  put(key: Key, next: Item | undefined): readonly Key[] {
    const before = this.#items.get(key)
    if (next === undefined && before === undefined) return []
    const item = next === undefined ? undefined : { key, ...next }
    if (item === undefined) this.#items.delete(key)
    else this.#items.set(key, item)
    const dirty = new Set<Key>()
    if (before?.uid !== item?.uid || !sameReferences(before?.references, item?.references)) {
      this.#relink(key, before, item)
      for (const owner of this.#released(key, before, item)) dirty.add(owner)
      if ((item?.references.length ?? 0) > 0) dirty.add(key)
    }
    if (item !== undefined && item.phase !== before?.phase) {
      if (item.phase === 'foreground') for (const one of this.dependentsOf(item)) dirty.add(one.key)
      if (item.phase !== 'ending') dirty.add(key)
    }
    return [...dirty].filter((one) => this.#items.has(one))
  }

  /** The object is gone. */
  remove(key: Key): readonly Key[] {
    const before = this.#items.get(key)
    this.#removals++
    this.#present.delete(key)
    const dirty = new Set(this.#dependentKeys(key))
    if (before !== undefined) {
      this.#items.delete(key)
      this.#relink(key, before, undefined)
      for (const owner of this.#released(key, before, undefined)) dirty.add(owner)
    }
    return [...dirty].filter((one) => this.#items.has(one))
  }

  /** Owners that wait for their dependents, and need to wait for this one no longer. */
  #released(key: Key, before: Item | undefined, after: Item | undefined): readonly Key[] {
    const blocked = new Set((after?.references ?? []).filter(({ blocks }) => blocks).map(({ uid }) => uid))
    return (before?.references ?? []).flatMap((reference) => {
      if (!reference.blocks || blocked.has(reference.uid)) return []
      const owner = this.#ownerKeyOf(key, reference)
      return owner !== undefined && this.#items.get(owner)?.phase === 'foreground' ? [owner] : []
    })
  }

  #relink(key: Key, before: Item | undefined, after: Item | undefined): void {
    for (const reference of before?.references ?? []) {
      const owner = this.#ownerKeyOf(key, reference)
      if (owner === undefined) continue
      const dependents = this.#dependents.get(owner)
      if (dependents?.delete(key) && dependents.size === 0) {
        this.#dependents.delete(owner)
        this.#present.delete(owner)
      }
    }
    for (const reference of after?.references ?? []) {
      const owner = this.#ownerKeyOf(key, reference)
      if (owner === undefined) continue
      const dependents = this.#dependents.get(owner) ?? new Set()
      this.#dependents.set(owner, dependents.add(key))
    }
  }

  #dependentKeys(owner: Key): ReadonlySet<Key> {
    return this.#dependents.get(owner) ?? none
  }
}

function sameReferences(a: readonly Reference[] = [], b: readonly Reference[] = []): boolean {
  return JSON.stringify(a) === JSON.stringify(b)
}
