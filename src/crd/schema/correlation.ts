/**
 * What a value was before a change, and whether it is still the same: validation forgives what was wrong before and did
 * not change. Members are correlated by their names and elements of `x-kubernetes-list-type: map` by their keys; elements
 * of other lists are not, so such a list is forgiven as a whole or not at all.
 *
 * Source: KEP-4008, CRD validation ratcheting.
 */

import { isJsonObject, type JsonObject, type JsonValue } from '../../json.ts'
import { own } from '../../own.ts'
import { sameJson } from '../../same-json.ts'
import type { Structural } from './structural.ts'

/** Of one change. */
export interface Correlation {
  /** A value with a member that its schema does not name is never the same. */
  isSame(value: JsonValue, old: JsonValue, node: Structural): boolean
}

/** Each object and list is compared once, however often it is asked about. */
export function createCorrelation(): Correlation {
  const known = new Map<object, boolean>()

  function isSame(value: JsonValue, old: JsonValue, node: Structural): boolean {
    if (typeof value !== 'object' || value === null) return value === old
    let same = known.get(value)
    if (same === undefined) {
      same = Array.isArray(value) ? sameList(value, old, node) : sameObject(value as JsonObject, old, node)
      known.set(value, same)
    }
    return same
  }

  function sameList(list: readonly JsonValue[], old: JsonValue, node: Structural): boolean {
    if (!Array.isArray(old) || list.length !== old.length) return false
    const { items } = node
    const before = correlatedElements(node, old)
    if (items === undefined || before === undefined) return sameJson(list, old)
    return list.every((element) => {
      const correlated = before(element)
      return correlated !== undefined && isSame(element, correlated, items)
    })
  }

  function sameObject(object: JsonObject, old: JsonValue, node: Structural): boolean {
    if (!isJsonObject(old)) return false
    const names = Object.keys(object)
    if (names.length !== Object.keys(old).length) return false
    return names.every((name) => {
      const schema = node.properties.get(name) ?? node.additionalProperties
      const before = own(old, name)
      if (schema === undefined || schema === true || before === undefined) return false
      return isSame(own(object, name) ?? null, before, schema)
    })
  }

  return { isSame }
}

/** Finds the element of before for one of now, by its keys; undefined = elements of this list have none. */
export function correlatedElements(
  { listType, listMapKeys, items }: Structural,
  old: JsonValue,
): ((element: JsonValue) => JsonValue | undefined) | undefined {
  if (listType !== 'map' || listMapKeys.length === 0 || items === undefined || !Array.isArray(old))
    return undefined
  const elements = new Map<string, JsonValue>()
  for (const element of old as readonly JsonValue[]) {
    const key = keyOf(element, listMapKeys)
    if (key !== undefined && !elements.has(key)) elements.set(key, element)
  }
  return (element) => {
    const key = keyOf(element, listMapKeys)
    return key === undefined ? undefined : elements.get(key)
  }
}

/** Undefined = the element lacks a key, or one of them is no scalar. */
function keyOf(element: JsonValue, names: readonly string[]): string | undefined {
  if (!isJsonObject(element)) return undefined
  let key = ''
  for (const name of names) {
    const value = own(element, name)
    if (value === undefined || typeof value === 'object') return undefined
    key += `${JSON.stringify(value)}\0`
  }
  return key
}
