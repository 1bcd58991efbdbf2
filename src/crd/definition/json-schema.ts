/**
 * Reading an `openAPIV3Schema` as it stands in a definition: decoded, not yet known to be structural. What is absent, empty
 * or false reads the same.
 */

import { isJsonObject, type JsonObject, type JsonValue } from '../../json.ts'
import { setOwn } from '../../own.ts'
import { itemsIn } from '../../types/validation/read.ts'

export type Schema = JsonObject

/** The schema that a member holds: `not`, `items` of one schema, `additionalProperties` that is no boolean. */
export function schemaIn(schema: Schema, name: string): Schema | undefined {
  const value = schema[name]
  return isJsonObject(value) ? value : undefined
}

/** The members of a map of schemas: `properties`, `definitions`. */
export function namedIn(schema: Schema, name: string): readonly (readonly [string, Schema])[] {
  const map = schemaIn(schema, name)
  return map === undefined ? [] : Object.keys(map).map((key) => [key, schemaIn(map, key) ?? {}] as const)
}

export function propertyOf(schema: Schema, name: string): Schema | undefined {
  const properties = schemaIn(schema, 'properties')
  return properties !== undefined && Object.hasOwn(properties, name) ? schemaIn(properties, name) : undefined
}

/** `items` as a list of schemas, which no structural schema has. */
export function tupleIn(schema: Schema): readonly Schema[] {
  return Array.isArray(schema['items']) ? itemsIn(schema, 'items') : []
}

export const junctors = ['allOf', 'anyOf', 'oneOf'] as const

/** Does it hold of the schema or of any below it? */
export function someSchema(schema: Schema | undefined, holds: (schema: Schema) => boolean): boolean {
  if (schema === undefined) return false
  return holds(schema) || below(schema).some((one) => someSchema(one, holds))
}

/** Every schema right below. */
function below(schema: Schema): readonly Schema[] {
  const found: Schema[] = [...tupleIn(schema)]
  for (const name of ['items', 'not', 'additionalProperties', 'additionalItems']) {
    const one = schemaIn(schema, name)
    if (one !== undefined) found.push(one)
  }
  for (const name of junctors) found.push(...itemsIn(schema, name))
  for (const name of ['properties', 'patternProperties', 'definitions', 'dependencies'])
    for (const [, one] of namedIn(schema, name)) found.push(one)
  return found
}

/** Members whose zero is said, and is not the same as their absence. */
const saidZeros: ReadonlySet<string> = new Set([
  'x-kubernetes-preserve-unknown-fields',
  'optionalOldSelf',
  'x-kubernetes-list-type',
  'x-kubernetes-map-type',
  'additionalProperties',
  'additionalItems',
  '$ref',
])

/** Values, in which a zero is a value. */
const values: ReadonlySet<string> = new Set(['default', 'enum', 'example'])

/** Maps, of which none and an empty one mean the same. */
const maps: ReadonlySet<string> = new Set(['properties', 'patternProperties', 'dependencies', 'definitions'])

/** Without the members that mean what their absence means. */
export function withoutZeros(schema: Schema): Schema {
  const kept: Record<string, JsonValue> = {}
  for (const [name, value] of Object.entries(schema)) {
    if (value !== undefined && !isZero(name, value)) setOwn<JsonValue>(kept, name, meaningOf(name, value))
  }
  return kept
}

function meaningOf(name: string, value: JsonValue): JsonValue {
  if (values.has(name)) return value
  if (Array.isArray(value))
    return value.map((one: JsonValue) => (isJsonObject(one) ? withoutZeros(one) : one))
  return isJsonObject(value) ? withoutZeros(value) : value
}

function isZero(name: string, value: JsonValue): boolean {
  if (name === 'default' || name === 'example') return false
  if (Array.isArray(value)) return value.length === 0
  if (isJsonObject(value)) return maps.has(name) && Object.keys(value).length === 0
  return !isSaid(name, value)
}

/** Is the member there, and no scalar that means what its absence means? */
export function isSaid(name: string, value: JsonValue | undefined): boolean {
  return value !== undefined && (saidZeros.has(name) || (value !== '' && value !== false))
}
