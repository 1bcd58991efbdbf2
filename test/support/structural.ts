/** Schemas of custom resources as tests write them: JSON, of which only what the tests use is read. */

import type { Structural } from '../../src/crd/schema/structural.ts'
import { isJsonObject, type JsonObject, type JsonValue } from '../../src/json.ts'

export function structural(schema: JsonObject): Structural {
  const properties = schema['properties']
  const more = schema['additionalProperties']
  const items = schema['items']
  return {
    type: schema['type'] as Structural['type'],
    title: '',
    description: '',
    nullable: schema['nullable'] === true,
    default: schema['default'],
    properties: new Map(
      Object.entries(isJsonObject(properties) ? properties : {}).map(([name, of]) => [
        name,
        structural(of as JsonObject),
      ]),
    ),
    additionalProperties: isJsonObject(more) ? structural(more) : more === true ? true : undefined,
    items: isJsonObject(items) ? structural(items) : undefined,
    preserveUnknownFields: schema['x-kubernetes-preserve-unknown-fields'] === true,
    embeddedResource: schema['x-kubernetes-embedded-resource'] === true,
    intOrString: schema['x-kubernetes-int-or-string'] === true,
    listType: schema['x-kubernetes-list-type'] as Structural['listType'],
    listMapKeys: (schema['x-kubernetes-list-map-keys'] ?? []) as readonly string[],
    mapType: schema['x-kubernetes-map-type'] as Structural['mapType'],
    rules: [],
    validation: { ...validation, format: schema['format'] as string | undefined },
  }
}

const validation: Structural['validation'] = {
  format: undefined,
  maximum: undefined,
  exclusiveMaximum: false,
  minimum: undefined,
  exclusiveMinimum: false,
  multipleOf: undefined,
  maxLength: undefined,
  minLength: undefined,
  pattern: undefined,
  maxItems: undefined,
  minItems: undefined,
  uniqueItems: false,
  maxProperties: undefined,
  minProperties: undefined,
  required: [],
  enum: undefined,
  allOf: [],
  anyOf: [],
  oneOf: [],
  not: undefined,
}

export const object = (properties: Record<string, JsonValue>, more: JsonObject = {}): JsonObject => ({
  type: 'object',
  properties,
  ...more,
})
export const text: JsonObject = { type: 'string' }
export const integer: JsonObject = { type: 'integer' }
