/**
 * Objects as tables: one row each, for people at a terminal.
 *
 * Cells, and what a row carries of its object's metadata, come from the stored object, so that all versions of a
 * resource read the same; a row that carries the whole object has it in the version that was asked for. Columns are
 * told once: at the head of a list, and in the first event of a watch. Frames of a watch are shared by its watchers,
 * so they leave a hole there, which the opening of each stream fills.
 *
 * Source: specification, "Table representation", "Table and protobuf content".
 */

import type { JsonValue } from '../json.ts'
import type { ResponseStream } from '../pipeline/exchange.ts'
import type { ApiObject } from '../types/object.ts'
import {
  bookmarkObject,
  listMetaText,
  metaApiVersion,
  parseStored,
  partialObject,
  type Shape,
  type ShapeOptions,
} from './shape.ts'

const definitionsMember = '"columnDefinitions":'
const noDefinitions = Buffer.from(`${definitionsMember}null`)

export function createTableShape(options: ShapeOptions): Shape {
  const { type, source, columns, includeObject, clock, metaVersion } = options
  const apiVersion = metaApiVersion(options)
  const head = `{"kind":"Table","apiVersion":"${apiVersion}","metadata":`
  const definitions = `${definitionsMember}${JSON.stringify(columns.definitions)}`

  function included(shown: ApiObject, whole: () => ApiObject): JsonValue | ApiObject {
    switch (includeObject) {
      case 'None':
        return null
      case 'Metadata':
        return partialObject(apiVersion, shown)
      case 'Object':
        return whole()
    }
  }

  /** `shown` is what cells are made from. */
  function row(shown: ApiObject, whole: () => ApiObject): string {
    const cells = columns.cells(shown, clock.wallMs())
    const conditions = columns.conditions?.(shown) ?? []
    const object = included(shown, whole)
    return JSON.stringify(conditions.length === 0 ? { cells, object } : { cells, conditions, object })
  }

  function storedRow(stored: ApiObject): string {
    return row(source(stored), () => type.fromStorage(stored))
  }

  function tableOfOne(columnsText: string, resourceVersion: string | undefined, rowText: string): string {
    return `${head}${JSON.stringify({ resourceVersion })},${columnsText},"rows":[${rowText}]}`
  }

  function document(columnsText: string, json: Buffer): Buffer {
    const stored = parseStored(json)
    const { resourceVersion } = stored.metadata
    return Buffer.from(tableOfOne(columnsText, resourceVersion, storedRow(stored)))
  }

  const hole = noDefinitions.toString()
  return {
    id: `${type.apiVersion};table;${metaVersion};${includeObject}`,
    document: (json) => document(definitions, json),
    eventObject: (json) => document(hole, json),
    item: (json) => Buffer.from(storedRow(parseStored(json))),
    ...(columns.compare === undefined ? {} : { arrange: arrangeBy(columns.compare) }),
    listStart: (meta) => `${head}${listMetaText(meta)},${definitions},"rows":[`,
    listEnd: ']}',
    bookmark(meta) {
      const object = bookmarkObject(type, meta)
      return tableOfOne(
        hole,
        meta.resourceVersion,
        row(object, () => object),
      )
    },
    openStream: (stream) => openedWith(stream, (first) => fillHole(first, Buffer.from(definitions))),
  }
}

/** For types whose rows have an order of their own. Holds the objects of the page, so it is for types with few. */
function arrangeBy(compare: (a: ApiObject, b: ApiObject) => number): NonNullable<Shape['arrange']> {
  return (items) =>
    items
      .map((item) => ({ item, object: parseStored(item.json) }))
      .sort((a, b) => compare(a.object, b.object))
      .map(({ item }) => item)
}

/** The same stream, but for its first chunk. */
function openedWith(stream: ResponseStream, rewrite: (first: Buffer) => Buffer): ResponseStream {
  let opened = false
  return {
    write(chunk, alone) {
      if (opened) return stream.write(chunk, alone)
      opened = true
      return stream.write(rewrite(Buffer.isBuffer(chunk) ? chunk : chunk.payload))
    },
    onDrain: (action) => stream.onDrain(action),
    end: () => stream.end(),
    abort: () => stream.abort(),
    get bufferedBytes() {
      return stream.bufferedBytes
    },
  }
}

/** Nothing that users write stands before the hole of a frame; an error has none. */
function fillHole(chunk: Buffer, definitions: Buffer): Buffer {
  const at = chunk.indexOf(noDefinitions)
  if (at < 0) return chunk
  return Buffer.concat([chunk.subarray(0, at), definitions, chunk.subarray(at + noDefinitions.length)])
}
