/** Shapes of the messages of built-in types. Source: specification, "Server-side apply" (merge markers). */

import type { JsonValue } from '../json.ts'
import type { Field, MapType, MessageType, ValueType } from '../schema/descriptor.ts'
import { zeroScalars } from '../schema/scalars.ts'
import { fieldElement } from './element.ts'
import { type FieldShape, type ListKey, type ListShape, type Shape, type StructShape, text } from './shape.ts'

const granularShapes = new WeakMap<MessageType, StructShape>()
const atomicShapes = new WeakMap<MessageType, StructShape>()

/** Shape of a message as a part of an object; `atomic` = it is owned as a whole. */
export function messageShape(message: MessageType, atomic: boolean): StructShape {
  const cache = atomic ? atomicShapes : granularShapes
  let shape = cache.get(message)
  if (shape === undefined) {
    shape = createStruct(message, atomic)
    cache.set(message, shape)
  }
  return shape
}

function createStruct(message: MessageType, atomic: boolean): StructShape {
  let fields: ReadonlyMap<string, FieldShape> | undefined
  return {
    kind: 'struct',
    atomic,
    others: undefined,
    isOpen: false,
    keepsNulls: false,
    selfTracked: true,
    get fields() {
      fields ??= fieldShapes(message)
      return fields
    },
  }
}

function fieldShapes(message: MessageType): ReadonlyMap<string, FieldShape> {
  const fields = new Map<string, FieldShape>()
  if (message.root) {
    for (const name of ['apiVersion', 'kind']) fields.set(name, { element: fieldElement(name), shape: text })
  }
  for (const [name, field] of message.jsonFields) {
    fields.set(name, { element: fieldElement(name), shape: fieldShape(field) })
  }
  return fields
}

function fieldShape(field: Field): Shape {
  return valueShape(field.type, field)
}

function valueShape(type: ValueType, field: Field | undefined): Shape {
  switch (type.kind) {
    case 'scalar':
      return { kind: 'leaf', scalar: type.scalar }
    case 'message':
      // What can be something else than an object is owned as a whole.
      if (type.message.jsonForm !== undefined) return { kind: 'leaf', scalar: 'json' }
      return messageShape(type.message, isAtomic(field?.mapType ?? type.message.structType))
    case 'map':
      return { kind: 'map', atomic: isAtomic(field?.mapType), value: valueShape(type.value, undefined) }
    case 'list':
      return listShape(type.element, field)
  }
}

function isAtomic(type: MapType | undefined): boolean {
  return type === 'atomic'
}

/** Without a list type, the patch strategy `merge` says: a map by its merge key, or a set where there is none. */
function listShape(element: ValueType, field: Field | undefined): ListShape {
  const item = valueShape(element, undefined)
  const merges = field?.patchStrategy?.includes('merge') ?? false
  const mergeKey = field?.patchMergeKey
  const keys = field?.listMapKeys ?? (mergeKey === undefined ? [] : [mergeKey])
  const type = field?.listType ?? (merges ? (keys.length > 0 ? 'map' : 'set') : 'atomic')
  if (type === 'map' && element.kind === 'message' && keys.length > 0) {
    return {
      kind: 'list',
      type: 'map',
      item,
      keys: keys.toSorted().map((name) => listKey(element.message, name)),
    }
  }
  return { kind: 'list', type: type === 'set' && element.kind === 'scalar' ? 'set' : 'atomic', item }
}

function listKey(message: MessageType, name: string): ListKey {
  const field = message.jsonFields.get(name)
  return { name, default: field?.default, zero: field === undefined ? undefined : zeroOf(field) }
}

/** Of scalars that JSON prints when they are zero, or leaves out then: either way an object has the zero value. */
function zeroOf({ pointer, type }: Field): JsonValue | undefined {
  if (pointer || type.kind !== 'scalar') return undefined
  return zeroScalars[type.scalar] ?? undefined
}
