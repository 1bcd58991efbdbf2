/** Defaults of a schema: each must be a value that its own place accepts, and have nothing that is dropped there. */

import { isJsonObject, type JsonObject, type JsonValue } from '../../json.ts'
import { sameJson } from '../../same-json.ts'
import type { Cause } from '../../status/status.ts'
import { createRules } from '../rules/rules.ts'
import { readStructural } from '../schema/read.ts'
import { renderValue } from '../schema/render.ts'
import type { Structural } from '../schema/structural.ts'
import { validatePart } from '../schema/validate.ts'
import { metadataCausesOf } from './embedded-default.ts'
import { propertyOf, type Schema, schemaIn, someSchema } from './json-schema.ts'

const embedded = 'x-kubernetes-embedded-resource'

/** What is wrong with the defaults of a structural schema; `path` leads to it. */
export function defaultCauses(schema: Schema, path: string, prunedNeeded: boolean): readonly Cause[] {
  if (!someSchema(schema, hasDefault)) return []
  const causes: Cause[] = []
  const resource = { ...schema, [embedded]: true }
  const root = readStructural(resource)
  visit({ schema: resource, node: root, path, resource: root, around: alone, inMetadata: false }, (place) => {
    causes.push(...(place.inMetadata ? insideMetadata(place) : outsideOfMetadata(place, prunedNeeded)))
  })
  return causes
}

/** Has any default members that its schema does not name? */
export function hasUnprunedDefaults(schema: Schema): boolean {
  let found = false
  const node = readStructural(schema)
  visit({ schema, node, path: '', resource: node, around: alone, inMetadata: false }, (place) => {
    found ||= isUnpruned(place)
  })
  return found
}

/** A place of a schema. */
interface Place {
  readonly schema: Schema
  readonly node: Structural
  readonly path: string
  /** The object of the API that the value is part of, and the value within it. */
  readonly resource: Structural
  readonly around: (value: JsonValue) => JsonValue
  /** Below apiVersion, kind or metadata of that object. */
  readonly inMetadata: boolean
}

const alone = (value: JsonValue): JsonValue => value
const metadataNames: ReadonlySet<string> = new Set(['metadata', 'apiVersion', 'kind'])

function hasDefault(schema: Schema): boolean {
  return schema['default'] !== undefined && schema['default'] !== null
}

/** Every place with a default. Members of maps have none. */
function visit(given: Place, visitor: (place: Place) => void): void {
  const { schema, node } = given
  const place = node.embeddedResource ? { ...given, resource: node, around: alone, inMetadata: false } : given
  if (hasDefault(schema)) visitor(place)
  const { around, inMetadata, path } = place
  const items = schemaIn(schema, 'items')
  if (items !== undefined && node.items !== undefined)
    visit(
      {
        ...place,
        schema: items,
        node: node.items,
        path: `${path}.items`,
        around: (value) => around([value]),
      },
      visitor,
    )
  for (const [name, property] of node.properties)
    visit(
      {
        ...place,
        schema: propertyOf(schema, name) ?? {},
        node: property,
        path: `${path}.properties[${name}]`,
        around: (value) => around({ [name]: value }),
        inMetadata: inMetadata || (node.embeddedResource && metadataNames.has(name)),
      },
      visitor,
    )
}

/** The default as it was given. */
function valueAt({ schema }: Place): JsonValue {
  return schema['default'] ?? null
}

function isUnpruned(place: Place): boolean {
  return !sameJson(place.node.default, valueAt(place))
}

function outsideOfMetadata(place: Place, prunedNeeded: boolean): readonly Cause[] {
  const { path } = place
  const unknown =
    prunedNeeded && isUnpruned(place) ? [invalidDefault(place, 'must not have unknown fields')] : []
  const metadata = metadataCausesOf(objectWith(place.node), { default: valueAt(place) })
  const own = metadata.length > 0 ? metadata.map((cause) => below(path, cause)) : valueCauses(place)
  return [...unknown, ...own]
}

function insideMetadata(place: Place): readonly Cause[] {
  const object = place.around(valueAt(place))
  if (!isJsonObject(object)) return []
  const named: JsonObject = { apiVersion: 'validation/v1', kind: 'Validation', ...object }
  const said = metadataCausesOf(place.resource, named).map(({ field, message }) => `${field}: ${message}`)
  if (said.length === 0) return valueCauses(place)
  const all = said.length === 1 ? said.join('') : `[${said.join(', ')}]`
  return [invalidDefault(place, `must result in valid metadata: ${all}`)]
}

/** Does the default keep to its own schema, and to the rules in it, as a new value and as one that does not change? */
function valueCauses(place: Place): readonly Cause[] {
  const { node, path } = place
  const value = valueAt(place)
  const causes = validatePart(node, value).map((cause) =>
    below(path, { ...cause, field: `default.${cause.field}` }),
  )
  if (causes.length > 0) return causes
  const rules = createRules(objectWith(node))
  const object = { default: value }
  const broken = rules.validate(object, object)
  return (broken.length > 0 ? broken : rules.validate(object, undefined)).map((cause) => below(path, cause))
}

/** Of an object whose member `default` is such a value. */
function objectWith(node: Structural): Structural {
  return { ...bare, properties: new Map([['default', node]]) }
}

const bare = readStructural({ type: 'object' })

function below(path: string, cause: Cause): Cause {
  return { ...cause, field: `${path}.${(cause.field ?? '').replace('.<nil>', '')}` }
}

function invalidDefault(place: Place, detail: string): Cause {
  const message = `Invalid value: ${renderValue(valueAt(place))}: ${detail}`
  return { reason: 'FieldValueInvalid', message, field: `${place.path}.default` }
}
