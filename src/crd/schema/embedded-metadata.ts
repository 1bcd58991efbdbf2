/** Embedded resources as they are kept: their metadata is that of every object, without what meta/v1 does not know. */

import type { Result } from '../../../store/contract.ts'
import { isJsonObject, type JsonObject, type JsonValue } from '../../json.ts'
import { decodeMessage } from '../../schema/decode.ts'
import type { MessageType } from '../../schema/descriptor.ts'
import { normalizeMessage } from '../../schema/normalize.ts'
import { formatPath, type PathSegment } from '../../schema/path.ts'
import type { DecodeFailure } from '../../types/resource.ts'
import { renderValue } from './render.ts'
import type { Structural } from './structural.ts'
import { visitEmbedded } from './visit-embedded.ts'

/**
 * In place. Gives the paths of what was dropped, sorted; fails for the first apiVersion or kind that is no text, and for
 * metadata of a wrong type. `objectMeta`: `meta/v1.ObjectMeta`.
 */
export function settleEmbedded(
  structural: Structural,
  value: JsonObject,
  objectMeta: MessageType,
): Result<readonly string[], DecodeFailure> {
  const dropped: string[] = []
  let failure: DecodeFailure | undefined
  visitEmbedded(structural, value, (resource, path) => {
    failure ??= typeFailure(resource, path) ?? settleMetadata(resource, path, objectMeta, dropped)
  })
  return failure === undefined ? { ok: true, value: dropped.sort() } : { ok: false, failure }
}

function typeFailure(resource: JsonObject, path: readonly PathSegment[]): DecodeFailure | undefined {
  for (const name of ['apiVersion', 'kind']) {
    const given = resource[name]
    if (given !== undefined && typeof given !== 'string')
      return wrong([...path, name], given, 'must be a string')
  }
  return undefined
}

function settleMetadata(
  resource: JsonObject,
  path: readonly PathSegment[],
  objectMeta: MessageType,
  dropped: string[],
): DecodeFailure | undefined {
  const given = resource['metadata']
  if (given === undefined) return undefined
  const place = [...path, 'metadata']
  if (given !== null && !isJsonObject(given)) return wrong(place, given, 'expected an object')
  const shown = renderValue(given)
  const decoded = decodeMessage(objectMeta, given ?? {})
  if (!decoded.ok)
    return { message: `${formatPath(place)}: Invalid value: ${shown}: ${decoded.failure.message}` }
  const prefix = formatPath(place)
  dropped.push(...decoded.value.report.unknownFields.map((field) => `${prefix}.${field}`))
  const { creationTimestamp, ...metadata } = normalizeMessage(objectMeta, decoded.value.value)
  const kept = creationTimestamp === null ? metadata : { ...metadata, creationTimestamp }
  // The caller owns the object.
  Object.assign(resource, { metadata: kept })
  return undefined
}

function wrong(path: readonly PathSegment[], value: JsonValue, why: string): DecodeFailure {
  return { message: `${formatPath(path)}: Invalid value: ${renderValue(value)}: ${why}` }
}
