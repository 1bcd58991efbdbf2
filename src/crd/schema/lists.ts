/**
 * `x-kubernetes-list-type`: elements of a set are different from each other, elements of a map differ in their keys. Of
 * what is there more than twice only the second is told.
 */

import { isJsonObject, type JsonObject, type JsonValue } from '../../json.ts'
import { own, setOwn } from '../../own.ts'
import { formatPath, type PathSegment } from '../../schema/path.ts'
import type { Cause } from '../../status/status.ts'
import { renderValue } from './render.ts'
import type { Structural } from './structural.ts'
import { identityOf } from './unique.ts'
import { isConcernedBy } from './walk.ts'

/** Everything that is there twice, anywhere in the value. */
export function listCauses(structural: Structural, value: JsonObject): readonly Cause[] {
  if (!hasKeyedLists(structural)) return noCauses
  const causes: Cause[] = []
  visit(value, structural, [], causes)
  return causes
}

const noCauses: readonly Cause[] = []

const hasKeyedLists = isConcernedBy(({ listType }) => listType === 'set' || listType === 'map')

function visit(value: JsonValue, node: Structural, path: PathSegment[], causes: Cause[]): void {
  if (typeof value !== 'object' || value === null || !hasKeyedLists(node)) return
  if (Array.isArray(value)) visitList(value, node, path, causes)
  else if (isJsonObject(value)) visitMembers(value, node, path, causes)
}

function visitMembers(object: JsonObject, node: Structural, path: PathSegment[], causes: Cause[]): void {
  const { properties, additionalProperties } = node
  for (const name of Object.keys(object)) {
    const property = properties.get(name)
    const schema = property ?? additionalProperties
    if (schema === undefined || schema === true) continue
    path.push(property === undefined ? { key: name } : name)
    visit(object[name] ?? null, schema, path, causes)
    path.pop()
  }
}

function visitList(list: readonly JsonValue[], node: Structural, path: PathSegment[], causes: Cause[]): void {
  if (node.listType === 'set') checkDistinct(list, path, causes)
  if (node.listType === 'map') checkKeys(list, node.listMapKeys, path, causes)
  const { items } = node
  if (items === undefined || !hasKeyedLists(items)) return
  for (let index = 0; index < list.length; index++) {
    path.push(index)
    visit(list[index] ?? null, items, path, causes)
    path.pop()
  }
}

function checkKeys(
  list: readonly JsonValue[],
  names: readonly string[],
  path: PathSegment[],
  causes: Cause[],
): void {
  const stray = list.findIndex((element) => element !== null && !isJsonObject(element))
  if (stray >= 0) {
    const message = `Invalid value: ${renderValue(list[stray])}: must be an object for an array of list-type map`
    causes.push({ reason: 'FieldValueInvalid', message, field: formatPath([...path, stray]) })
    return
  }
  const keys = list.map((element) => keysOf(element, names))
  checkDistinct(keys, path, causes)
}

/** The keys that the element has; none for null. */
function keysOf(element: JsonValue, names: readonly string[]): JsonObject {
  const keys: Record<string, JsonValue> = {}
  if (!isJsonObject(element)) return keys
  for (const name of names) {
    const value = own(element, name)
    if (value !== undefined) setOwn<JsonValue>(keys, name, value)
  }
  return keys
}

function checkDistinct(values: readonly JsonValue[], path: PathSegment[], causes: Cause[]): void {
  if (values.length < 2) return
  const counts = new Map<string, number>()
  for (const [index, value] of values.entries()) {
    const identity = identityOf(value)
    const count = counts.get(identity) ?? 0
    counts.set(identity, count + 1)
    if (count !== 1) continue
    const message = `Duplicate value: ${renderValue(value)}`
    causes.push({ reason: 'FieldValueDuplicate', message, field: formatPath([...path, index]) })
  }
}
