/** The shape of an object of the API: apiVersion, kind and the identity in metadata are the server's alone. */

import type { JsonObject } from '../json.ts'
import type { MessageType } from '../schema/descriptor.ts'
import { normalizeMessage } from '../schema/normalize.ts'
import { fieldElement } from './element.ts'
import { messageShape } from './message-shape.ts'
import { type StructShape, untracked } from './shape.ts'
import { resourceShape } from './structural-shape.ts'

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
    const plain = plainShape(message)
    const fields = new Map(plain.fields)
    fields.set('apiVersion', { element: fieldElement('apiVersion'), shape: untracked })
    fields.set('kind', { element: fieldElement('kind'), shape: untracked })
    const metadata = fields.get('metadata')
    if (metadata?.shape.kind === 'struct') {
      fields.set('metadata', { element: metadata.element, shape: metadataShape(metadata.shape) })
    }
    shape = { ...plain, atomic: false, fields, selfTracked: false }
    objectShapes.set(message, shape)
  }
  return shape
}

const objectShapes = new WeakMap<MessageType, StructShape>()

function plainShape(message: MessageType): StructShape {
  const { structural } = message
  return structural === undefined ? messageShape(message, false) : resourceShape(structural, message)
}

function metadataShape(plain: StructShape): StructShape {
  const fields = new Map(plain.fields)
  for (const name of untrackedMetadata) fields.set(name, { element: fieldElement(name), shape: untracked })
  return { ...plain, fields, atomic: false, selfTracked: false }
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
