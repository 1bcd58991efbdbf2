/**
 * What the API sends of an object: the object itself, its metadata alone, or a table row. A shape turns stored bytes
 * into JSON bytes; where a client wants what is stored, they are the same bytes.
 *
 * Source: specification, "Collections", "Table representation"; design, "Bytes, not objects".
 */

import type { Clock } from '../../store/contract.ts'
import type { Names } from '../names/names.ts'
import type { ResponseStream } from '../pipeline/exchange.ts'
import type { TableColumns } from '../types/columns/table.ts'
import type { ApiObject } from '../types/object.ts'
import type { ResourceType } from '../types/resource.ts'
import type { MetaVersion, Transform } from './accept.ts'

interface ListMeta {
  readonly resourceVersion: string
  readonly continueToken?: string | undefined
  readonly remainingItemCount?: number | undefined
}

/** Bytes in, bytes out: JSON of the storage version in, JSON of the served version out. */
export interface Shape {
  /** Distinguishes the bytes of this shape from those of any other of the same resource. */
  readonly id: string
  /** One object on its own: the answer to a get. */
  document(stored: Buffer): Buffer
  /** The object of a watch event. */
  eventObject(stored: Buffer): Buffer
  /** One object as a member of a list. */
  item(stored: Buffer): Buffer
  /** The items of a list in the order in which they are shown. Absent: as they come. */
  arrange?<T extends { readonly json: Buffer }>(items: readonly T[]): readonly T[]
  /** Everything of a list before its first item. */
  listStart(meta: ListMeta): string
  /** Everything behind its last. */
  readonly listEnd: string
  /** An object with nothing but its resourceVersion (and, in a bookmark, annotations). */
  bookmark(metadata: BookmarkMeta): string
  /** The stream to which frames of a watch are written, where its opening differs from what is shared. */
  openStream?(stream: ResponseStream): ResponseStream
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
  /** Time for the ages in tables. */
  readonly clock: Pick<Clock, 'wallMs'>
  readonly transform: Transform
  /** Of the table or the metadata. */
  readonly metaVersion: MetaVersion
  readonly includeObject: IncludeObject
  readonly columns: TableColumns
  /** What tables and metadata are made from: the stored object, or what a subresource of another kind shows of it. */
  readonly source: (stored: ApiObject) => ApiObject
}

/** Stored objects are JSON objects by construction: only `encodeRecord` writes them. */
export function parseStored(stored: Buffer): ApiObject {
  return JSON.parse(stored.toString('utf8'))
}

type ServedVersion = Pick<ResourceType, 'isStorageVersion' | 'fromStorage'>

function inServedVersion(type: ServedVersion): (stored: Buffer) => Buffer {
  return type.isStorageVersion
    ? (stored) => stored
    : (stored) => Buffer.from(JSON.stringify(type.fromStorage(parseStored(stored))))
}

/** Objects as they are stored, or in another version where that was asked for. */
export function wholeObjects(
  type: ServedVersion & Pick<ResourceType, 'apiVersion' | 'kind' | 'listKind'>,
): Shape {
  const convert = inServedVersion(type)
  return {
    id: type.apiVersion,
    document: convert,
    eventObject: convert,
    item: convert,
    listStart: (meta) => listStart(type.listKind, type.apiVersion, meta),
    listEnd: ']}',
    bookmark: (metadata) => JSON.stringify({ kind: type.kind, apiVersion: type.apiVersion, metadata }),
  }
}

/** PartialObjectMetadata: a fraction of the bytes for those who only count and collect. */
export function metadataAlone(options: ShapeOptions): Shape {
  const { type, source, metaVersion } = options
  const apiVersion = metaApiVersion(options)
  const convert = (stored: Buffer) =>
    Buffer.from(JSON.stringify(partialObject(apiVersion, source(parseStored(stored)))))
  return {
    id: `${type.apiVersion};partial;${metaVersion}`,
    document: convert,
    eventObject: convert,
    item: convert,
    listStart: (meta) => listStart('PartialObjectMetadataList', apiVersion, meta),
    listEnd: ']}',
    bookmark: (metadata) => JSON.stringify({ kind: 'PartialObjectMetadata', apiVersion, metadata }),
  }
}

/** apiVersion of tables and partial objects: `meta.k8s.io/v1`, in the words of the dialect. */
export function metaApiVersion({ names, metaVersion }: ShapeOptions): string {
  return `${names.metaGroup}/${metaVersion}`
}

export function partialObject(apiVersion: string, { metadata }: ApiObject): ApiObject {
  return { kind: 'PartialObjectMetadata', apiVersion, metadata }
}

/** An object of the type with nothing but what a bookmark says. */
export function bookmarkObject(
  { kind, apiVersion }: ResourceType,
  { resourceVersion, annotations }: BookmarkMeta,
): ApiObject {
  const said =
    annotations === undefined ? { resourceVersion } : { resourceVersion, annotations: { ...annotations } }
  return { kind, apiVersion, metadata: { ...said, creationTimestamp: null } }
}

function listStart(kind: string, apiVersion: string, meta: ListMeta): string {
  return `{"kind":"${kind}","apiVersion":"${apiVersion}","metadata":${listMetaText(meta)},"items":[`
}

/** `metadata` of a list as JSON text; empty members are left out. */
export function listMetaText({ resourceVersion, continueToken, remainingItemCount }: ListMeta): string {
  return JSON.stringify({ resourceVersion, continue: continueToken, remainingItemCount })
}
