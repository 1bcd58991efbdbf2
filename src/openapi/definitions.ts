/**
 * Messages as OpenAPI schemas, for version 3 of the format and version 2.
 * Source: Kubernetes API conventions, "Schema"; the extensions `x-kubernetes-*` keep their names in both dialects.
 */

import { identityProperties } from '../crd/shape/published.ts'
import type { JsonObject, JsonValue } from '../json.ts'
import type { Names } from '../names/names.ts'
import type { Field, MessageType, ScalarType, ValueType } from '../schema/descriptor.ts'
import type { GroupVersion } from '../types/resource.ts'
import { type CustomKind, customListSchema, customSchema } from './custom.ts'
import { fieldDescription, messageDescription, patchDescription, scalarDescriptions } from './descriptions.ts'
import { definitionName, scalarDefinitionName } from './names.ts'

/** How a version of the format writes what both have. */
interface Dialect {
  /** What stands before a definition's name in a reference. */
  readonly referencePrefix: string
  /**
   * Version 3 keeps siblings of a reference by wrapping it in `allOf`. Version 2 has but the description beside it,
   * which clients read although the format says nothing of it.
   */
  readonly siblingsOfReference: boolean
}

export const version3: Dialect = { referencePrefix: '#/components/schemas/', siblingsOfReference: true }
export const version2: Dialect = { referencePrefix: '#/definitions/', siblingsOfReference: false }

/** Collects every definition that the added messages reach. */
export interface Definitions {
  /** A reference to the message's definition, which is added with all it reaches. */
  reference(message: MessageType): JsonObject
  /** A reference to the definition of the list of a custom resource, which is added with all it reaches. */
  listReference(element: MessageType, listMeta: MessageType): JsonObject
  /** A reference to a definition that is any object, under the name that `id` gives: `meta/v1.Patch`. */
  opaque(id: string): JsonObject
  /** Definition name → schema, sorted by name. */
  all(): JsonObject
}

interface Context {
  readonly names: Names
  readonly dialect: Dialect
  readonly kindsOf: (message: MessageType) => readonly (GroupVersion & { readonly kind: string })[]
  readonly customOf: (message: MessageType) => CustomKind
  readonly schemas: Map<string, JsonObject>
}

/**
 * @param kindsOf group, version and kind of the root messages that are served or taken as bodies; [] for the others
 * @param customOf of a message that was made for a custom resource
 */
export function createDefinitions(
  names: Names,
  dialect: Dialect,
  kindsOf: (message: MessageType) => readonly (GroupVersion & { readonly kind: string })[],
  customOf: (message: MessageType) => CustomKind,
): Definitions {
  const context: Context = { names, dialect, kindsOf, customOf, schemas: new Map() }
  return {
    listReference: (element, listMeta) => listReference(element, listMeta, context),
    reference: (message) => messageReference(message, context),
    opaque(id) {
      const name = definitionName(id, names)
      context.schemas.set(name, { description: patchDescription, type: 'object' })
      return referenceTo(name, context)
    },
    all: () => Object.fromEntries([...context.schemas].sort(([a], [b]) => (a < b ? -1 : 1))),
  }
}

function referenceTo(name: string, context: Context): JsonObject {
  return { $ref: context.dialect.referencePrefix + name }
}

function messageReference(message: MessageType, context: Context): JsonObject {
  const name = definitionName(message.id, context.names)
  if (!context.schemas.has(name)) {
    context.schemas.set(name, {}) // before its fields: messages may contain themselves
    context.schemas.set(name, schemaOf(message, context))
  }
  return referenceTo(name, context)
}

function schemaOf(message: MessageType, context: Context): JsonObject {
  const { structural } = message
  if (structural === undefined) return messageSchema(message, context)
  const field = message.jsonFields.get('metadata')
  const metadata = field === undefined ? {} : fieldSchema(field, message, context)
  return customSchema(structural, context.customOf(message), metadata, isReduced(context))
}

function listReference(element: MessageType, listMeta: MessageType, context: Context): JsonObject {
  const of = context.customOf(element)
  const name = definitionName(`${of.group}/${of.version}.${of.listKind}`, context.names)
  if (!context.schemas.has(name)) {
    const [items, metadata] = [messageReference(element, context), messageReference(listMeta, context)]
    context.schemas.set(name, customListSchema(of, items, metadata, isReduced(context)))
  }
  return referenceTo(name, context)
}

function isReduced({ dialect }: Context): boolean {
  return !dialect.siblingsOfReference
}

function messageSchema(message: MessageType, context: Context): JsonObject {
  const fields = [...message.jsonFields.values()]
  const properties: Record<string, JsonObject> = Object.create(null)
  if (message.root) Object.assign(properties, identityProperties)
  for (const field of fields) properties[field.name] = fieldSchema(field, message, context)
  const required = fields.filter((field) => field.required).map((field) => field.name)
  const kinds = context.kindsOf(message)
  return {
    ...descriptionOf(messageDescription(message)),
    type: 'object',
    ...(fields.length === 0 && !message.root ? {} : { properties }),
    ...(required.length === 0 ? {} : { required }),
    ...(message.structType === undefined ? {} : { 'x-kubernetes-map-type': message.structType }),
    ...(kinds.length === 0
      ? {}
      : {
          'x-kubernetes-group-version-kind': kinds.map(({ group, version, kind }) => ({
            group,
            kind,
            version,
          })),
        }),
  }
}

function fieldSchema(field: Field, holder: MessageType, context: Context): JsonObject {
  const type = typeSchema(field.type, holder.id, context)
  const description = descriptionOf(fieldDescription(holder, field))
  const fallback = field.default ?? zeroDefault(field)
  return {
    ...description,
    ...withSiblings(type, fallback, 'description' in description, context.dialect),
    ...(field.enum === undefined || field.enumOpen ? {} : { enum: field.enum.toSorted() }),
    ...(field.nullable && context.dialect.siblingsOfReference ? { nullable: true } : {}),
    ...markers(field),
  }
}

function markers(field: Field): JsonObject {
  return {
    ...(field.listMapKeys === undefined ? {} : { 'x-kubernetes-list-map-keys': field.listMapKeys }),
    ...(field.listType === undefined ? {} : { 'x-kubernetes-list-type': field.listType }),
    ...(field.mapType === undefined ? {} : { 'x-kubernetes-map-type': field.mapType }),
    ...(field.patchMergeKey === undefined ? {} : { 'x-kubernetes-patch-merge-key': field.patchMergeKey }),
    ...(field.patchStrategy === undefined
      ? {}
      : { 'x-kubernetes-patch-strategy': field.patchStrategy.join(',') }),
  }
}

/** What a field that is never absent in the original is published to be when it is not given. */
function zeroDefault(field: Field): JsonValue | undefined {
  if (field.pointer) return undefined
  if (field.type.kind === 'message') return {}
  if (field.type.kind === 'scalar') {
    if (field.type.scalar === 'time' || field.type.scalar === 'microTime') return {}
    return field.omitEmpty ? undefined : zeroOf(field.type.scalar)
  }
  return undefined
}

function zeroOf(scalar: ScalarType): JsonValue | undefined {
  switch (scalar) {
    case 'string':
      return ''
    case 'bool':
      return false
    case 'int32':
    case 'int64':
    case 'double':
      return 0
    default:
      return undefined
  }
}

function descriptionOf(description: string | undefined): { readonly description?: string } {
  return description === undefined ? {} : { description }
}

/** The schema with its default, fit to stand beside a description if there is one. */
function withSiblings(
  schema: JsonObject,
  value: JsonValue | undefined,
  described: boolean,
  dialect: Dialect,
): JsonObject {
  if (!('$ref' in schema)) return value === undefined ? schema : { ...schema, default: value }
  if (!dialect.siblingsOfReference || (value === undefined && !described)) return schema
  return { allOf: [schema], ...(value === undefined ? {} : { default: value }) }
}

function typeSchema(type: ValueType, holder: string, context: Context): JsonObject {
  switch (type.kind) {
    case 'scalar':
      return scalarReference(type.scalar, holder, context)
    case 'message':
      return messageReference(type.message, context)
    case 'list':
      return { type: 'array', items: elementSchema(type.element, holder, context) }
    case 'map':
      return { type: 'object', additionalProperties: elementSchema(type.value, holder, context) }
    default: {
      const never: never = type
      return never
    }
  }
}

/** Elements are never absent, so they carry the zero value as default, as generated clients expect. */
function elementSchema(type: ValueType, holder: string, context: Context): JsonObject {
  const schema = typeSchema(type, holder, context)
  const zero = type.kind === 'message' ? {} : type.kind === 'scalar' ? zeroOf(type.scalar) : undefined
  return withSiblings(schema, zero, false, context.dialect)
}

function scalarReference(scalar: ScalarType, holder: string, context: Context): JsonObject {
  const name = scalarDefinitionName(scalar, holder, context.names)
  const schema = scalarSchema(scalar, holder, context.dialect)
  if (name === undefined) return schema
  context.schemas.set(name, { ...descriptionOf(scalarDescriptions[scalar]), ...schema })
  return referenceTo(name, context)
}

function scalarSchema(scalar: ScalarType, holder: string, dialect: Dialect): JsonObject {
  switch (scalar) {
    case 'string':
      return { type: 'string' }
    case 'bool':
      return { type: 'boolean' }
    case 'int32':
    case 'int64':
      return { type: 'integer', format: scalar }
    case 'double':
      return { type: 'number', format: 'double' }
    case 'bytes':
      return { type: 'string', format: 'byte' }
    case 'time':
    case 'microTime':
      return { type: 'string', format: 'date-time' }
    case 'quantity':
      return dialect.siblingsOfReference
        ? { oneOf: [{ type: 'string' }, { type: 'number' }] }
        : { type: 'string' }
    case 'intOrString':
      return dialect.siblingsOfReference
        ? { format: 'int-or-string', oneOf: [{ type: 'integer' }, { type: 'string' }] }
        : { type: 'string', format: 'int-or-string' }
    case 'rawExtension':
      return { type: 'object' }
    case 'json':
      // Sets of fields are always objects. Clients take a schema that says nothing at all for a missing one.
      return holder.startsWith('meta/') ? { type: 'object' } : { description: 'Any JSON value.' }
    default: {
      const never: never = scalar
      return never
    }
  }
}
