/**
 * The objects of a resource in one version, each made once for all who read it, and kept as long as what it is made
 * from: a cache lets go of both together.
 *
 *     unknown ──begun──▶ under way (with others, as one batch) ──▶ known
 *        ▲                    └─ failed: the next reader tries again
 *        └────────────────────┘
 */

import { fail, ok, type Result } from '../../../store/contract.ts'
import type { Converted, VersionConversion } from '../../types/resource.ts'
import type { CachedObject, ConversionFailed, Forms, Prepared } from '../contract.ts'
import { parseObject } from '../record.ts'
import { ConvertedObject } from './converted-object.ts'

type Batch = Promise<Prepared>

/** Objects that are converted in one turn of the event loop. */
const turnObjectsMax = 256

let instances = 0

export class ConvertedObjects implements Forms {
  /** Unlike that of any other, of the same resource too: definitions change. */
  readonly id = String(++instances)
  readonly #conversion: VersionConversion
  readonly #known = new WeakMap<CachedObject, CachedObject | Batch>()
  /** How the JSON of objects begins that are stored in this version. */
  readonly #start: Buffer

  constructor(conversion: VersionConversion) {
    this.#conversion = conversion
    this.#start = Buffer.from(`{"apiVersion":${JSON.stringify(conversion.apiVersion)},`)
  }

  /** The object in this version; undefined = somebody may have to be asked, or it cannot be had. */
  now(object: CachedObject): CachedObject | undefined {
    const known = this.#known.get(object)
    if (known instanceof Promise) return undefined
    if (known !== undefined) return known
    const same = this.#same(object)
    if (same !== undefined || this.#conversion.asksOthers) return same
    const begun = this.#begin([object])
    return begun instanceof Promise || !begun.ok ? undefined : this.known(object)
  }

  /** One that was prepared. */
  known(object: CachedObject): CachedObject {
    const known = this.#known.get(object)
    if (known === undefined || known instanceof Promise)
      throw new TypeError(`${object.key} has not been converted`)
    return known
  }

  /** Where nobody has to be asked, others have their turn in between. */
  async all(objects: readonly CachedObject[]): Promise<Result<readonly CachedObject[], ConversionFailed>> {
    const atOnce = this.#conversion.asksOthers ? Math.max(1, objects.length) : turnObjectsMax
    for (let from = 0; from < objects.length; from += atOnce) {
      if (from > 0) await new Promise(setImmediate)
      const prepared = await this.prepare(objects.slice(from, from + atOnce))
      if (!prepared.ok) return prepared
    }
    return ok(objects.map((object) => this.known(object)))
  }

  prepare(objects: readonly CachedObject[]): Prepared | Promise<Prepared> {
    const [unknown, underWay] = this.#unready(objects)
    if (unknown.length === 0 && underWay.size === 0) return ready
    const begun = unknown.length === 0 ? ready : this.#begin(unknown)
    if (underWay.size === 0) return begun
    return this.#afterOthers(objects, underWay, begun)
  }

  /** What others have asked for may fail because of objects of theirs: then it is asked for again. */
  async #afterOthers(
    objects: readonly CachedObject[],
    underWay: ReadonlySet<Batch>,
    begun: Prepared | Batch,
  ): Promise<Prepared> {
    await Promise.all(underWay)
    const own = await begun
    return own.ok ? this.prepare(objects) : own
  }

  #unready(objects: readonly CachedObject[]): [readonly CachedObject[], ReadonlySet<Batch>] {
    const unknown: CachedObject[] = []
    const underWay = new Set<Batch>()
    for (const object of objects) {
      const known = this.#known.get(object) ?? this.#same(object)
      if (known === undefined) unknown.push(object)
      else if (known instanceof Promise) underWay.add(known)
    }
    return [unknown, underWay]
  }

  #begin(objects: readonly CachedObject[]): Prepared | Batch {
    const stored = objects.map(parseObject)
    const versions = stored.map(({ apiVersion }) => apiVersion)
    const read = this.#conversion.read(stored)
    if (!(read instanceof Promise)) return this.#settle(objects, versions, read)
    const batch: Batch = read.then((converted) => this.#settle(objects, versions, converted))
    for (const object of objects) this.#known.set(object, batch)
    return batch
  }

  /** What is stored in this version is shown as it is stored. */
  #same(object: CachedObject): CachedObject | undefined {
    const { apiVersion, storedApiVersion } = this.#conversion
    const { json } = object
    if (!json.subarray(0, this.#start.length).equals(this.#start)) return undefined
    const shown = apiVersion === storedApiVersion ? object : new ConvertedObject(object, json, true)
    this.#known.set(object, shown)
    return shown
  }

  #settle(objects: readonly CachedObject[], versions: readonly string[], converted: Converted): Prepared {
    if (!converted.ok) {
      for (const object of objects) this.#known.delete(object)
      return fail({ code: 'ConversionFailed', message: converted.failure })
    }
    for (const [index, object] of objects.entries()) {
      const made = converted.value[index]
      if (made === undefined) throw new TypeError(`${object.key} was not converted`)
      const isStale = versions[index] !== this.#conversion.storedApiVersion
      this.#known.set(object, new ConvertedObject(object, Buffer.from(JSON.stringify(made)), isStale))
    }
    return ready
  }

  derive(object: CachedObject, departed: CachedObject): void {
    const known = this.#known.get(object)
    if (known === undefined || known instanceof Promise) return
    this.#known.set(departed, known instanceof ConvertedObject ? known.of(departed) : departed)
  }
}

const ready: Prepared = ok(undefined)

const made = new WeakMap<VersionConversion, ConvertedObjects>()

/** One for all who read objects through this conversion. */
export function formsOf(conversion: VersionConversion): ConvertedObjects {
  let objects = made.get(conversion)
  if (objects === undefined) {
    objects = new ConvertedObjects(conversion)
    made.set(conversion, objects)
  }
  return objects
}
