/**
 * Takes fields out of an object. What is emptied by it goes as well: nobody's claim to it outlives its content. Where
 * null is a value of its own, a member that stays null is left of it, for the schema to judge.
 */

import { isJsonObject, type JsonObject, type JsonValue } from '../json.ts'
import { setOwn } from '../own.ts'
import { cloneJson } from '../patch/mutable-json.ts'
import { fieldElement } from './element.ts'
import { isList } from './equality.ts'
import { type FieldSet, hasParts, isMember } from './field-set.ts'
import { itemElement } from './list-items.ts'
import { deduced, type ListShape, partOf, type Shape, type StructShape } from './shape.ts'

/** The object without the members of `fields`; the same object when there is nothing to take. */
export function removeFields(shape: StructShape, object: JsonObject, fields: FieldSet): JsonObject {
  const rest = removeParts(object, fields, shape.keepsNulls, (name) => partOf(shape, name))
  return isJsonObject(rest) ? rest : {}
}

/** Undefined = nothing is left of it. */
type Rest = JsonValue | undefined

function removeFrom(shape: Shape, value: JsonValue, fields: FieldSet, leavesNull: boolean): Rest {
  switch (shape.kind) {
    case 'leaf':
    case 'untracked':
      return value
    case 'struct':
      if (shape.atomic || (shape.isOpen && isList(value))) return undefined
      return removeParts(value, fields, leavesNull, (name) => partOf(shape, name))
    case 'map':
      return shape.atomic ? undefined : removeParts(value, fields, leavesNull, () => shape.value)
    case 'deduced':
      return isList(value) ? undefined : removeParts(value, fields, leavesNull, () => deduced)
    case 'list':
      return shape.type === 'atomic' ? undefined : removeItems(shape, value, fields, leavesNull)
  }
}

function removeParts(
  value: JsonValue,
  fields: FieldSet,
  leavesNull: boolean,
  shapeOf: (name: string) => Shape,
): Rest {
  if (!isJsonObject(value)) return value
  const rest: Record<string, JsonValue | undefined> = {}
  let changed = false
  let empty = true
  for (const name in value) {
    const part = value[name]
    if (part === undefined) continue
    const node = fields[fieldElement(name)]
    if (node !== undefined && isMember(node)) {
      changed = true
      continue
    }
    const left =
      node !== undefined && hasParts(node) ? removeFrom(shapeOf(name), part, node, leavesNull) : part
    if (left !== part) changed = true
    if (left === undefined && !leavesNull) continue
    setOwn(rest, name, left ?? null)
    empty = false
  }
  if (!changed) return value
  return empty ? undefined : rest
}

function removeItems(shape: ListShape, value: JsonValue, fields: FieldSet, leavesNull: boolean): Rest {
  if (!isList(value)) return value
  const rest: JsonValue[] = []
  let changed = false
  for (const item of value) {
    const element = itemElement(shape, item, false)
    const node = element.ok ? fields[element.value] : undefined
    if (node !== undefined && isMember(node)) {
      changed = true
      continue
    }
    const left = node !== undefined && hasParts(node) ? removeFrom(shape.item, item, node, leavesNull) : item
    if (left !== item) changed = true
    if (left !== undefined) rest.push(left)
  }
  if (!changed) return value
  return rest.length === 0 ? undefined : rest
}

/**
 * The object without the nulls that a body said: a null where `before` has none means absent, but where null is a
 * value of its own.
 * Also a copy: it shares nothing with what it was made of.
 */
export function settledObject(
  shape: StructShape,
  object: JsonObject,
  before: JsonObject | undefined,
): JsonObject {
  if (shape.keepsNulls) {
    const copy = cloneJson(object)
    return isJsonObject(copy) ? copy : {}
  }
  const out: Record<string, JsonValue | undefined> = {}
  for (const name in object) {
    const part = object[name]
    const old = before !== undefined && Object.hasOwn(before, name) ? before[name] : undefined
    if (part === undefined || (part === null && old !== null)) continue
    setOwn(out, name, settled(partShape(shape, name), part, old))
  }
  return out
}

function settled(shape: Shape, value: JsonValue, before: JsonValue | undefined): JsonValue {
  if (isList(value)) return settledList(shape, value)
  if (!isJsonObject(value)) return value
  const isOpaque = shape.kind === 'leaf'
  const old = isJsonObject(before) ? before : undefined
  const out: Record<string, JsonValue | undefined> = {}
  for (const name in value) {
    const part = value[name]
    const oldPart = old !== undefined && Object.hasOwn(old, name) ? old[name] : undefined
    if (part === undefined || (part === null && oldPart !== null && !isOpaque)) continue
    setOwn(out, name, settled(partShape(shape, name), part, oldPart))
  }
  return out
}

function settledList(shape: Shape, value: readonly JsonValue[]): readonly JsonValue[] {
  if (shape.kind === 'leaf') return value.map((item) => settled(shape, item, undefined))
  const item = shape.kind === 'list' ? shape.item : deduced
  return value.filter((part) => part !== null).map((part) => settled(item, part, undefined))
}

function partShape(shape: Shape, name: string): Shape {
  switch (shape.kind) {
    case 'struct':
      return partOf(shape, name)
    case 'map':
      return shape.value
    default:
      return shape
  }
}
