/**
 * The object in a request's body: of the kind that the path takes, checked against its schema, unknown fields dropped
 * and reported.
 *
 * Source: specification, "Object rules", "Update rules" 3.
 */

import { fail, ok } from '../../store/contract.ts'
import { readObjectBody } from '../codec/body.ts'
import { isJsonObject, type JsonValue } from '../json.ts'
import { badRequest } from '../status/failures.ts'
import type { ApiFailure } from '../status/status.ts'
import type { ApiObject } from '../types/object.ts'
import { apiVersionOf } from '../types/resource.ts'
import type { ApiRequest, Checked, ObjectSchema } from './machinery.ts'
import { type BodySource, type Expected, kindProblem, unreadableKind, unrecognized } from './stated-kind.ts'
import type { FieldValidation } from './write-options.ts'

/** A body that can be had again: a write that has to start over needs it as it came. */
export interface BodyObject {
  readonly object: ApiObject
  again(): ApiObject
}

/** Decodes the body and fills in defaults; the failure is 400, 413 or 415, and warnings go to the request. */
export async function readBodyObject(
  request: ApiRequest,
  schema: ObjectSchema,
  expected: Expected,
  fieldValidation: FieldValidation,
): Promise<Checked<BodyObject>> {
  const { kind, message } = expected
  const protobuf = schema.protobufBody({ apiVersion: apiVersionOf(kind), kind: kind.kind, message })
  const body = await readObjectBody(request.exchange, protobuf)
  if (!body.ok) return body
  const value = body.value.parse()
  if (!value.ok) return value
  const { bytes } = body.value
  const source: BodySource = { text: () => bytes.toString('utf8') }
  const duplicates = fieldValidation === 'Ignore' ? [] : body.value.duplicateFields(value.value)
  const decoded = decodeObject(
    value.value,
    schema,
    expected,
    fieldValidation,
    request.warnings,
    source,
    duplicates,
  )
  if (!decoded.ok) return decoded
  request.audit?.requestObject(decoded.value)
  return ok({
    object: decoded.value,
    again() {
      const once = body.value.parse()
      const more = once.ok ? decodeObject(once.value, schema, expected, 'Ignore', [], source) : once
      if (!more.ok) throw new Error(`a body decoded once, then not again: ${more.failure.message}`)
      return more.value
    },
  })
}

/**
 * Defaults are set too: the result is a complete object of the expected kind. `duplicateFields` are judged with the
 * unknown ones. A value of no `source` is one of the server's own making.
 */
export function decodeObject(
  value: JsonValue,
  schema: ObjectSchema,
  expected: Expected,
  fieldValidation: FieldValidation,
  warnings: string[],
  source: BodySource = { text: () => JSON.stringify(value) },
  duplicateFields: readonly string[] = [],
): Checked<ApiObject> {
  const { kind, message } = expected
  if (!isJsonObject(value)) {
    const why = `${unreadableKind} expected an object, found ${describe(value)}`
    return fail(unrecognized(kind, why, source))
  }
  const mismatch = kindProblem(value, expected, source)
  if (mismatch !== undefined) return fail(mismatch)
  const unfit = (why: string): ApiFailure =>
    source.refuse?.(why) ??
    badRequest(`${kind.kind} in version "${kind.version}" cannot be handled as a ${kind.kind}: ${why}`)
  const named = {
    ...value,
    apiVersion: apiVersionOf(kind),
    kind: kind.kind,
    metadata: value['metadata'] ?? {},
  }
  const decoded = schema.decode(message, named)
  if (!decoded.ok) return fail(unfit(decoded.failure.message))
  const { object, report } = decoded.value
  const refusal = judgeFields(duplicateFields, report.unknownFields, fieldValidation, warnings, unfit)
  if (refusal !== undefined) return fail(refusal)
  schema.applyDefaults(message, object)
  return ok(object)
}

function describe(value: JsonValue): string {
  return value === null ? 'null' : Array.isArray(value) ? 'an array' : `a ${typeof value}`
}

/** What duplicate and unknown fields come to: nothing, warnings (added), or a refusal. */
export function judgeFields(
  duplicateFields: readonly string[],
  unknownFields: readonly string[],
  validation: FieldValidation,
  warnings: string[],
  refuse: (message: string) => ApiFailure = badRequest,
): ApiFailure | undefined {
  if (duplicateFields.length + unknownFields.length === 0 || validation === 'Ignore') return undefined
  const texts = [
    ...duplicateFields.map((path) => `duplicate field ${JSON.stringify(path)}`),
    ...unknownFields.map((path) => `unknown field ${JSON.stringify(path)}`),
  ]
  if (validation === 'Strict') return refuse(`strict decoding error: ${texts.join(', ')}`)
  warnings.push(...texts)
  return undefined
}
