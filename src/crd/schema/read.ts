/**
 * A schema as a definition states it → what everything at run time reads. Linear in the schema; nothing is compiled here.
 *
 * The schema has been validated with its definition: what does not belong where it stands is passed over.
 */

import { isJsonObject, type JsonObject, type JsonValue } from '../../json.ts'
import { own } from '../../own.ts'
import { cloneJson } from '../../patch/mutable-json.ts'
import { prune } from './prune.ts'
import type {
  NestedValidation,
  Structural,
  StructuralType,
  ValidationRule,
  ValueValidation,
} from './structural.ts'

/** `schema`: `openAPIV3Schema`. The result is immutable and may be shared; it keeps parts of the schema. */
export function readStructural(schema: JsonObject): Structural {
  const node: Structural = {
    type: typeOf(schema),
    title: text(schema, 'title') ?? '',
    description: text(schema, 'description') ?? '',
    nullable: flag(schema, 'nullable'),
    default: undefined,
    properties: propertiesOf(schema, readStructural),
    additionalProperties: additionalPropertiesOf(schema),
    items: schemaAt(schema, 'items', readStructural),
    preserveUnknownFields: flag(schema, 'x-kubernetes-preserve-unknown-fields'),
    embeddedResource: flag(schema, 'x-kubernetes-embedded-resource'),
    intOrString: flag(schema, 'x-kubernetes-int-or-string'),
    listType: oneOf(schema, 'x-kubernetes-list-type', listTypes),
    listMapKeys: texts(schema, 'x-kubernetes-list-map-keys'),
    mapType: oneOf(schema, 'x-kubernetes-map-type', mapTypes),
    rules: rulesOf(schema),
    validation: validationOf(schema),
  }
  return withDefault(node, schema['default'])
}

/** A default is what pruning leaves of it; null is none. */
function withDefault(node: Structural, given: JsonValue | undefined): Structural {
  if (given === undefined || given === null) return node
  if (typeof given !== 'object') return { ...node, default: given }
  const value = cloneJson(given)
  // The place itself is what counts: a list is pruned by what its elements are.
  prune({ ...emptyStructural, properties: new Map([['default', node]]) }, { default: value })
  return { ...node, default: value }
}

function validationOf(schema: JsonObject): ValueValidation {
  if (!asksOfValues(schema)) return noValidation
  return {
    format: text(schema, 'format'),
    maximum: number(schema, 'maximum'),
    exclusiveMaximum: flag(schema, 'exclusiveMaximum'),
    minimum: number(schema, 'minimum'),
    exclusiveMinimum: flag(schema, 'exclusiveMinimum'),
    multipleOf: number(schema, 'multipleOf'),
    maxLength: number(schema, 'maxLength'),
    minLength: number(schema, 'minLength'),
    pattern: text(schema, 'pattern'),
    maxItems: number(schema, 'maxItems'),
    minItems: number(schema, 'minItems'),
    uniqueItems: flag(schema, 'uniqueItems'),
    maxProperties: number(schema, 'maxProperties'),
    minProperties: number(schema, 'minProperties'),
    required: texts(schema, 'required'),
    enum: enumOf(schema),
    allOf: schemasAt(schema, 'allOf'),
    anyOf: schemasAt(schema, 'anyOf'),
    oneOf: schemasAt(schema, 'oneOf'),
    not: schemaAt(schema, 'not', nestedOf),
  }
}

/** What stands inside of `allOf`, `anyOf`, `oneOf` and `not`. */
function nestedOf(schema: JsonObject): NestedValidation {
  return {
    ...validationOf(schema),
    items: schemaAt(schema, 'items', nestedOf),
    properties: propertiesOf(schema, nestedOf),
    additionalProperties: schemaAt(schema, 'additionalProperties', nestedOf),
    type: typeOf(schema),
  }
}

const noValidation: ValueValidation = {
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

/** Nothing is known of the place, so nothing may stand in it. */
const emptyStructural: Structural = {
  type: undefined,
  title: '',
  description: '',
  nullable: false,
  default: undefined,
  properties: new Map(),
  additionalProperties: undefined,
  items: undefined,
  preserveUnknownFields: false,
  embeddedResource: false,
  intOrString: false,
  listType: undefined,
  listMapKeys: [],
  mapType: undefined,
  rules: [],
  validation: noValidation,
}

const validationNames = new Set(Object.keys(noValidation))

function asksOfValues(schema: JsonObject): boolean {
  for (const name in schema) if (validationNames.has(name)) return true
  return false
}

const types: readonly StructuralType[] = ['object', 'array', 'string', 'integer', 'number', 'boolean']
const listTypes = ['atomic', 'set', 'map'] as const
const mapTypes = ['atomic', 'granular'] as const

function typeOf(schema: JsonObject): StructuralType | undefined {
  return oneOf(schema, 'type', types)
}

function oneOf<T extends string>(schema: JsonObject, name: string, known: readonly T[]): T | undefined {
  const given = schema[name]
  return known.find((one) => one === given)
}

function text(schema: JsonObject, name: string): string | undefined {
  const given = schema[name]
  return typeof given === 'string' && given !== '' ? given : undefined
}

function number(schema: JsonObject, name: string): number | undefined {
  const given = schema[name]
  return typeof given === 'number' ? given : undefined
}

function flag(schema: JsonObject, name: string): boolean {
  return schema[name] === true
}

const noTexts: readonly string[] = []

function texts(schema: JsonObject, name: string): readonly string[] {
  const given = schema[name]
  return Array.isArray(given) ? given.filter((one) => typeof one === 'string') : noTexts
}

function enumOf(schema: JsonObject): readonly JsonValue[] | undefined {
  const given = schema['enum']
  return Array.isArray(given) && given.length > 0 ? given : undefined
}

const noProperties: ReadonlyMap<string, never> = new Map<string, never>()

function propertiesOf<T>(schema: JsonObject, read: (schema: JsonObject) => T): ReadonlyMap<string, T> {
  const given = schema['properties']
  if (!isJsonObject(given)) return noProperties
  const properties = new Map<string, T>()
  for (const name of Object.keys(given)) {
    const property = own(given, name)
    if (isJsonObject(property)) properties.set(name, read(property))
  }
  return properties
}

function additionalPropertiesOf(schema: JsonObject): Structural | true | undefined {
  return schema['additionalProperties'] === true
    ? true
    : schemaAt(schema, 'additionalProperties', readStructural)
}

function schemaAt<T>(schema: JsonObject, name: string, read: (schema: JsonObject) => T): T | undefined {
  const given = schema[name]
  return isJsonObject(given) ? read(given) : undefined
}

const noSchemas: readonly NestedValidation[] = []

function schemasAt(schema: JsonObject, name: string): readonly NestedValidation[] {
  const given = schema[name]
  return Array.isArray(given) ? given.filter(isJsonObject).map(nestedOf) : noSchemas
}

const noRules: readonly ValidationRule[] = []

function rulesOf(schema: JsonObject): readonly ValidationRule[] {
  const given = schema['x-kubernetes-validations']
  if (!Array.isArray(given)) return noRules
  return given.filter(isJsonObject).map((rule) => ({
    rule: text(rule, 'rule') ?? '',
    message: text(rule, 'message') ?? '',
    messageExpression: text(rule, 'messageExpression') ?? '',
    reason: text(rule, 'reason') ?? '',
    fieldPath: text(rule, 'fieldPath') ?? '',
    optionalOldSelf: typeof rule['optionalOldSelf'] === 'boolean' ? rule['optionalOldSelf'] : undefined,
  }))
}
