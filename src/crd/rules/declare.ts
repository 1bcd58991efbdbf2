/**
 * The types that expressions see of values of a schema, with the sizes that the schema allows. Where it sets no bound, it
 * is what fits into the largest request.
 *
 * Specification: "Expression language", type mapping. Sizes as Kubernetes 1.30 estimates them.
 */

import { type CelType, cel } from '../../cel/expression.ts'
import type { ListIdentity, ObjectField } from '../../cel/types.ts'
import type { JsonValue } from '../../json.ts'
import type { Structural } from '../schema/structural.ts'
import { escapeName } from './escape.ts'

/** What expressions see of the values at one place of a schema. */
export interface Declared {
  readonly type: CelType
  /** Fewest bytes that such a value takes as JSON. */
  readonly bytesMin: number
  /** Of objects, by the names that expressions use. */
  readonly fields?: ReadonlyMap<string, Declared>
  /** Of the elements of lists and of the values of maps. */
  readonly element?: Declared
}

/** Most bytes of a request, as estimates take it whatever the server's own limit is. */
export const requestBytesMax = 3 * 1024 * 1024

/**
 * Undefined = expressions cannot see such values: nothing says their type, or that of what is in them.
 * @param isRoot apiVersion, kind, metadata.name and metadata.generateName are there, whatever the schema says
 * @param name of the type in messages
 */
export function declare(structural: Structural, isRoot: boolean, name: string): Declared | undefined {
  if (structural.intOrString) return intOrString
  switch (structural.type) {
    case 'array':
      return declareList(structural, name)
    case 'object':
      return typeof structural.additionalProperties === 'object'
        ? declareMap(structural, structural.additionalProperties, name)
        : declareObject(structural, isRoot, name)
    case 'string':
      return declareText(structural)
    case 'boolean':
      return { type: cel.bool, bytesMin: 4 }
    case 'number':
      return { type: cel.double, bytesMin: 1 }
    case 'integer':
      return { type: cel.int, bytesMin: 1 }
    case undefined:
      return undefined
  }
}

/** Any type: expressions ask which it is. */
const intOrString: Declared = { type: { ...cel.dyn, sizeMax: requestBytesMax - 2 }, bytesMin: 1 }

function declareList(structural: Structural, name: string): Declared | undefined {
  const { items } = structural
  const element = items && declare(items, items.embeddedResource, `${name}.@idx`)
  if (element === undefined) return undefined
  const sizeMax = structural.validation.maxItems ?? (requestBytesMax - 2) / (element.bytesMin + 1)
  const type = cel.atMost(cel.list(element.type, identityOf(structural)), Math.floor(sizeMax))
  return { type, bytesMin: 2, element }
}

/** Undefined = elements are told apart by their places. */
function identityOf({ listType, listMapKeys }: Structural): ListIdentity | undefined {
  if (listType === 'set') return { by: 'element' }
  if (listType !== 'map') return undefined
  return { by: 'keys', keys: listMapKeys.map((key) => escapeName(key) ?? key) }
}

function declareMap(structural: Structural, values: Structural, name: string): Declared | undefined {
  const element = declare(values, values.embeddedResource, `${name}.@elem`)
  if (element === undefined) return undefined
  // two quotes, a colon, a comma, and two more bytes for a key
  const sizeMax = structural.validation.maxProperties ?? (requestBytesMax - 2) / (element.bytesMin + 6)
  return { type: cel.atMost(cel.map(cel.string, element.type), Math.floor(sizeMax)), bytesMin: 2, element }
}

function declareObject(structural: Structural, isRoot: boolean, name: string): Declared {
  const required = new Set(structural.validation.required)
  const properties = new Map<string, Declared>()
  for (const [property, schema] of structural.properties) {
    const place = `${name}.${escapeName(property) ?? property}`
    const declared = declare(schema, schema.embeddedResource, place)
    if (declared !== undefined) properties.set(property, declared)
  }
  if (isRoot && !declaresMetadata(structural)) {
    for (const [property, declared] of everyResource(name)) properties.set(property, declared)
  }
  const bytesMin = [...properties].reduce((bytes, [property, declared]) => {
    const isSent = required.has(property) && structural.properties.get(property)?.default === undefined
    return bytes + (isSent ? Buffer.byteLength(property) + declared.bytesMin + 4 : 0)
  }, 2)
  return objectOf(name, properties, required, bytesMin)
}

function objectOf(
  name: string,
  properties: ReadonlyMap<string, Declared>,
  required: ReadonlySet<string>,
  bytesMin: number,
): Declared {
  const fields = new Map<string, Declared>()
  const types = new Map<string, ObjectField>()
  for (const [property, declared] of properties) {
    const field = escapeName(property)
    if (field === undefined) continue
    fields.set(field, declared)
    types.set(field, {
      type: declared.type,
      optional: !required.has(property),
      ...(field === property ? {} : { jsonName: property }),
    })
  }
  return { type: { kind: 'object', name, fields: types, ofSchema: true }, bytesMin, fields }
}

/** What stands in place of the schema's own, unless that names all of it. */
function everyResource(name: string): ReadonlyMap<string, Declared> {
  const names = new Map([
    ['name', text],
    ['generateName', text],
  ])
  return new Map([
    ['kind', text],
    ['apiVersion', text],
    ['metadata', objectOf(`${name}.metadata`, names, new Set(), 2)],
  ])
}

function declaresMetadata({ properties }: Structural): boolean {
  const metadata = properties.get('metadata')
  const texts = [
    properties.get('kind'),
    properties.get('apiVersion'),
    metadata?.properties.get('name'),
    metadata?.properties.get('generateName'),
  ]
  return metadata?.type === 'object' && texts.every((schema) => schema?.type === 'string')
}

const text: Declared = { type: cel.atMost(cel.string, requestBytesMax - 2), bytesMin: 2 }

const longestTexts: ReadonlyMap<string, Declared> = new Map([
  ['duration', { type: { ...cel.duration, sizeMax: 32 }, bytesMin: 3 }],
  ['date', { type: { ...cel.timestamp, sizeMax: 12 }, bytesMin: 12 }],
  ['date-time', { type: { ...cel.timestamp, sizeMax: 32 }, bytesMin: 21 }],
])

function declareText({ validation }: Structural): Declared {
  const { format, maxLength } = validation
  const known = longestTexts.get(format ?? '')
  if (known !== undefined) return known
  if (format === 'byte') return { type: cel.atMost(cel.bytes, maxLength ?? requestBytesMax - 2), bytesMin: 2 }
  // a character is up to four bytes
  if (maxLength !== undefined) return { type: cel.atMost(cel.string, maxLength * 4), bytesMin: 2 }
  const longest = longestOf(validation.enum ?? [])
  return longest === undefined ? text : { type: cel.atMost(cel.string, longest), bytesMin: 2 }
}

/** Bytes; undefined = there is nothing to choose from. */
function longestOf(values: readonly JsonValue[]): number | undefined {
  if (values.length === 0) return undefined
  return Math.max(...values.map((value) => (typeof value === 'string' ? Buffer.byteLength(value) : 0)))
}
