/** The schemas as the verbs use them. */

import { protobufBody } from '../codec/protobuf/body.ts'
import type { JsonObject } from '../json.ts'
import { missingRequired } from '../schema/required.ts'
import { createObjectCodec, type ObjectCodecOptions } from '../types/codec.ts'
import type { ApiObject } from '../types/object.ts'
import type { ObjectSchema } from './machinery.ts'

export function createObjectSchema(options: ObjectCodecOptions): ObjectSchema {
  return {
    ...createObjectCodec(options),
    protobufBody: (expected) =>
      expected.message.structural === undefined
        ? protobufBody(options.names.protobufMediaType, expected)
        : undefined,
    // What a custom resource must have its validation asks for.
    missing: (message, object) =>
      message.structural === undefined ? missingRequired(message, asJson(object)) : [],
  }
}

/** An ApiObject is plain JSON: it only names what the decoder has checked. */
function asJson(object: ApiObject): JsonObject {
  return object as JsonObject
}
