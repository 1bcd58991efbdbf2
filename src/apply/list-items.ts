/** How the items of a list are told apart: by their keys in a list map, by their value in a set. */

import { fail, ok, type Result } from '../../store/contract.ts'
import { isJsonObject, type JsonValue } from '../json.ts'
import { valueElement } from './element.ts'
import type { ListKey, ListShape } from './shape.ts'

/** What is wrong with an item that cannot be told apart, as a sentence. */
type ItemProblem = string

/**
 * The step of an item of a set or list map. `given` = the item comes from an apply body, where keys without a
 * default must be spelled out; elsewhere an absent key has the zero value that the encoder leaves out.
 */
export function itemElement(shape: ListShape, item: JsonValue, given: boolean): Result<string, ItemProblem> {
  return shape.type === 'map' ? keyedElement(shape.keys, item, given) : setElement(item)
}

function keyedElement(
  keys: readonly ListKey[],
  item: JsonValue,
  given: boolean,
): Result<string, ItemProblem> {
  if (item === null) return fail('associative list with keys may not have a null element')
  if (!isJsonObject(item)) return fail('associative list with keys may not have non-map elements')
  let element = 'k:{'
  for (const key of keys) {
    const own = Object.hasOwn(item, key.name) ? item[key.name] : undefined
    const value = own ?? key.default ?? (given ? undefined : key.zero)
    if (value === undefined) {
      return fail(
        `associative list with keys has an element that omits key field "${key.name}" (and doesn't have default value)`,
      )
    }
    element += `${element.length > 3 ? ',' : ''}"${key.name}":${JSON.stringify(value)}`
  }
  return ok(`${element}}`)
}

function setElement(item: JsonValue): Result<string, ItemProblem> {
  if (item === null) return fail('associative list without keys has an element that is an explicit null')
  if (isJsonObject(item)) return fail("associative list without keys has an element that's a map type")
  if (Array.isArray(item)) return fail('not supported: associative list with lists as elements')
  return ok(valueElement(item))
}

/** The items of a list by their step, in order of first appearance. Lists of more than one item are duplicates. */
export function itemsByElement(
  shape: ListShape,
  list: readonly JsonValue[],
): Result<ReadonlyMap<string, readonly JsonValue[]>, ItemProblem> {
  const items = new Map<string, JsonValue[]>()
  for (const [index, item] of list.entries()) {
    const element = itemElement(shape, item, false)
    if (!element.ok) return fail(`element ${index}: ${element.failure}`)
    const same = items.get(element.value)
    if (same === undefined) items.set(element.value, [item])
    else same.push(item)
  }
  return ok(items)
}
