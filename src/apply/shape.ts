/**
 * What field ownership needs to know of a message, resolved once: which parts are owned one by one and which as a
 * whole, how the items of a list are told apart, and the step that each field is in a field set.
 *
 * Source: specification, "Server-side apply" (merge markers).
 */

import type { JsonObject, JsonValue } from '../json.ts'
import type { Field, MapType, MessageType, ScalarType, ValueType } from '../schema/descriptor.ts'
import { normalizeMessage } from '../schema/normalize.ts'
import { zeroScalars } from '../schema/scalars.ts'
import { fieldElement } from './element.ts'

export type Shape = LeafShape | StructShape | MapShape | ListShape | DeducedShape | UntrackedShape

interface LeafShape {
  readonly kind: 'leaf'
  readonly scalar: ScalarType
}

/** A message. `fields` is made at the first use: messages may hold themselves. */
export interface StructShape {
  readonly kind: 'struct'
  readonly atomic: boolean
  readonly message: MessageType
  readonly fields: ReadonlyMap<string, FieldShape>
  /** False for the metadata of the object itself: only its parts are owned. */
  readonly selfTracked: boolean
}

export interface FieldShape {
  readonly element: string
  readonly shape: Shape
}

export interface MapShape {
  readonly kind: 'map'
  readonly atomic: boolean
  readonly value: Shape
}

export type ListShape =
  | { readonly kind: 'list'; readonly type: 'atomic' | 'set'; readonly item: Shape }
  | { readonly kind: 'list'; readonly type: 'map'; readonly item: Shape; readonly keys: readonly ListKey[] }

export interface ListKey {
  readonly name: string
  /** Stands for an absent key; undefined = the key must be given. */
  readonly default: JsonValue | undefined
  /** Stands for an absent key in an object that the server printed; a body must still give it. */
  readonly zero: JsonValue | undefined
}

/** Parts that no schema describes: objects field by field, lists as a whole. */
interface DeducedShape {
  readonly kind: 'deduced'
}

/** Fields that have no owner: what the server alone decides about the object itself. */
interface UntrackedShape {
  readonly kind: 'untracked'
}

export const deduced: DeducedShape = { kind: 'deduced' }
const untracked: UntrackedShape = { kind: 'untracked' }
const text: LeafShape = { kind: 'leaf', scalar: 'string' }

const untrackedMetadata: ReadonlySet<string> = new Set([
  'name',
  'namespace',
  'creationTimestamp',
  'selfLink',
  'uid',
  'clusterName',
  'generation',
  'managedFields',
  'resourceVersion',
])

/** Shape of a message as an object of the API: apiVersion, kind and the identity in metadata have no owner. */
export function objectShape(message: MessageType): StructShape {
  let shape = objectShapes.get(message)
  if (shape === undefined) {
    const fields = new Map(messageShape(message, false).fields)
    fields.set('apiVersion', { element: fieldElement('apiVersion'), shape: untracked })
    fields.set('kind', { element: fieldElement('kind'), shape: untracked })
    const metadata = fields.get('metadata')
    if (metadata?.shape.kind === 'struct') {
      fields.set('metadata', { element: metadata.element, shape: metadataShape(metadata.shape) })
    }
    shape = { kind: 'struct', atomic: false, message, fields, selfTracked: false }
    objectShapes.set(message, shape)
  }
  return shape
}

const objectShapes = new WeakMap<MessageType, StructShape>()

function metadataShape(plain: StructShape): StructShape {
  const fields = new Map(plain.fields)
  for (const name of untrackedMetadata) fields.set(name, { element: fieldElement(name), shape: untracked })
  return { ...plain, fields, atomic: false, selfTracked: false }
}

const granularShapes = new WeakMap<MessageType, StructShape>()
const atomicShapes = new WeakMap<MessageType, StructShape>()

function messageShape(message: MessageType, atomic: boolean): StructShape {
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
    message,
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

/**
 * The object as it stands before its creation: what is printed of a message in which nothing was set. Creation
 * takes ownership of the difference, so a message that is always printed is not owned itself.
 */
export function emptyObject(message: MessageType): JsonObject {
  let object = emptyObjects.get(message)
  if (object === undefined) {
    object = normalizeMessage(message, {})
    emptyObjects.set(message, object)
  }
  return object
}

const emptyObjects = new WeakMap<MessageType, JsonObject>()
