/**
 * A shape in an encoding: everything needed to answer reads of one resource in one form. Made once for each form in
 * use, then shared by all requests and watches that ask for it.
 */

import type { Names } from '../names/names.ts'
import type { LentChunk, ResponseStream, SharedChunk } from '../pipeline/exchange.ts'
import { type Status, toStatus } from '../status/status.ts'
import type { EventType, ListPage, Representation } from '../storage/contract.ts'
import { watchApiFailure } from '../storage/failures.ts'
import { payloadOf } from '../storage/shared-chunk.ts'
import type { Encoding } from './accept.ts'
import { largePiece, PieceWriter } from './pieces.ts'
import type { Shape } from './shape.ts'
import { formatYaml } from './yaml.ts'

export interface Rendering {
  readonly contentType: string
  /** Of a watch. */
  readonly watchContentType: string
  /** JSON bytes of the storage version → the whole answer. */
  object(stored: Buffer): Buffer
  /** An answer that is no object of the resource. */
  status(status: Status): Buffer
  /** The whole answer in pieces of some size, to be sent one behind the other. */
  list(page: ListPage): Iterable<Piece>
  readonly watch: Representation
  /** Where the frames of `watch` are written: the stream itself, or one that opens in a way of its own. */
  openStream(stream: ResponseStream): ResponseStream
}

/** A part of an answer. */
type Piece = LentChunk | SharedChunk | Buffer

type TextEncoding = Exclude<Encoding, 'protobuf'>

const contentTypes: Readonly<Record<TextEncoding, string>> = {
  json: 'application/json',
  yaml: 'application/yaml',
}

/** Answers in JSON or YAML. */
export function createTextRendering(
  shape: Shape,
  encoding: TextEncoding,
  pretty: boolean,
  names: Names,
): Rendering {
  const streams = {
    watch: jsonFrames(shape, `${names.groupDomain}/initial-events-end`),
    watchContentType: contentTypes.json,
    openStream: (stream: ResponseStream) => shape.openStream?.(stream) ?? stream,
  }
  const contentType = contentTypes[encoding]
  const statusText = (status: Status) => Buffer.from(JSON.stringify(status))
  if (encoding === 'json' && !pretty) {
    const list = (page: ListPage) => listPieces(shape, page)
    return { contentType, object: shape.document, status: statusText, list, ...streams }
  }
  const rewrite = encoding === 'yaml' ? toYaml : toIndented
  return {
    contentType,
    object: (stored) => rewrite(shape.document(stored)),
    status: (status) => rewrite(statusText(status)),
    list: (page) => [rewrite(Buffer.concat([...listPieces(shape, page)].map(payloadOf)))],
    ...streams,
  }
}

function toYaml(json: Buffer): Buffer {
  return Buffer.from(formatYaml(JSON.parse(json.toString('utf8'))))
}

/** For people: `?pretty=true`. */
export function toIndented(json: Buffer): Buffer {
  return Buffer.from(`${JSON.stringify(JSON.parse(json.toString('utf8')), null, 2)}\n`)
}

const comma = 0x2c

function* listPieces(shape: Shape, page: ListPage): Iterable<SharedChunk> {
  const writer = new PieceWriter()
  const start = shape.listStart({
    resourceVersion: String(page.revision),
    continueToken: page.continueToken,
    remainingItemCount: page.remainingItemCount,
  })
  writer.add(Buffer.from(start))
  let first = true
  for (const item of shape.arrange?.(page.items) ?? page.items) {
    const written = shape.item(item.json)
    if (!writer.fits(written.length + 1) && !writer.isEmpty) yield writer.cut()
    if (!writer.fits(written.length + 1)) {
      yield largePiece(first ? [written] : [Buffer.of(comma), written])
    } else {
      if (!first) writer.addByte(comma)
      writer.add(written)
    }
    first = false
  }
  const end = Buffer.from(shape.listEnd)
  if (!writer.fits(end.length)) yield writer.cut()
  writer.add(end)
  yield writer.cut()
}

/** One JSON document a line. Source: specification, "Watch event". */
export function jsonFrames(shape: Shape, initialEventsEndAnnotation: string): Representation {
  const starts: Readonly<Record<EventType, Buffer>> = {
    ADDED: Buffer.from('{"type":"ADDED","object":'),
    MODIFIED: Buffer.from('{"type":"MODIFIED","object":'),
    DELETED: Buffer.from('{"type":"DELETED","object":'),
  }
  const end = Buffer.from('}\n')
  return {
    id: shape.id,
    event: (type, object) => Buffer.concat([starts[type], shape.eventObject(object.json), end]),
    bookmark(revision, initialEventsEnd) {
      const resourceVersion = String(revision)
      const object = shape.bookmark(
        initialEventsEnd
          ? { resourceVersion, annotations: { [initialEventsEndAnnotation]: 'true' } }
          : { resourceVersion },
      )
      return Buffer.from(`{"type":"BOOKMARK","object":${object}}\n`)
    },
    error: (failure) =>
      Buffer.from(`${JSON.stringify({ type: 'ERROR', object: toStatus(watchApiFailure(failure)) })}\n`),
  }
}
