/**
 * What a conversion may make of an object: anything but another object. Its metadata stays as it is, labels and
 * annotations aside.
 *
 * Source: apiextensions/v1 ConversionResponse, `convertedObjects`.
 */

import { fail, ok, type Result } from '../../../store/contract.ts'
import { isJsonObject, type JsonValue } from '../../json.ts'
import { annotationCauses, labelCauses } from '../../registry/metadata-validation.ts'
import { sameJson } from '../../same-json.ts'
import type { Cause } from '../../status/status.ts'
import type { ApiObject, ObjectMeta } from '../../types/object.ts'

/** `object`: it is not what was asked for; `metadata`: it says what no metadata may say. */
interface CheckFailure {
  readonly of: 'object' | 'metadata'
  readonly message: string
}

/** The converted object with the metadata of the original, but for labels and annotations. A new object. */
export function checkedConversion(
  original: ApiObject,
  converted: JsonValue | undefined,
  apiVersion: string,
): Result<ApiObject, CheckFailure> {
  const problem = identityProblem(original, converted, apiVersion)
  if (problem !== undefined || !isJsonObject(converted))
    return fail({ of: 'object', message: problem ?? notAnObject })
  const metadata = restoredMetadata(original.metadata, converted['metadata'])
  if (!metadata.ok) return fail({ of: 'metadata', message: metadata.failure })
  return ok({ ...converted, apiVersion, kind: original.kind, metadata: metadata.value })
}

const notAnObject = "Object 'Kind' is missing"

function identityProblem(
  original: ApiObject,
  converted: JsonValue | undefined,
  apiVersion: string,
): string | undefined {
  if (!isJsonObject(converted)) return notAnObject
  const kind = textOf(converted['kind'])
  if (kind === '') return `${notAnObject} in '${JSON.stringify(converted)}'`
  if (converted['apiVersion'] !== apiVersion)
    return `invalid groupVersion (expected ${apiVersion}, received ${textOf(converted['apiVersion'])})`
  if (kind !== original.kind) return `invalid kind (expected ${original.kind}, received ${kind})`
  const metadata = isJsonObject(converted['metadata']) ? converted['metadata'] : {}
  for (const [field, word] of [
    ['name', 'name'],
    ['namespace', 'namespace'],
    ['uid', 'UID'],
  ] as const) {
    const [before, after] = [original.metadata[field] ?? '', textOf(metadata[field])]
    if (before !== after) return `must have the same ${word}: ${before} != ${after}`
  }
  return undefined
}

function textOf(value: JsonValue | undefined): string {
  return typeof value === 'string' ? value : ''
}

const changeable = ['labels', 'annotations'] as const

/** The failure is a sentence. */
function restoredMetadata(
  original: ObjectMeta,
  converted: JsonValue | undefined,
): Result<ObjectMeta, string> {
  if (converted === undefined) return fail('missing metadata in converted object')
  if (!isJsonObject(converted))
    return fail(`invalid metadata of type ${typeText(converted)} in converted object`)
  const metadata: ObjectMeta = { ...original }
  for (const field of changeable) {
    const given = converted[field]
    if (given === undefined || given === null) {
      delete metadata[field]
      continue
    }
    const texts = textsOf(field, given)
    if (!texts.ok) return texts
    if (sameJson(texts.value, original[field])) continue
    const problem = problemOf(field, texts.value)
    if (problem !== undefined) return fail(problem)
    metadata[field] = texts.value
  }
  return ok(metadata)
}

function textsOf(field: string, given: JsonValue): Result<Record<string, string>, string> {
  if (!isJsonObject(given))
    return fail(`invalid metadata.${field} of type ${typeText(given)} in converted object`)
  const texts: [string, string][] = []
  for (const [key, value] of Object.entries(given)) {
    if (typeof value !== 'string')
      return fail(
        `metadata.${field}[${key}] must be a string, but is ${typeText(value ?? null)} in converted object`,
      )
    texts.push([key, value])
  }
  // Own members, whatever they are called.
  return ok(Object.fromEntries(texts))
}

function problemOf(field: (typeof changeable)[number], texts: Record<string, string>): string | undefined {
  const causes =
    field === 'labels' ? labelCauses({ labels: texts }) : annotationCauses({ annotations: texts })
  const [first, ...more] = causes.map(causeText)
  if (first === undefined) return undefined
  return more.length === 0 ? first : `[${[first, ...more].join(', ')}]`
}

function causeText({ field = '', message }: Cause): string {
  // Annotations are spoken of in the singular here.
  return `${field.replace('annotations', 'annotation')}: ${message}`
}

/** As servers of this API call the types of JSON. */
function typeText(value: JsonValue): string {
  if (value === null) return '<nil>'
  if (Array.isArray(value)) return '[]interface {}'
  switch (typeof value) {
    case 'string':
      return 'string'
    case 'boolean':
      return 'bool'
    case 'number':
      return Number.isInteger(value) ? 'int64' : 'float64'
    default:
      return 'map[string]interface {}'
  }
}
