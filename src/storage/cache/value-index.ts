/**
 * Indexes over the values of labels and selectable fields, for selectors that are asked again and again: who lists
 * 1 % of the objects need not look at all of them. Nothing is kept before a second request asks for the same label or
 * field, little is kept (`indexesMax` for each resource, the longest unused go first), and what nobody asks for goes
 * after `indexAgeMs`.
 *
 * Like the cache's tree, an index shows the newest state: it takes each event in the turn in which the tree does.
 */

import type { Requirement, Selector } from '../contract.ts'
import type { StoredObject } from '../record.ts'
import type { Deadline, Deadlines } from './deadlines.ts'
import { ObjectTree } from './tree.ts'

interface IndexLimits {
  readonly indexesMax: number
  readonly indexAgeMs: number
  /** Among fewer objects than these, all are looked at. */
  readonly indexObjectsMin: number
}

type ValueOf = (object: StoredObject) => string | undefined

/**
 * Objects of one value: one alone needs no tree, and a list in order, as an index is made of, becomes one only when its
 * value is asked for or an object of it changes.
 */
type Bucket = StoredObject | StoredObject[] | ObjectTree

const nothing = ObjectTree.of([])

class ValueIndex {
  readonly #valueOf: ValueOf
  readonly #buckets = new Map<string, Bucket>()

  constructor(readValue: ValueOf, objects: Iterable<StoredObject>) {
    this.#valueOf = readValue
    for (const object of objects) {
      const value = readValue(object)
      if (value === undefined) continue
      const bucket = this.#buckets.get(value)
      if (bucket === undefined) this.#buckets.set(value, object)
      else if (Array.isArray(bucket)) bucket.push(object)
      else if (!(bucket instanceof ObjectTree)) this.#buckets.set(value, [bucket, object])
    }
  }

  /** The objects that have this value. Changes with the next event: take a snapshot to keep it. */
  get(value: string): ObjectTree {
    const bucket = this.#bucketOf(value)
    if (bucket === undefined) return nothing
    return bucket instanceof ObjectTree ? bucket : ObjectTree.of([bucket])
  }

  #bucketOf(value: string): StoredObject | ObjectTree | undefined {
    const bucket = this.#buckets.get(value)
    if (!Array.isArray(bucket)) return bucket
    const tree = ObjectTree.of(bucket)
    this.#buckets.set(value, tree)
    return tree
  }

  /** Adds an object, or puts it in the place of the one with its key and value. */
  add(object: StoredObject): void {
    const value = this.#valueOf(object)
    if (value === undefined) return
    const bucket = this.#bucketOf(value)
    if (bucket instanceof ObjectTree) bucket.set(object)
    else if (bucket === undefined || bucket.key === object.key) this.#buckets.set(value, object)
    else this.#buckets.set(value, ObjectTree.of([bucket, object]))
  }

  /** Takes `previous` away, unless `next` has taken its place. */
  remove(previous: StoredObject, next: StoredObject | undefined): void {
    const value = this.#valueOf(previous)
    if (value === undefined || (next !== undefined && this.#valueOf(next) === value)) return
    const bucket = this.#bucketOf(value)
    if (bucket instanceof ObjectTree) {
      bucket.delete(previous.key)
      if (bucket.size === 0) this.#buckets.delete(value)
    } else if (bucket?.key === previous.key) {
      this.#buckets.delete(value)
    }
  }
}

/** What a request has asked for: an index, once it was asked for again. */
interface Asked {
  index: ValueIndex | undefined
  expiry: Deadline
}

export class ValueIndexes {
  readonly #limits: IndexLimits
  readonly #deadlines: Deadlines
  /** By label or field; the longest unused comes first. */
  readonly #asked = new Map<string, Asked>()

  constructor(limits: IndexLimits, deadlines: Deadlines) {
    this.#limits = limits
    this.#deadlines = deadlines
  }

  /** How many indexes there are now. */
  get count(): number {
    let count = 0
    for (const { index } of this.#asked.values()) if (index !== undefined) count++
    return count
  }

  /**
   * The objects of `all` that can match: those with the value that the selector asks for. The rest of the selector is
   * still to be checked. Undefined = no index helps: look at all of them.
   *
   * @param among how many objects are looked at otherwise
   */
  candidates(selector: Selector, all: ObjectTree, among: number): ObjectTree | undefined {
    if (among < this.#limits.indexObjectsMin) return undefined
    let fewest: ObjectTree | undefined
    for (const [space, requirements] of [
      ['field', selector.fields],
      ['label', selector.labels],
    ] as const) {
      for (const requirement of requirements) {
        const found = this.#find(space, requirement, all)
        if (found !== undefined && (fewest === undefined || found.size < fewest.size)) fewest = found
      }
    }
    return fewest !== undefined && fewest.size < among ? fewest : undefined
  }

  #find(space: 'label' | 'field', { name, operator, values }: Requirement, all: ObjectTree) {
    const [value] = values
    if (operator !== 'in' || values.length !== 1 || value === undefined) return undefined
    const id = `${space} ${name}`
    const asked = this.#asked.get(id)
    if (asked === undefined) {
      this.#remember(id, { index: undefined, expiry: this.#expiryOf(id) })
      return undefined
    }
    asked.expiry.cancel()
    asked.expiry = this.#expiryOf(id)
    asked.index ??= new ValueIndex(readerOf(space, name), all.all())
    this.#remember(id, asked)
    return asked.index.get(value)
  }

  #expiryOf(id: string): Deadline {
    return this.#deadlines.after(this.#limits.indexAgeMs, { onDeadline: () => this.#asked.delete(id) })
  }

  #remember(id: string, asked: Asked): void {
    this.#asked.delete(id)
    this.#asked.set(id, asked)
    for (const [oldest, { expiry }] of this.#asked) {
      if (this.#asked.size <= this.#limits.indexesMax) break
      expiry.cancel()
      this.#asked.delete(oldest)
    }
  }

  /** An object came, changed or went. */
  onChange(previous: StoredObject | undefined, next: StoredObject | undefined): void {
    for (const { index } of this.#asked.values()) {
      if (index === undefined) continue
      if (previous !== undefined) index.remove(previous, next)
      if (next !== undefined) index.add(next)
    }
  }

  /** The state is another: indexes are made anew when they are asked for. */
  reset(): void {
    for (const asked of this.#asked.values()) asked.index = undefined
  }
}

function readerOf(space: 'label' | 'field', name: string): ValueOf {
  return space === 'label' ? (object) => object.labels().get(name) : (object) => object.field(name)
}
