/**
 * Whether a schema is structural: outside of `allOf`, `anyOf`, `oneOf` and `not` it says the type of every place, and
 * inside of them it only narrows.
 *
 * Source: Kubernetes documentation, "Extend the API with CustomResourceDefinitions", "Specifying a structural schema";
 * messages and paths are those that clients know.
 */

import { compilePattern } from '../../cel/library/pattern.ts'
import { CelError } from '../../cel/values/value.ts'
import { forbiddenField, invalidValue, required } from '../../status/causes.ts'
import type { Cause } from '../../status/status.ts'
import type { Causes } from '../../types/validation/checks.ts'
import { itemsIn, textIn } from '../../types/validation/read.ts'
import { checkCompleteness } from './completeness.ts'
import { isSaid, junctors, namedIn, propertyOf, type Schema, schemaIn, withoutZeros } from './json-schema.ts'

type Level = 'root' | 'item' | 'field'

const places: Readonly<Record<Level, string>> = {
  root: 'at the root',
  item: 'for specified array items',
  field: 'for specified object fields',
}

/** Everything for which the schema is not structural, sorted; `path` leads to it. */
export function structuralCauses(schema: Schema, path: string): readonly Cause[] {
  const causes: Cause[] = []
  checkInvariants(causes, schema, 'root', path)
  checkCompleteness(causes, schema, path)
  const said = ({ field, message }: Cause): string => `${field}: ${message}`
  return causes.sort((a, b) => (said(a) < said(b) ? -1 : 1))
}

function checkInvariants(causes: Causes, schema: Schema, level: Level, path: string): void {
  const items = schemaIn(schema, 'items')
  const type = textIn(schema, 'type')
  if (type === 'array' && items === undefined) causes.push(required(`${path}.items`, 'must be specified'))
  if (items !== undefined) checkInvariants(causes, items, 'item', `${path}.items`)
  for (const [name, property] of namedIn(schema, 'properties'))
    checkInvariants(causes, property, 'field', `${path}.properties[${name}]`)
  checkAdditional(causes, schema, level, path)
  checkExtensions(causes, schema, path)
  checkValue(causes, schema, path, {
    anyOf: isIntOrString(schema),
    firstOfAll: isIntOrString(itemsIn(schema, 'allOf')[0]),
  })
  checkType(causes, schema, level, path)
  checkEmbedded(causes, schema, level, path)
}

function checkAdditional(causes: Causes, schema: Schema, level: Level, path: string): void {
  const at = `${path}.additionalProperties`
  if (schema['additionalProperties'] === undefined) return
  if (level === 'root') causes.push(forbiddenField(at, 'must not be used at the root'))
  const additional = schemaIn(schema, 'additionalProperties')
  if (additional !== undefined) checkInvariants(causes, additional, 'field', at)
}

function checkExtensions(causes: Causes, schema: Schema, path: string): void {
  if (!says(schema, 'x-kubernetes-int-or-string')) return
  for (const other of ['x-kubernetes-preserve-unknown-fields', 'x-kubernetes-embedded-resource'])
    if (says(schema, other))
      causes.push(
        invalidValue(`${path}.${other}`, true, 'must be false if x-kubernetes-int-or-string is true'),
      )
}

function checkType(causes: Causes, schema: Schema, level: Level, path: string): void {
  const type = textIn(schema, 'type')
  const at = `${path}.type`
  const typeless =
    says(schema, 'x-kubernetes-int-or-string') || says(schema, 'x-kubernetes-preserve-unknown-fields')
  if (says(schema, 'x-kubernetes-embedded-resource') && type !== 'object') {
    const detail = 'must be object if x-kubernetes-embedded-resource is true'
    causes.push(type === '' ? required(at, detail) : invalidValue(at, type, detail))
  } else if (type === '' && !typeless) {
    causes.push(required(at, `must not be empty ${places[level]}`))
  }
  if (level === 'root' && type !== '' && type !== 'object')
    causes.push(invalidValue(at, type, 'must be object at the root'))
}

/** What is said of the metadata of a whole object, here or within. */
function checkEmbedded(causes: Causes, schema: Schema, level: Level, path: string): void {
  const embedded = says(schema, 'x-kubernetes-embedded-resource')
  if (embedded && schema['additionalProperties'] !== undefined)
    causes.push(
      forbiddenField(
        `${path}.additionalProperties`,
        'must not be used if x-kubernetes-embedded-resource is set',
      ),
    )
  if (level === 'root' || embedded) {
    for (const [name, wanted] of Object.entries({
      kind: 'string',
      apiVersion: 'string',
      metadata: 'object',
    })) {
      const property = propertyOf(schema, name)
      if (property !== undefined && textIn(property, 'type') !== wanted)
        causes.push(
          invalidValue(`${path}.properties[${name}].type`, textIn(property, 'type'), `must be ${wanted}`),
        )
    }
  }
  const metadata = propertyOf(schema, 'metadata')
  if (level === 'root' && metadata !== undefined && saysMoreThanNames(metadata))
    causes.push(
      forbiddenField(
        `${path}.properties[metadata]`,
        'must not specify anything other than name and generateName, but metadata is implicitly specified',
      ),
    )
  const open = says(schema, 'x-kubernetes-preserve-unknown-fields')
  if (embedded && !open && namedIn(schema, 'properties').length === 0)
    causes.push(
      required(
        `${path}.properties`,
        'must not be empty if x-kubernetes-embedded-resource is true without x-kubernetes-preserve-unknown-fields',
      ),
    )
}

const metadataNames: ReadonlySet<string> = new Set(['name', 'generateName'])
/** What says nothing of values, or is asked for by itself. */
const unread: ReadonlySet<string> = new Set(['type', 'default', 'externalDocs', 'example'])

/** Of these an empty one says nothing; of the others it says that it is there. */
const emptyOfNothing: ReadonlySet<string> = new Set([
  ...junctors,
  'enum',
  'patternProperties',
  'definitions',
  'dependencies',
])

function saysMore(schema: Schema, name: string): boolean {
  const value = schema[name]
  if (unread.has(name) || !isSaid(name, value)) return false
  if (name === '$ref') return value !== ''
  if (name === 'items') return !Array.isArray(value)
  return !(emptyOfNothing.has(name) && Object.keys(value ?? {}).length === 0)
}

function saysMoreThanNames(metadata: Schema): boolean {
  const others = namedIn(metadata, 'properties').some(([name]) => !metadataNames.has(name))
  return others || Object.keys(metadata).some((name) => name !== 'properties' && saysMore(metadata, name))
}

function isIntOrString(schema: Schema | undefined): boolean {
  const branches = schema === undefined ? [] : itemsIn(schema, 'anyOf')
  return branches.length === 2 && isType(branches[0], 'integer') && isType(branches[1], 'string')
}

function isType(branch: Schema | undefined, type: string): boolean {
  if (branch === undefined || branch['type'] !== type) return false
  return !('default' in branch) && !Object.keys(branch).some((name) => saysMore(branch, name))
}

/** "Integer or string" may be said in two forms, with types that are else forbidden: by `anyOf`, or by the first of `allOf`. */
interface IntOrStringForm {
  readonly anyOf: boolean
  readonly firstOfAll: boolean
}

/** What narrows values, here and in the branches below. */
function checkValue(causes: Causes, schema: Schema, path: string, form: IntOrStringForm): void {
  for (const junctor of junctors) {
    if (junctor === 'anyOf' && form.anyOf) continue
    for (const [i, branch] of itemsIn(schema, junctor).entries())
      checkNested(
        causes,
        branch,
        `${path}.${junctor}[${i}]`,
        form.firstOfAll && junctor === 'allOf' && i === 0,
      )
  }
  const not = schemaIn(schema, 'not')
  if (not !== undefined) checkNested(causes, not, `${path}.not`)
  const pattern = textIn(schema, 'pattern')
  const compiled = pattern === '' ? undefined : compilePattern(pattern)
  if (compiled instanceof CelError)
    causes.push(
      invalidValue(
        `${path}.pattern`,
        pattern,
        `must be a valid regular expression, but isn't: ${compiled.message}`,
      ),
    )
}

const forbiddenInside: Readonly<Record<'empty' | 'undefined' | 'false', readonly string[]>> = {
  empty: ['type', 'title', 'description', 'x-kubernetes-list-map-keys', 'x-kubernetes-validations'],
  undefined: ['additionalProperties', 'default', 'x-kubernetes-list-type', 'x-kubernetes-map-type'],
  false: [
    'nullable',
    'x-kubernetes-preserve-unknown-fields',
    'x-kubernetes-embedded-resource',
    'x-kubernetes-int-or-string',
  ],
}

/** Inside of a junctor: only what narrows. */
function checkNested(causes: Causes, schema: Schema, path: string, isIntOrString = false): void {
  checkValue(causes, schema, path, { anyOf: isIntOrString, firstOfAll: false })
  const items = schemaIn(schema, 'items')
  if (items !== undefined) checkNested(causes, items, `${path}.items`)
  for (const [name, property] of namedIn(schema, 'properties'))
    checkNested(causes, property, `${path}.properties[${name}]`)
  const said = withoutZeros(schema)
  for (const [what, names] of Object.entries(forbiddenInside))
    for (const name of names)
      if (said[name] !== undefined)
        causes.push(forbiddenField(`${path}.${name}`, `must be ${what} to be structural`))
  if (propertyOf(schema, 'metadata') !== undefined)
    causes.push(forbiddenField(`${path}.properties[metadata]`, 'must not be specified in a nested context'))
}

function says(schema: Schema, name: string): boolean {
  return schema[name] === true
}
