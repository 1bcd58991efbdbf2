/**
 * Answers in protobuf: what is stored as JSON is parsed and encoded when somebody asks. Objects whole, or their
 * metadata alone; there are no tables in protobuf.
 *
 * Source: specification, "Protobuf envelope", "Table and protobuf content".
 */

import type { JsonObject } from '../../json.ts'
import type { MessageType } from '../../schema/descriptor.ts'
import { toStatus } from '../../status/status.ts'
import type { ListPage, Representation } from '../../storage/contract.ts'
import { watchApiFailure } from '../../storage/failures.ts'
import type { ApiObject } from '../../types/object.ts'
import type { Rendering } from '../rendering.ts'
import {
  type BookmarkMeta,
  bookmarkObject,
  metaApiVersion,
  parseStored,
  partialObject,
  type ShapeOptions,
} from '../shape.ts'
import { encodeDocument, encodeErrorFrame, encodeFrame, encodeStatus } from './documents.ts'
import { type ObjectWriter, objectWriter } from './encode.ts'
import type { TypeMeta } from './envelope.ts'
import { type ListForm, listPieces } from './list.ts'

/** Message by id. */
export type MessageOf = (id: string) => MessageType

/** What is sent of an object. */
interface Form {
  readonly id: string
  readonly typeMeta: TypeMeta
  readonly list: ListForm
  readonly write: ObjectWriter
  /** From the storage version. */
  readonly objectOf: (stored: ApiObject) => ApiObject
  readonly bookmark: (metadata: BookmarkMeta) => ApiObject
}

export function createProtobufRendering(options: ShapeOptions, messageOf: MessageOf): Rendering {
  const { names } = options
  const form = formOf(options, messageOf)
  const { protobufMediaType } = names
  const objectOf = (stored: Buffer) => jsonOf(form.objectOf(parseStored(stored)))
  const status = messageOf('meta/v1.Status')
  return {
    contentType: protobufMediaType,
    watchContentType: `${protobufMediaType};stream=watch`,
    object: (stored) => encodeDocument(form.typeMeta, form.write, objectOf(stored)),
    status: (value) => encodeStatus(status, value),
    list: (page) => listPieces(form.list, listMeta(page), page.items, ({ json }) => objectOf(json)),
    watch: framesOf(form, objectOf, status, `${names.groupDomain}/initial-events-end`),
    openStream: (stream) => stream,
  }
}

/** An ApiObject is JSON: it only names what the decoder has checked. */
function jsonOf(object: ApiObject): JsonObject {
  return object as JsonObject
}

function formOf(options: ShapeOptions, messageOf: MessageOf): Form {
  switch (options.transform) {
    case 'none':
      return wholeForm(options, messageOf)
    case 'partial':
      return partialForm(options, messageOf)
    case 'table':
      throw new TypeError('a table has no protobuf form')
  }
}

function wholeForm({ type }: ShapeOptions, messageOf: MessageOf): Form {
  const { apiVersion, kind, listKind, isStorageVersion } = type
  const write = objectWriter(type.message)
  return {
    id: `protobuf ${apiVersion} ${kind}`,
    typeMeta: { apiVersion, kind },
    write,
    list: {
      typeMeta: { apiVersion, kind: listKind },
      metadata: { number: 1, write: objectWriter(messageOf('meta/v1.ListMeta')) },
      items: { number: 2, write },
    },
    objectOf: isStorageVersion ? (stored) => stored : type.fromStorage,
    bookmark: (metadata) => bookmarkObject(type, metadata),
  }
}

function partialForm(options: ShapeOptions, messageOf: MessageOf): Form {
  const { type, source, metaVersion } = options
  const apiVersion = metaApiVersion(options)
  const write = objectWriter(messageOf('meta/v1.PartialObjectMetadata'))
  const listMessage = messageOf(`meta/${metaVersion}.PartialObjectMetadataList`)
  return {
    id: `protobuf ${type.apiVersion};partial;${metaVersion}`,
    typeMeta: { apiVersion, kind: 'PartialObjectMetadata' },
    write,
    list: {
      typeMeta: { apiVersion, kind: 'PartialObjectMetadataList' },
      metadata: {
        number: numberOf(listMessage, 'metadata'),
        write: objectWriter(messageOf('meta/v1.ListMeta')),
      },
      items: { number: numberOf(listMessage, 'items'), write },
    },
    objectOf: (stored) => partialObject(apiVersion, source(stored)),
    bookmark: (metadata) => partialObject(apiVersion, bookmarkObject(type, metadata)),
  }
}

function numberOf(message: MessageType, name: string): number {
  const field = message.jsonFields.get(name)
  if (field === undefined) throw new TypeError(`${message.id} has no field ${name}`)
  return field.number
}

function listMeta({ revision, continueToken, remainingItemCount }: ListPage): JsonObject {
  return { resourceVersion: String(revision), continue: continueToken, remainingItemCount }
}

function framesOf(
  { id, typeMeta, write, bookmark }: Form,
  objectOf: (stored: Buffer) => JsonObject,
  status: MessageType,
  initialEventsEndAnnotation: string,
): Representation {
  return {
    id,
    event: (type, { json }) => encodeFrame(type, typeMeta, write, objectOf(json)),
    bookmark(revision, initialEventsEnd) {
      const resourceVersion = String(revision)
      const metadata = initialEventsEnd
        ? { resourceVersion, annotations: { [initialEventsEndAnnotation]: 'true' } }
        : { resourceVersion }
      return encodeFrame('BOOKMARK', typeMeta, write, jsonOf(bookmark(metadata)))
    },
    error: (failure) => encodeErrorFrame(status, toStatus(watchApiFailure(failure))),
  }
}
