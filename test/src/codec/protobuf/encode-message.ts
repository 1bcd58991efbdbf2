import { objectWriter, writtenBy } from '../../../../src/codec/protobuf/encode.ts'
import type { JsonObject } from '../../../../src/json.ts'
import type { MessageType } from '../../../../src/schema/descriptor.ts'

/** The bytes of a message. The object must have passed the schema's decoder: a value of a wrong type throws. */
export function encodeMessage(message: MessageType, object: JsonObject): Buffer {
  return writtenBy((writer) => objectWriter(message)(writer, object))
}
