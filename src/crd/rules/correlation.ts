/**
 * A value beside what stood in its place before a change, as far as the schema says what its place is: properties and
 * values of maps by their names, elements of lists by their keys, of other lists not at all. What has not changed need
 * not keep rules that came later.
 */

import { isJsonObject, type JsonObject, type JsonValue } from '../../json.ts'
import { sameJson } from '../../same-json.ts'
import type { Structural } from '../schema/structural.ts'
import { KeyedList } from './keyed-list.ts'

export class Correlation {
  readonly #structural: Structural
  readonly #value: JsonValue
  readonly #old: JsonValue
  #elements: KeyedList | undefined
  #isUnchanged: boolean | undefined

  constructor(structural: Structural, value: JsonValue, old: JsonValue) {
    this.#structural = structural
    this.#value = value
    this.#old = old
  }

  /** Undefined = it was not there, or the schema does not know it. */
  member(name: string): Correlation | undefined {
    const [value, old] = [memberOf(this.#value, name), memberOf(this.#old, name)]
    const { properties, additionalProperties } = this.#structural
    const structural = properties.get(name) ?? additionalProperties
    if (value === undefined || old === undefined || typeof structural !== 'object') return undefined
    return new Correlation(structural, value, old)
  }

  /** Undefined = none of the old elements is known to be the same. */
  element(value: JsonValue): Correlation | undefined {
    const { items } = this.#structural
    this.#elements ??= new KeyedList(this.#structural, this.#old)
    const old = this.#elements.get(value)
    return old === undefined || items === undefined ? undefined : new Correlation(items, value, old)
  }

  get isUnchanged(): boolean {
    this.#isUnchanged ??= this.#compare()
    return this.#isUnchanged
  }

  #compare(): boolean {
    const [value, old] = [this.#value, this.#old]
    if (Array.isArray(value)) return Array.isArray(old) && this.#compareLists(value, old)
    if (!isJsonObject(value)) return sameJson(value, old)
    if (!isJsonObject(old)) return false
    const names = namesOf(value)
    return (
      names.length === namesOf(old).length && names.every((name) => this.member(name)?.isUnchanged === true)
    )
  }

  /** The order of elements that have keys means nothing. */
  #compareLists(value: readonly JsonValue[], old: readonly JsonValue[]): boolean {
    if (this.#structural.listType !== 'map') return sameJson(value, old)
    return (
      value.length === old.length && value.every((element) => this.element(element)?.isUnchanged === true)
    )
  }
}

function namesOf(object: JsonObject): readonly string[] {
  return Object.keys(object).filter((name) => object[name] !== undefined)
}

export function memberOf(value: JsonValue | undefined, name: string): JsonValue | undefined {
  return isJsonObject(value) && Object.hasOwn(value, name) ? value[name] : undefined
}
