/**
 * The schema of a custom resource as OpenAPI documents show it. Version 3 shows all of it; version 2 leaves out what
 * that version cannot say and what its readers stumble over: junctions, null, and the parts of whatever keeps members
 * that it does not name.
 *
 * Source: apiextensions.k8s.io/v1, JSONSchemaProps; OpenAPI Specification 2.0 and 3.0.
 */

import type { JsonObject, JsonValue } from '../../json.ts'
import { setOwn } from '../../own.ts'
import { sameJson } from '../../same-json.ts'
import type { NestedValidation, Structural, ValueValidation } from '../schema/structural.ts'

interface Publishing {
  /** Version 2 of the format, with what it cannot say left out. */
  readonly isReduced: boolean
  /** The schema of `metadata`, of the object and of those within it. */
  readonly metadata: JsonObject
}

/** Of every object of the API. */
export const identityProperties: JsonObject = {
  apiVersion: { type: 'string', description: 'Version of the schema of this object, with its group.' },
  kind: { type: 'string', description: 'The kind of this object.' },
}

/** A whole resource: the schema that its definition says, and what all objects have. */
export function publishedResource(structural: Structural, publishing: Publishing): JsonObject {
  // Readers of version 2 would refuse every field that is not named.
  if (publishing.isReduced && structural.preserveUnknownFields) return { type: 'object' }
  return withIdentity(published(structural, publishing), publishing)
}

function withIdentity(schema: JsonObject, { metadata }: Publishing): JsonObject {
  const { properties } = schema
  const all = { ...(properties as JsonObject | undefined), ...identityProperties, metadata }
  return { ...schema, properties: inKeyOrder(Object.entries(all)) }
}

function published(structural: Structural, publishing: Publishing): JsonObject {
  const schema = publishing.isReduced
    ? publishedReduced(structural, publishing)
    : publishedWhole(structural, publishing)
  if (!structural.embeddedResource || (publishing.isReduced && structural.preserveUnknownFields))
    return schema
  const said = structural.validation.required
  const required = [...said, ...['kind', 'apiVersion'].filter((name) => !said.includes(name))]
  return { ...withIdentity(schema, publishing), required }
}

function publishedWhole(structural: Structural, publishing: Publishing): JsonObject {
  const said = validationOf(structural.validation)
  return {
    ...texts(structural),
    ...(structural.type === undefined ? {} : { type: structural.type }),
    ...(structural.nullable ? { nullable: true } : {}),
    ...partsOf(structural, publishing),
    ...(structural.intOrString ? withAlternatives(said) : said),
    ...markersOf(structural),
  }
}

function publishedReduced(structural: Structural, publishing: Publishing): JsonObject {
  const { type, nullable, preserveUnknownFields, validation } = structural
  const isBare = nullable || preserveUnknownFields
  const shown: Structural = isBare ? { ...structural, items: undefined, properties: new Map() } : structural
  const isTyped =
    !nullable &&
    !(type === 'array' && shown.items === undefined) &&
    !(type === 'object' && preserveUnknownFields)
  return {
    ...texts(shown),
    ...(isTyped && type !== undefined ? { type } : {}),
    ...partsOf(shown, publishing),
    ...validationOf({
      ...validation,
      required: requiredOf(shown),
      allOf: [],
      anyOf: [],
      oneOf: [],
      not: undefined,
    }),
    ...markersOf(shown),
  }
}

/** Null is no value in version 2: what may be null may be absent there. */
function requiredOf({ properties, additionalProperties, validation }: Structural): readonly string[] {
  if (typeof additionalProperties === 'object' && additionalProperties.nullable) return []
  return validation.required.filter((name) => properties.get(name)?.nullable !== true)
}

function texts({ title, description }: Structural): JsonObject {
  return { ...(title === '' ? {} : { title }), ...(description === '' ? {} : { description }) }
}

function partsOf(structural: Structural, publishing: Publishing): JsonObject {
  const { properties, additionalProperties, items } = structural
  return {
    ...(structural.default === undefined ? {} : { default: structural.default }),
    ...(properties.size === 0
      ? {}
      : { properties: inKeyOrder([...properties].map(([name, of]) => [name, published(of, publishing)])) }),
    ...(additionalProperties === undefined
      ? {}
      : {
          additionalProperties:
            additionalProperties === true ? true : published(additionalProperties, publishing),
        }),
    ...(items === undefined ? {} : { items: published(items, publishing) }),
  }
}

function markersOf(structural: Structural): JsonObject {
  const { embeddedResource, intOrString, listMapKeys, listType, mapType, preserveUnknownFields } = structural
  return {
    ...(embeddedResource ? { 'x-kubernetes-embedded-resource': true } : {}),
    ...(intOrString ? { 'x-kubernetes-int-or-string': true } : {}),
    ...(listMapKeys.length === 0 ? {} : { 'x-kubernetes-list-map-keys': listMapKeys }),
    ...(listType === undefined ? {} : { 'x-kubernetes-list-type': listType }),
    ...(mapType === undefined ? {} : { 'x-kubernetes-map-type': mapType }),
    ...(preserveUnknownFields ? { 'x-kubernetes-preserve-unknown-fields': true } : {}),
    ...(structural.rules.length === 0 ? {} : { 'x-kubernetes-validations': structural.rules.map(ruleOf) }),
  }
}

function ruleOf(rule: Structural['rules'][number]): JsonObject {
  const said = Object.entries(rule).filter(
    ([name, value]) => name === 'rule' || (value !== '' && value !== undefined),
  )
  return Object.fromEntries(said)
}

const alternatives: readonly JsonObject[] = [{ type: 'integer' }, { type: 'string' }]

/** A number or a text, said in the words of the format too, where the schema does not say so already. */
function withAlternatives(said: JsonObject): JsonObject {
  const { anyOf } = said
  const allOf = Array.isArray(said['allOf']) ? (said['allOf'] as readonly JsonObject[]) : []
  if (isAlternatives(anyOf) || isAlternatives(allOf[0]?.['anyOf'])) return said
  return anyOf === undefined
    ? { ...said, anyOf: alternatives }
    : { ...said, allOf: [{ anyOf: alternatives }, ...allOf] }
}

function isAlternatives(anyOf: JsonValue | undefined): boolean {
  return anyOf !== undefined && sameJson(anyOf, alternatives)
}

/** Members that say nothing are left out. */
function validationOf(validation: ValueValidation): JsonObject {
  const said: Record<string, JsonValue> = {}
  for (const [name, value] of Object.entries(validation)) {
    if (value === undefined || value === false || (Array.isArray(value) && value.length === 0)) continue
    switch (name) {
      case 'allOf':
      case 'anyOf':
      case 'oneOf':
        said[name] = (value as readonly NestedValidation[]).map(nestedOf)
        continue
      case 'not':
        said[name] = nestedOf(value as NestedValidation)
        continue
      default:
        said[name] = value as JsonValue
    }
  }
  return said
}

function nestedOf(nested: NestedValidation): JsonObject {
  const { items, properties, additionalProperties, type, ...validation } = nested
  return {
    ...(type === undefined ? {} : { type }),
    ...(properties === undefined || properties.size === 0
      ? {}
      : { properties: inKeyOrder([...properties].map(([name, of]) => [name, nestedOf(of)])) }),
    ...(additionalProperties === undefined ? {} : { additionalProperties: nestedOf(additionalProperties) }),
    ...(items === undefined ? {} : { items: nestedOf(items) }),
    ...validationOf(validation),
  }
}

function inKeyOrder(entries: readonly (readonly [string, JsonValue | undefined])[]): JsonObject {
  const sorted: Record<string, JsonValue> = {}
  for (const [name, value] of entries.toSorted(([a], [b]) => (a < b ? -1 : 1)))
    setOwn(sorted, name, value ?? null)
  return sorted
}
