/** Reading configuration files: YAML or JSON, one object of a known kind, strictly. */

import { fail, ok, type Result } from '../../store/contract.ts'
import { parseLenientYaml } from '../codec/yaml.ts'
import { isJsonObject, type JsonObject } from '../json.ts'
import type { Names } from '../names/names.ts'
import { type Shape, shapeProblems } from './strict-shape.ts'

export interface ConfigKind {
  /** As {@link Names.expand} takes it; absent = that of the server's own configuration. */
  readonly group?: string
  readonly kind: string
  readonly versions: readonly string[]
  /** Beside apiVersion and kind. */
  readonly fields: Readonly<Record<string, Shape>>
}

const nestingMax = 50

/** Fails with all problems in one sentence. */
export function parseConfigFile(
  text: string,
  { group = 'apiserver.config.{groups}', kind, versions, fields }: ConfigKind,
  names: Names,
): Result<JsonObject, string> {
  if (text.trim() === '') return fail('is empty')
  const parsed = parseLenientYaml(text, nestingMax)
  if (!parsed.ok) return fail(parsed.failure)
  const { value, duplicateFields } = parsed.value
  if (!isJsonObject(value)) return fail('is not an object')
  const accepted = versions.map((version) => `${names.expand(group)}/${version}`)
  const { apiVersion } = value
  if (typeof apiVersion !== 'string' || !accepted.includes(apiVersion))
    return fail(`apiVersion is ${JSON.stringify(apiVersion ?? '')}, expected ${accepted.join(' or ')}`)
  if (value['kind'] !== kind)
    return fail(`kind is ${JSON.stringify(value['kind'] ?? '')}, expected ${JSON.stringify(kind)}`)
  const problems = [
    ...duplicateFields.map((field) => `duplicate field ${JSON.stringify(field)}`),
    ...shapeProblems(value, { fields: { apiVersion: 'string', kind: 'string', ...fields } }),
  ]
  return problems.length === 0 ? ok(value) : fail(`strict decoding error: ${problems.join(', ')}`)
}

/** What stands in a field whose type `parseConfigFile` has checked; the empty value where it is absent. */
export function textIn(object: JsonObject, field: string): string {
  const value = object[field]
  return typeof value === 'string' ? value : ''
}

export function objectIn(object: JsonObject, field: string): JsonObject {
  const value = object[field]
  return isJsonObject(value) ? value : {}
}

export function objectsIn(object: JsonObject, field: string): readonly JsonObject[] {
  const value = object[field]
  return Array.isArray(value) ? value.map((one) => (isJsonObject(one) ? one : {})) : []
}

export function textsIn(object: JsonObject, field: string): readonly string[] {
  const value = object[field]
  return Array.isArray(value) ? value.map((one) => (typeof one === 'string' ? one : '')) : []
}
