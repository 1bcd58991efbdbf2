/** Shared by the tests of rules: schemas as definitions write them. */

import type { Structural } from '../../../../src/crd/schema/structural.ts'
import { isJsonObject, type JsonObject, type JsonValue } from '../../../../src/json.ts'

function list(value: JsonValue | undefined): readonly JsonObject[] {
  return Array.isArray(value) ? value.filter(isJsonObject) : []
}

export function structuralOf(schema: JsonObject): Structural {
  const get = <T>(name: string): T | undefined => schema[name] as T | undefined
  const child = (name: string): Structural | undefined => {
    const value = schema[name]
    return isJsonObject(value) ? structuralOf(value) : undefined
  }
  return {
    type: get('type'),
    title: '',
    description: '',
    nullable: get('nullable') ?? false,
    default: schema['default'],
    properties: new Map(
      Object.entries(get<JsonObject>('properties') ?? {}).map(([name, value]) => [
        name,
        structuralOf(value as JsonObject),
      ]),
    ),
    additionalProperties: schema['additionalProperties'] === true ? true : child('additionalProperties'),
    items: child('items'),
    preserveUnknownFields: get('x-kubernetes-preserve-unknown-fields') ?? false,
    embeddedResource: get('x-kubernetes-embedded-resource') ?? false,
    intOrString: get('x-kubernetes-int-or-string') ?? false,
    listType: get('x-kubernetes-list-type'),
    listMapKeys: get('x-kubernetes-list-map-keys') ?? [],
    mapType: get('x-kubernetes-map-type'),
    rules: list(schema['x-kubernetes-validations']).map((rule) => ({
      rule: '',
      message: '',
      messageExpression: '',
      reason: '',
      fieldPath: '',
      optionalOldSelf: undefined,
      ...rule,
    })),
    validation: {
      format: get('format'),
      maximum: get('maximum'),
      exclusiveMaximum: false,
      minimum: get('minimum'),
      exclusiveMinimum: false,
      multipleOf: undefined,
      maxLength: get('maxLength'),
      minLength: undefined,
      pattern: undefined,
      maxItems: get('maxItems'),
      minItems: undefined,
      uniqueItems: false,
      maxProperties: get('maxProperties'),
      minProperties: undefined,
      required: get('required') ?? [],
      enum: get('enum'),
      allOf: [],
      anyOf: [],
      oneOf: [],
      not: undefined,
    },
  }
}
