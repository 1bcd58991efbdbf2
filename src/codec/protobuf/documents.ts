/** Whole documents in protobuf: one object, one Status, one frame of a watch. */

import type { JsonObject } from '../../json.ts'
import type { MessageType } from '../../schema/descriptor.ts'
import type { Status } from '../../status/status.ts'
import type { EventType } from '../../storage/contract.ts'
import { type ObjectWriter, objectWriter, writtenBy } from './encode.ts'
import { type TypeMeta, writeEnvelope } from './envelope.ts'
import { wire } from './reader.ts'
import type { ReverseWriter } from './writer.ts'

/** An object in its envelope: magic, apiVersion, kind, bytes. */
export function encodeDocument(typeMeta: TypeMeta, write: ObjectWriter, object: JsonObject): Buffer {
  return writtenBy((writer) => writeEnvelope(writer, typeMeta, () => write(writer, object)))
}

const statusKind: TypeMeta = { apiVersion: 'v1', kind: 'Status' }

/** `message`: `meta/v1.Status`. */
export function encodeStatus(message: MessageType, status: Status): Buffer {
  return encodeDocument(statusKind, objectWriter(message), jsonOf(status))
}

/** Members that are undefined are none. */
function jsonOf(status: Status): JsonObject {
  const json: JsonObject = JSON.parse(JSON.stringify(status))
  return json
}

const first = (1 << 3) | wire.bytes
const second = (2 << 3) | wire.bytes

/**
 * A frame: four bytes of length, then the message `WatchEvent` with the type of the event and, in a raw extension,
 * the document of its object.
 */
export function encodeFrame(
  type: EventType | 'BOOKMARK' | 'ERROR',
  typeMeta: TypeMeta,
  write: ObjectWriter,
  object: JsonObject,
): Buffer {
  return writtenBy((writer) => {
    writeEnvelope(writer, typeMeta, () => write(writer, object))
    closeField(writer, first)
    closeField(writer, second)
    writer.string(type)
    writer.byte(first)
    writer.uint32BigEndian(writer.length)
  })
}

/** Everything written so far becomes the value of a field. */
function closeField(writer: ReverseWriter, tag: number): void {
  writer.varint(writer.length)
  writer.byte(tag)
}

/** An ERROR frame. `message`: `meta/v1.Status`. */
export function encodeErrorFrame(message: MessageType, status: Status): Buffer {
  return encodeFrame('ERROR', statusKind, objectWriter(message), jsonOf(status))
}
