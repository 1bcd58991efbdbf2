/** Patch documents by their media type. Source: specification, "Patch types". */

import { fail, ok } from '../../store/contract.ts'
import { parseJsonBody } from '../codec/body.ts'
import { duplicateJsonFields } from '../codec/duplicates.ts'
import { isJsonObject, type JsonObject, type JsonValue } from '../json.ts'
import { applyJsonPatch, type JsonPatchFailure, parseJsonPatch } from '../patch/json-patch.ts'
import { applyMergePatch } from '../patch/merge-patch.ts'
import { cloneJson, type MutableJson } from '../patch/mutable-json.ts'
import { applyStrategicMergePatch } from '../patch/strategic.ts'
import { badRequest, tooLarge, unprocessablePatch } from '../status/failures.ts'
import { plainText } from '../status/plain-values.ts'
import type { ApiFailure } from '../status/status.ts'
import type { Facet } from './facet.ts'
import type { Checked } from './machinery.ts'

/** Applies one patch to a document that it may change. Can be applied any number of times. */
type Patch = (document: MutableJson) => Checked<MutableJson>

/** A patch, and the fields that its document names more than once. */
export interface ReadPatch {
  readonly apply: Patch
  duplicateFields(): readonly string[]
  /** What refusals show: the patch, or what it makes of the object. */
  shown(patched: JsonValue): string
}

type PatchReader = (body: Buffer, facet: Facet) => Checked<ReadPatch>

export const strategicType = 'application/strategic-merge-patch+json'

const readers: ReadonlyMap<string, PatchReader> = new Map([
  ['application/json-patch+json', readJsonPatch],
  ['application/merge-patch+json', readMergePatch],
  [strategicType, readStrategicPatch],
])

export const patchTypes: readonly string[] = [...readers.keys()]

/** By the media type of a body; undefined = no kind of patch. */
export function patchReader(mediaType: string): PatchReader | undefined {
  return readers.get(mediaType)
}

function readJsonPatch(body: Buffer): Checked<ReadPatch> {
  const value = parseJsonBody(body)
  if (!value.ok) return value
  const patch = parseJsonPatch(value.value)
  if (!patch.ok) return fail(jsonPatchFailure(patch.failure))
  return ok({
    apply(document) {
      const patched = applyJsonPatch(document, patch.value)
      return patched.ok ? patched : fail(jsonPatchFailure(patched.failure))
    },
    duplicateFields: () => duplicateJsonFields(body, value.value),
    shown: JSON.stringify,
  })
}

function jsonPatchFailure({ code, message }: JsonPatchFailure): ApiFailure {
  switch (code) {
    case 'Malformed':
      return badRequest(`error decoding patch: ${message}`)
    case 'TooMany':
      return tooLarge(`Request entity too large: ${message}`)
    case 'Rejected':
      return unprocessablePatch(message)
  }
}

function readMergePatch(body: Buffer): Checked<ReadPatch> {
  const patch = readPatchObject(body)
  if (!patch.ok) return patch
  return ok({
    apply: (document) => ok(applyMergePatch(document, patch.value)),
    duplicateFields: () => duplicateJsonFields(body, patch.value),
    shown: JSON.stringify,
  })
}

function readStrategicPatch(body: Buffer, { expected: { message } }: Facet): Checked<ReadPatch> {
  const patch = readPatchObject(body)
  if (!patch.ok) return patch
  return ok({
    apply(document) {
      const original = isJsonObject(document) ? document : {}
      const patched = applyStrategicMergePatch({ message, original, patch: patch.value })
      return patched.ok
        ? ok(cloneJson(typedAs(original, patched.value)))
        : fail(badRequest(patched.failure.message))
    },
    duplicateFields: () => duplicateJsonFields(body, patch.value),
    shown: () => plainText(patch.value),
  })
}

/** A strategic merge patch is of the type of its path; another that it names counts for nothing. */
function typedAs({ apiVersion, kind }: JsonObject, patched: JsonObject): JsonObject {
  return {
    ...patched,
    ...(typeof patched['apiVersion'] === 'string' && apiVersion !== undefined ? { apiVersion } : {}),
    ...(typeof patched['kind'] === 'string' && kind !== undefined ? { kind } : {}),
  }
}

function readPatchObject(body: Buffer): Checked<JsonObject> {
  const value = parseJsonBody(body)
  if (!value.ok) return value
  return isJsonObject(value.value)
    ? ok(value.value)
    : fail(badRequest('error decoding patch: a merge patch is an object'))
}
