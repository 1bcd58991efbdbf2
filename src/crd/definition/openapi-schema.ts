/** A schema of a definition, place by place: what it may use of JSON Schema, and how its extensions go together. */

import { forbiddenField, invalidValue, notSupported } from '../../status/causes.ts'
import type { Cause } from '../../status/status.ts'
import type { Causes } from '../../types/validation/checks.ts'
import { itemsIn, textIn } from '../../types/validation/read.ts'
import { checkForm } from '../rules/rule-form.ts'
import { readStructural } from '../schema/read.ts'
import { junctors, namedIn, type Schema, schemaIn, tupleIn } from './json-schema.ts'
import { checkMergeTypes } from './lists.ts'
import { isSchemaType, schemaTypes } from './schema-types.ts'
import type { Strictness } from './strictness.ts'

/** Where in the schema of a resource one is. */
interface Place {
  readonly isRoot: boolean
  /** Below `apiVersion`, `kind` or `metadata` of the resource or of an embedded one. */
  readonly inMetadata: boolean
  /** Why no defaults may stand here; undefined = they may. */
  readonly noDefaults: string | undefined
}

/** `path` leads to the schema. */
export function openApiCauses(schema: Schema, path: string, strictness: Strictness): readonly Cause[] {
  const causes: Cause[] = []
  check(causes, schema, path, { isRoot: true, inMetadata: false, noDefaults: undefined }, strictness)
  return causes
}

function check(causes: Causes, schema: Schema, path: string, place: Place, strictness: Strictness): void {
  checkAllowed(causes, schema, path, place, strictness)
  if (schema['uniqueItems'] === true)
    causes.push(
      forbiddenField(
        `${path}.uniqueItems`,
        'uniqueItems cannot be set to true since the runtime complexity becomes quadratic',
      ),
    )
  const go = (below: Schema, step: string, to: Partial<Place> = {}): void =>
    check(causes, below, `${path}.${step}`, { ...place, isRoot: false, ...to }, strictness)
  checkAdditional(causes, schema, path)
  const additional = schemaIn(schema, 'additionalProperties')
  if (additional !== undefined) go(additional, 'additionalProperties', insideAdditional(place))
  for (const [name, property] of namedIn(schema, 'properties'))
    go(property, `properties[${name}]`, insideProperty(schema, name, place))
  const not = schemaIn(schema, 'not')
  if (not !== undefined) go(not, 'not')
  for (const junctor of junctors)
    for (const [i, branch] of itemsIn(schema, junctor).entries()) go(branch, `${junctor}[${i}]`)
  for (const [name, definition] of namedIn(schema, 'definitions')) go(definition, `definitions[${name}]`)
  const items = schemaIn(schema, 'items')
  if (items !== undefined) go(items, 'items')
  for (const [i, item] of tupleIn(schema).entries()) go(item, `items[${i}]`)
  for (const [name, dependency] of namedIn(schema, 'dependencies')) go(dependency, `dependencies[${name}]`)
  if (schema['x-kubernetes-preserve-unknown-fields'] === false)
    causes.push(
      invalidValue(`${path}.x-kubernetes-preserve-unknown-fields`, false, 'must be true or undefined'),
    )
  checkMergeTypes(causes, schema, path, strictness)
  checkRuleForms(causes, schema, path)
}

/** Names what is in an object, or says of what kind all that is in it are: not both. */
function checkAdditional(causes: Causes, schema: Schema, path: string): void {
  const additional = schema['additionalProperties']
  if (additional === undefined || additional === true || namedIn(schema, 'properties').length === 0) return
  causes.push(
    forbiddenField(
      `${path}.additionalProperties`,
      'additionalProperties and properties are mutual exclusive',
    ),
  )
}

function insideAdditional({ inMetadata }: Place): Partial<Place> {
  return inMetadata ? { noDefaults: ' inside additionalProperties applying to object metadata' } : {}
}

const metadataNames: ReadonlySet<string> = new Set(['metadata', 'kind', 'apiVersion'])

function insideProperty(schema: Schema, name: string, { isRoot }: Place): Partial<Place> {
  const isResource = isRoot || schema['x-kubernetes-embedded-resource'] === true
  if (!isResource || !metadataNames.has(name)) return {}
  return isRoot ? { inMetadata: true, noDefaults: ` in top-level ${name}` } : { inMetadata: true }
}

const neverNamed = ['patternProperties', 'definitions'] as const

/** What the schema itself may not use. */
function checkAllowed(
  causes: Causes,
  schema: Schema,
  path: string,
  { inMetadata, noDefaults }: Place,
  { knownTypes }: Strictness,
): void {
  const type = textIn(schema, 'type')
  const forbid = (name: string, detail: string): void =>
    void causes.push(forbiddenField(`${path}.${name}`, detail))
  if (knownTypes && !isSchemaType(type)) causes.push(notSupported(`${path}.type`, type, schemaTypes))
  if (schema['default'] !== undefined && noDefaults !== undefined)
    forbid('default', `must not be set${noDefaults}`)
  if (textIn(schema, 'id') !== '') forbid('id', 'id is not supported')
  if (schema['additionalItems'] !== undefined) forbid('additionalItems', 'additionalItems is not supported')
  for (const name of neverNamed)
    if (namedIn(schema, name).length > 0) forbid(name, `${name} is not supported`)
  for (const name of ['dependencies', '$ref'])
    if (schema[name] !== undefined) forbid(name, `${name} is not supported`)
  if (type === 'null') forbid('type', 'type cannot be set to null, use nullable as an alternative')
  if (tupleIn(schema).length > 0) forbid('items', 'items must be a schema object and not an array')
  if (inMetadata && schema['x-kubernetes-embedded-resource'] === true)
    forbid('x-kubernetes-embedded-resource', 'must not be used inside of resource meta')
}

function checkRuleForms(causes: Causes, schema: Schema, path: string): void {
  if (itemsIn(schema, 'x-kubernetes-validations').length === 0) return
  const structural = readStructural(schema)
  for (const [i, rule] of structural.rules.entries())
    causes.push(...checkForm(rule, structural, `${path}.x-kubernetes-validations[${i}]`))
}
