/** How lists and objects may be merged: `x-kubernetes-list-type`, `-list-map-keys` and `-map-type`. */

import { forbiddenField, invalidValue, notSupported, required } from '../../status/causes.ts'
import type { Cause } from '../../status/status.ts'
import type { Causes } from '../../types/validation/checks.ts'
import { invalidObject } from '../../types/validation/more-causes.ts'
import { textIn, textsIn } from '../../types/validation/read.ts'
import { propertyOf, type Schema, schemaIn } from './json-schema.ts'
import type { Strictness } from './strictness.ts'

const listTypeName = 'x-kubernetes-list-type'
const mapTypeName = 'x-kubernetes-map-type'
const keysName = 'x-kubernetes-list-map-keys'
const listTypes = ['atomic', 'set', 'map']
const mapTypes = ['atomic', 'granular']

export function checkMergeTypes(
  causes: Causes,
  schema: Schema,
  path: string,
  { atomicSets, mapKeys }: Strictness,
): void {
  checkTypeFor(causes, schema, path, mapTypeName, 'object')
  checkKnown(causes, schema, path, mapTypeName, mapTypes)
  const misplaced = checkTypeFor(causes, schema, path, listTypeName, 'array')
  if (!misplaced && atomicSets) checkSetItems(causes, schema, path)
  checkKnown(causes, schema, path, listTypeName, listTypes)
  checkKeysHaveMap(causes, schema, path)
  if (schema[listTypeName] === 'map') checkMap(causes, schema, path)
  if (mapKeys) causes.push(...mapKeyCauses(schema, path))
}

/** True = the extension stands at the wrong type. */
function checkTypeFor(causes: Causes, schema: Schema, path: string, name: string, wanted: string): boolean {
  const type = textIn(schema, 'type')
  if (schema[name] === undefined || type === wanted) return false
  const detail = `must be ${wanted} if ${name} is specified`
  causes.push(type === '' ? required(`${path}.type`, detail) : invalidValue(`${path}.type`, type, detail))
  return true
}

function checkKnown(
  causes: Causes,
  schema: Schema,
  path: string,
  name: string,
  known: readonly string[],
): void {
  const value = schema[name]
  if (value !== undefined && !known.some((one) => one === value))
    causes.push(notSupported(`${path}.${name}`, value, known))
}

/** Which extension an element of a set lacks to be atomic; undefined = it is, or this is no set. */
export function nonAtomicSetItem(schema: Schema): string | undefined {
  const items = schemaIn(schema, 'items')
  if (schema[listTypeName] !== 'set' || items === undefined) return undefined
  const type = textIn(items, 'type')
  if (type === 'array' && (items[listTypeName] ?? 'atomic') !== 'atomic') return listTypeName
  return type === 'object' && items[mapTypeName] !== 'atomic' ? mapTypeName : undefined
}

function checkSetItems(causes: Causes, schema: Schema, path: string): void {
  const lacking = nonAtomicSetItem(schema)
  if (lacking === undefined) return
  // The list type is shown for either, as clients know it.
  const shown = schemaIn(schema, 'items')?.[listTypeName]
  const detail = `must be atomic as item of a list with ${listTypeName}=set`
  causes.push(invalidValue(`${path}.items.${lacking}`, shown, detail))
}

function checkKeysHaveMap(causes: Causes, schema: Schema, path: string): void {
  const type = schema[listTypeName]
  if (textsIn(schema, keysName).length === 0 || type === 'map') return
  const at = `${path}.${listTypeName}`
  const detail = `must be map if ${keysName} is non-empty`
  causes.push(type === undefined ? required(at, detail) : invalidValue(at, type, detail))
}

/** A list of type map has keys, which are scalar members of its elements. */
function checkMap(causes: Causes, schema: Schema, path: string): void {
  const keys = textsIn(schema, keysName)
  const isMap = `${listTypeName} is map`
  if (keys.length === 0) causes.push(required(`${path}.${keysName}`, `must not be empty if ${isMap}`))
  const at = `${path}.items`
  if (schema['items'] === undefined) causes.push(required(at, `must have a schema if ${isMap}`))
  const items = schemaIn(schema, 'items')
  if (items === undefined) {
    if (schema['items'] !== undefined)
      causes.push(invalidObject(at, `must only have a single schema if ${isMap}`))
    return
  }
  const type = textIn(items, 'type')
  if (type === 'object') checkKeys(causes, keys, items, path)
  else causes.push(invalidValue(`${at}.type`, type, `must be object if parent array's ${isMap}`))
}

function checkKeys(causes: Causes, keys: readonly string[], items: Schema, path: string): void {
  const seen = new Set<string>()
  const wrong = (detail: string): void => void causes.push(invalidValue(`${path}.${keysName}`, keys, detail))
  for (const key of keys) {
    const property = propertyOf(items, key)
    const type = property === undefined ? '' : textIn(property, 'type')
    if (property === undefined) wrong('entries must all be names of item properties')
    else if (type === 'array' || type === 'object')
      causes.push(
        invalidValue(
          `${path}.items.properties[${key}].type`,
          textIn(items, 'type'),
          `must be a scalar type if parent array's ${listTypeName} is map`,
        ),
      )
    if (seen.has(key)) wrong('must not contain duplicate entries')
    seen.add(key)
  }
}

/** Elements of sets and maps are not null, and keys of maps are always there. */
export function mapKeyCauses(schema: Schema, path: string): readonly Cause[] {
  const items = schemaIn(schema, 'items')
  const type = schema[listTypeName]
  if (items === undefined || (type !== 'set' && type !== 'map')) return []
  const causes: Cause[] = []
  if (items['nullable'] === true)
    causes.push(
      forbiddenField(`${path}.items.nullable`, `cannot be nullable when ${listTypeName} is ${type}`),
    )
  if (type === 'set') return causes
  const needed = new Set(textsIn(items, 'required'))
  for (const key of textsIn(schema, keysName)) {
    const property = propertyOf(items, key)
    if (property === undefined) continue
    const at = `${path}.items.properties[${key}]`
    const isKey = `this property is in ${keysName}, so it`
    if (!needed.has(key) && property['default'] === undefined)
      causes.push(required(`${at}.default`, `${isKey} must have a default or be a required property`))
    if (property['nullable'] === true)
      causes.push(forbiddenField(`${at}.nullable`, `${isKey} cannot be nullable`))
  }
  return causes
}
