/** Elements of a list whose schema says by which properties they are told apart. */

import { isJsonObject, type JsonObject, type JsonValue } from '../../json.ts'
import type { Structural } from '../schema/structural.ts'

export class KeyedList {
  readonly #keys: readonly string[]
  readonly #elements = new Map<string, JsonObject>()

  /** Empty where the schema says no such properties, or `list` is none. */
  constructor(structural: Structural, list: JsonValue | undefined) {
    this.#keys = structural.listType === 'map' ? structural.listMapKeys : []
    if (this.#keys.length === 0 || !Array.isArray(list)) return
    for (const element of list) {
      const key = this.#keyOf(element)
      if (key !== undefined && !this.#elements.has(key)) this.#elements.set(key, element)
    }
  }

  /** The first element that agrees with this one in all of the properties; undefined = none does. */
  get(element: JsonValue | undefined): JsonObject | undefined {
    const key = this.#elements.size === 0 ? undefined : this.#keyOf(element)
    return key === undefined ? undefined : this.#elements.get(key)
  }

  /** Undefined = a property is missing or no scalar. */
  #keyOf(element: JsonValue | undefined): string | undefined {
    if (!isJsonObject(element)) return undefined
    const values = this.#keys.map((key) => (Object.hasOwn(element, key) ? element[key] : undefined))
    const isComplete = values.every((value) => ['string', 'number', 'boolean'].includes(typeof value))
    return isComplete ? JSON.stringify(values) : undefined
  }
}
