/**
 * From a parsed body to what is stored, for the verbs:
 *
 *     decode → applyDefaults → (toStorage, admission, prepareFor…) → missingRequired, validate → normalize → JSON
 */

import { decodeCustom } from '../crd/schema/decode.ts'
import { applyDefaults } from '../crd/schema/defaults.ts'
import { normalizeCustom } from '../crd/schema/normalize.ts'
import type { JsonObject, JsonValue } from '../json.ts'
import type { Names } from '../names/names.ts'
import { decodeMessage } from '../schema/decode.ts'
import { createDefaulter } from '../schema/defaults.ts'
import type { MessageType } from '../schema/descriptor.ts'
import { normalizeMessage } from '../schema/normalize.ts'
import { defaultRules } from './defaults.ts'
import { type FeatureGates, isGateOpen } from './feature-gates.ts'
import type { ApiObject } from './object.ts'
import type { DecodeResult } from './resource.ts'

export interface ObjectCodec {
  /**
   * Checks a body against a message and drops what it does not know. Takes ownership of the value. The object keeps
   * the order of the body. `metadata` is there in every object that the message gives one.
   */
  decode(message: MessageType, value: JsonValue): DecodeResult
  /** Fills in defaults of the object's own version. Changes the object. */
  applyDefaults(message: MessageType, object: ApiObject): void
  /** The form that is stored and answered: canonical order, empty members as the API prints them. A new object. */
  normalize(message: MessageType, object: ApiObject): ApiObject
}

export interface ObjectCodecOptions {
  readonly names: Names
  readonly featureGates: FeatureGates
}

export function createObjectCodec({ names, featureGates }: ObjectCodecOptions): ObjectCodec {
  const defaulter = createDefaulter(
    defaultRules({ names, isGateOpen: (gate) => isGateOpen(featureGates, gate) }),
  )
  return {
    decode(message, value) {
      const { structural } = message
      const decoded =
        structural === undefined ? decodeMessage(message, value) : decodeCustom(message, structural, value)
      if (!decoded.ok) return decoded
      const object = decoded.value.value as Record<string, JsonValue>
      if (message.jsonFields.has('metadata')) object['metadata'] ??= {}
      // The schema has been checked: a root message with metadata is an ApiObject.
      return { ok: true, value: { object: object as unknown as ApiObject, report: decoded.value.report } }
    },
    applyDefaults(message, object) {
      const { structural } = message
      if (structural !== undefined) applyDefaults(structural, object as unknown as JsonObject)
      defaulter.apply(message, object as unknown as JsonObject)
    },
    normalize(message, object) {
      const normalize = message.structural === undefined ? normalizeMessage : normalizeCustom
      return normalize(message, object as unknown as JsonObject) as unknown as ApiObject
    },
  }
}
