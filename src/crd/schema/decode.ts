/**
 * Checks the body of a custom resource as far as no schema is asked: what it says of itself and its metadata, and those
 * of the resources embedded in it, are held to meta/v1. What the schema does not name is dropped and reported; a value of
 * a wrong type stays, for validation to tell. Defaults come later.
 */

import type { Result } from '../../../store/contract.ts'
import { isJsonObject, type JsonObject, type JsonValue } from '../../json.ts'
import { setOwn } from '../../own.ts'
import { isDeeperThan, type MutableJson } from '../../patch/mutable-json.ts'
import { decodeMessage, depthMax } from '../../schema/decode.ts'
import type { MessageType } from '../../schema/descriptor.ts'
import { messageOf } from '../../schema/walk.ts'
import type { DecodeFailure, DecodeReport } from '../../types/resource.ts'
import { settleEmbedded } from './embedded-metadata.ts'
import { dropNulls } from './nulls.ts'
import { prune } from './prune.ts'
import type { Structural } from './structural.ts'

type Decoded = Result<{ readonly value: JsonObject; readonly report: DecodeReport }, DecodeFailure>

/** Takes ownership of the value. `message`: of a custom resource, whose `structural` is the one given. */
export function decodeCustom(message: MessageType, structural: Structural, value: JsonValue): Decoded {
  if (!isJsonObject(value)) return decodeMessage(message, value)
  // Parsed just now, so it holds nothing but JSON of its own.
  if (isDeeperThan(value as MutableJson, depthMax)) return refuse(`nested deeper than ${depthMax} levels`)
  const envelope = decodeMessage(message, envelopeOf(value))
  if (!envelope.ok) return envelope
  const object = { ...value, ...envelope.value.value }
  const pruned = prune(structural, object)
  dropNulls(structural, object)
  const embedded = settleEmbedded(structural, object, metadataOf(message))
  if (!embedded.ok) return embedded
  // A schema may name the metadata, but what becomes of it is said above.
  Object.assign(object, envelope.value.value)
  const unknownFields = [...envelope.value.report.unknownFields, ...pruned, ...embedded.value]
  return { ok: true, value: { value: object, report: { unknownFields } } }
}

function refuse(message: string): Decoded {
  return { ok: false, failure: { message } }
}

/** What every object says of itself. */
function envelopeOf(value: JsonObject): JsonObject {
  const envelope: Record<string, JsonValue> = {}
  for (const name of ['apiVersion', 'kind', 'metadata']) {
    const given = Object.hasOwn(value, name) ? value[name] : undefined
    if (given !== undefined) setOwn<JsonValue>(envelope, name, given)
  }
  return envelope
}

function metadataOf(message: MessageType): MessageType {
  const field = message.jsonFields.get('metadata')
  const metadata = field === undefined ? undefined : messageOf(field.type)
  if (metadata === undefined) throw new TypeError(`${message.id} has no metadata`)
  return metadata
}
