/**
 * Shapes of custom resources, out of their schemas. What differs from built-in types: lists are owned as a whole unless
 * the schema says how to tell their items apart, and where it keeps what it does not name, that has owners too.
 *
 * Source: specification, "Server-side apply" (merge markers); KEP-2337, schemas of apply.
 */

import type { Structural } from '../crd/schema/structural.ts'
import type { MessageType } from '../schema/descriptor.ts'
import { fieldElement } from './element.ts'
import { messageShape } from './message-shape.ts'
import { deduced, type FieldShape, type ListShape, type Shape, type StructShape, text } from './shape.ts'

/** The same for all parts of one schema. */
interface Surroundings {
  /** Null for objects without metadata of their own. */
  readonly metadata: Shape | undefined
  /** Something above keeps what it does not name, and that goes for all below it. */
  readonly keepsUnknown: boolean
}

/** Shape of the objects of a custom resource, not yet as an object of the API. */
export function resourceShape(structural: Structural, message: MessageType): StructShape {
  const type = message.jsonFields.get('metadata')?.type
  const metadata = type?.kind === 'message' ? messageShape(type.message, false) : undefined
  return structShape({ ...structural, embeddedResource: true }, { metadata, keepsUnknown: false })
}

function shapeOf(structural: Structural, around: Surroundings): Shape {
  switch (structural.type) {
    case 'string':
      return structural.validation.format === undefined || structural.validation.format === 'byte'
        ? text
        : { kind: 'leaf', scalar: 'any' }
    case 'integer':
    case 'number':
      return { kind: 'leaf', scalar: 'double' }
    case 'boolean':
      return { kind: 'leaf', scalar: 'bool' }
    case 'array':
      return listShape(structural, within(structural, around))
    case 'object':
      return objectShape(structural, around)
    case undefined:
      return structural.properties.size === 0 ? deduced : structShape(structural, around)
  }
}

function within({ preserveUnknownFields }: Structural, around: Surroundings): Surroundings {
  return preserveUnknownFields && !around.keepsUnknown ? { ...around, keepsUnknown: true } : around
}

/** A map where nothing is named. */
function objectShape(structural: Structural, around: Surroundings): Shape {
  const { properties, embeddedResource, mapType } = structural
  if (properties.size > 0 || embeddedResource) return structShape(structural, around)
  const inside = within(structural, around)
  let value: Shape | undefined
  return {
    kind: 'map',
    atomic: mapType === 'atomic',
    get value() {
      value ??= othersShape(structural, inside) ?? deduced
      return value
    },
  }
}

function structShape(structural: Structural, around: Surroundings): StructShape {
  const inside = within(structural, around)
  let fields: ReadonlyMap<string, FieldShape> | undefined
  return {
    kind: 'struct',
    atomic: structural.mapType === 'atomic',
    selfTracked: true,
    isOpen: structural.type === undefined,
    keepsNulls: true,
    others: othersShape(structural, inside),
    get fields() {
      fields ??= fieldShapes(structural, inside)
      return fields
    },
  }
}

function fieldShapes(structural: Structural, inside: Surroundings): ReadonlyMap<string, FieldShape> {
  const fields = new Map<string, FieldShape>()
  for (const [name, property] of structural.properties) {
    fields.set(name, { element: fieldElement(name), shape: shapeOf(property, inside) })
  }
  if (structural.embeddedResource) {
    for (const name of ['apiVersion', 'kind']) fields.set(name, { element: fieldElement(name), shape: text })
    const { metadata } = inside
    if (metadata !== undefined) fields.set('metadata', { element: fieldElement('metadata'), shape: metadata })
  }
  return fields
}

/** What members are that nothing names; undefined = there are none. */
function othersShape(structural: Structural, inside: Surroundings): Shape | undefined {
  const { additionalProperties, properties, embeddedResource } = structural
  if (additionalProperties === true) return deduced
  if (additionalProperties !== undefined) return shapeOf(additionalProperties, inside)
  return inside.keepsUnknown || (properties.size === 0 && !embeddedResource) ? deduced : undefined
}

function listShape({ items, listType, listMapKeys }: Structural, inside: Surroundings): ListShape {
  const item = items === undefined ? deduced : shapeOf(items, inside)
  if (listType !== 'map') return { kind: 'list', type: listType ?? 'atomic', item }
  const keys = listMapKeys
    .toSorted()
    .map((name) => ({ name, default: items?.properties.get(name)?.default, zero: undefined }))
  return { kind: 'list', type: 'map', item, keys }
}
