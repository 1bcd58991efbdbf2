/**
 * The fields that an apply body speaks for. Of a message its set fields, of a map its keys, of a list its items
 * (each item, and what is set in it); what is owned whole counts as one field. Duplicate items of a live object
 * count as one, without parts.
 */

import { isJsonObject, type JsonObject, type JsonValue } from '../json.ts'
import { fieldElement } from './element.ts'
import { isList } from './equality.ts'
import type { FieldSet } from './field-set.ts'
import { itemsByElement } from './list-items.ts'
import { createSetBuilder, type SetBuilder } from './set-builder.ts'
import { deduced, type ListShape, type Shape, type StructShape } from './shape.ts'

/** Items that cannot be told apart are left out: bodies are checked before, live objects when they are compared. */
export function fieldSetOf(shape: StructShape, object: JsonObject): FieldSet {
  const builder = createSetBuilder()
  collectFields(builder, [], shape, object)
  return builder.build()
}

function collect(builder: SetBuilder, path: string[], shape: Shape, value: JsonValue): void {
  switch (shape.kind) {
    case 'untracked':
      return
    case 'leaf':
      builder.insert(path, path.length)
      return
    case 'struct':
      if (shape.atomic || (value !== null && !isJsonObject(value))) {
        builder.insert(path, path.length)
        return
      }
      collectFields(builder, path, shape, value)
      return
    case 'map':
      if (shape.atomic) {
        builder.insert(path, path.length)
        return
      }
      collectEntries(builder, path, shape.value, value)
      return
    case 'deduced':
      if (isJsonObject(value)) {
        collectEntries(builder, path, deduced, value)
        return
      }
      builder.insert(path, path.length)
      return
    case 'list':
      if (shape.type === 'atomic') {
        builder.insert(path, path.length)
        return
      }
      collectItems(builder, path, shape, value)
      return
  }
}

function collectFields(builder: SetBuilder, path: string[], shape: StructShape, value: JsonValue): void {
  if (!isJsonObject(value)) return
  for (const name in value) {
    const part = value[name]
    if (part === undefined) continue
    const field = shape.fields.get(name)
    path.push(field?.element ?? fieldElement(name))
    collect(builder, path, field?.shape ?? shape.others ?? deduced, part)
    const isTracked = field === undefined || isSelfTracked(field.shape)
    if (isTracked && (field === undefined || isEmpty(part))) builder.insert(path, path.length)
    path.pop()
  }
}

function isSelfTracked(shape: Shape): boolean {
  return shape.kind === 'struct' ? shape.selfTracked : shape.kind !== 'untracked'
}

function isEmpty(value: JsonValue): boolean {
  return value === null || (isJsonObject(value) && Object.keys(value).length === 0)
}

function collectEntries(builder: SetBuilder, path: string[], shape: Shape, value: JsonValue): void {
  if (!isJsonObject(value)) return
  for (const name in value) {
    const part = value[name]
    if (part === undefined) continue
    path.push(fieldElement(name))
    collect(builder, path, shape, part)
    builder.insert(path, path.length)
    path.pop()
  }
}

function collectItems(builder: SetBuilder, path: string[], shape: ListShape, value: JsonValue): void {
  const items = itemsByElement(shape, isList(value) ? value : [])
  if (!items.ok) return
  for (const [element, same] of items.value) {
    path.push(element)
    const [only] = same
    if (same.length === 1 && only !== undefined) collect(builder, path, shape.item, only)
    builder.insert(path, path.length)
    path.pop()
  }
}
