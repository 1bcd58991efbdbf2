/**
 * What the API sends of an object: the object itself, its metadata alone, or a table row. A shape turns stored bytes
 * into JSON bytes; where a client wants what is stored, they are the same bytes.
 *
 * Source: specification, "Collections", "Table representation"; design, "Bytes, not objects".
 */

import type { Names } from '../names/names.ts'
import type { ApiObject } from '../types/object.ts'
import type { ResourceType } from '../types/resource.ts'
import type { Transform } from './accept.ts'
import type { TableColumns } from './table.ts'

export interface ListMeta {
  readonly resourceVersion: string
  readonly continueToken?: string | undefined
  readonly remainingItemCount?: number | undefined
}

/** Bytes in, bytes out: JSON of the storage version in, JSON of the served version out. */
export interface Shape {
  /** Distinguishes the bytes of this shape from those of any other of the same resource. */
  readonly id: string
  /** One object on its own: the answer to a get, the object of a watch event. */
  document(stored: Buffer): Buffer
  /** One object as a member of a list. */
  item(stored: Buffer): Buffer
  /** Everything of a list before its first item. */
  listStart(meta: ListMeta): string
  /** Everything behind its last. */
  readonly listEnd: string
  /** An object with nothing but its resourceVersion (and, in a bookmark, annotations). */
  bookmark(metadata: BookmarkMeta): string
}

export interface BookmarkMeta {
  readonly resourceVersion: string
  readonly annotations?: Readonly<Record<string, string>>
}

/** What a table row carries of its object. Source: `includeObject` of table requests. */
export type IncludeObject = 'None' | 'Metadata' | 'Object'

export interface ShapeOptions {
  readonly type: ResourceType
  readonly names: Names
  readonly transform: Transform
  readonly includeObject: IncludeObject
  readonly columns: TableColumns
}

export function createShape(options: ShapeOptions): Shape {
  switch (options.transform) {
    case 'none':
      return wholeObjects(options.type)
    case 'partial':
      return metadataAlone(options)
    case 'table':
      return tables(options)
  }
}

/** Stored objects are JSON objects by construction: only `encodeDraft` writes them. */
export function parseStored(stored: Buffer): ApiObject {
  return JSON.parse(stored.toString('utf8'))
}

function inServedVersion(type: ResourceType): (stored: Buffer) => Buffer {
  return type.isStorageVersion
    ? (stored) => stored
    : (stored) => Buffer.from(JSON.stringify(type.fromStorage(parseStored(stored))))
}

function wholeObjects(type: ResourceType): Shape {
  const convert = inServedVersion(type)
  return {
    id: type.apiVersion,
    document: convert,
    item: convert,
    listStart: (meta) => listStart(type.listKind, type.apiVersion, meta),
    listEnd: ']}',
    bookmark: (metadata) => JSON.stringify({ kind: type.kind, apiVersion: type.apiVersion, metadata }),
  }
}

function metadataAlone({ type, names }: ShapeOptions): Shape {
  const apiVersion = `${names.metaGroup}/v1`
  const convert = (stored: Buffer) => Buffer.from(JSON.stringify(partialObject(names, parseStored(stored))))
  return {
    id: `${type.apiVersion};partial`,
    document: convert,
    item: convert,
    listStart: (meta) => listStart('PartialObjectMetadataList', apiVersion, meta),
    listEnd: ']}',
    bookmark: (metadata) => JSON.stringify({ kind: 'PartialObjectMetadata', apiVersion, metadata }),
  }
}

function partialObject(names: Names, object: ApiObject) {
  return { kind: 'PartialObjectMetadata', apiVersion: `${names.metaGroup}/v1`, metadata: object.metadata }
}

function listStart(kind: string, apiVersion: string, meta: ListMeta): string {
  return `{"kind":"${kind}","apiVersion":"${apiVersion}","metadata":${listMetaText(meta)},"items":[`
}

function listMetaText({ resourceVersion, continueToken, remainingItemCount }: ListMeta): string {
  return JSON.stringify({ resourceVersion, continue: continueToken, remainingItemCount })
}

function tables({ type, names, includeObject, columns }: ShapeOptions): Shape {
  const head = `{"kind":"Table","apiVersion":"${names.metaGroup}/v1","metadata":`
  const definitions = `,"columnDefinitions":${JSON.stringify(columns.definitions)},"rows":[`

  function row(stored: Buffer): string {
    const object = type.fromStorage(parseStored(stored))
    const cells = columns.cells(object)
    switch (includeObject) {
      case 'None':
        return JSON.stringify({ cells })
      case 'Metadata':
        return JSON.stringify({ cells, object: partialObject(names, object) })
      case 'Object':
        return JSON.stringify({ cells, object })
    }
  }

  return {
    id: `${type.apiVersion};table;${includeObject}`,
    document(stored) {
      const { resourceVersion } = parseStored(stored).metadata
      return Buffer.from(`${head}${JSON.stringify({ resourceVersion })}${definitions}${row(stored)}]}`)
    },
    item: (stored) => Buffer.from(row(stored)),
    listStart: (meta) => `${head}${listMetaText(meta)}${definitions}`,
    listEnd: ']}',
    bookmark: (metadata) => `${head}${JSON.stringify(metadata)},"columnDefinitions":[],"rows":[]}`,
  }
}
