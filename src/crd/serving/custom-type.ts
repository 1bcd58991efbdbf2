/**
 * The resource types of a definition: one for each version that is served, ordinary ones for the generic verbs.
 *
 * What was stored under another schema is made new when it enters the cache (`storage.form`), in the version in which it
 * is stored. Where there are several versions, objects are converted where they are read and written (`conversion`).
 */

import { createHash } from 'node:crypto'
import type { MessageOf } from '../../codec/protobuf/rendering.ts'
import { compareVersions } from '../../types/groups.ts'
import type { Deprecation } from '../../types/lifecycle.ts'
import type { ApiObject } from '../../types/object.ts'
import {
  allMetadataParts,
  apiVersionOf,
  type CustomResource,
  type ResourceType,
  type StorageIdentity,
  type Strategy,
  type Subresource,
  type Verb,
  type VersionConversion,
} from '../../types/resource.ts'
import type { Converter } from '../conversion/converter.ts'
import { createVersionConversion } from '../conversion/versions.ts'
import { customScale } from '../shape/scale.ts'
import { selectableFieldsOf, selectableNames } from '../shape/selectable.ts'
import { type Definition, type DefinitionVersion, digest } from './definition.ts'
import { finalizerWarnings } from './finalizer-warnings.ts'
import { createVersionSchema, type VersionSchema } from './version-schema.ts'

const verbs: ReadonlySet<Verb> = new Set([
  'delete',
  'deletecollection',
  'get',
  'list',
  'patch',
  'create',
  'update',
  'watch',
])
const subresourceVerbs: ReadonlySet<Verb> = new Set(['get', 'patch', 'update'])

/** Where the objects of a definition lie. No built-in group has a colon. */
export function customPrefix(group: string, plural: string): string {
  return `custom:${group}/${plural}`
}

export interface CustomTypes {
  /** In order of preference. */
  readonly served: readonly ResourceType[]
  /** Of the storage version, whether it is served or not: through it everything that is stored can be reached. */
  readonly stored: ResourceType
}

interface CustomTypeParts {
  /** The messages of the server's own types. */
  readonly messageOf: MessageOf
  readonly converter: Converter
  /** See {@link CustomResource.guard}. */
  readonly guard: CustomResource['guard']
}

/** Undefined while the definition is not established. */
export function customTypes(
  definition: Definition,
  { messageOf, converter, guard }: CustomTypeParts,
): CustomTypes | undefined {
  const { group, names, established, versions, storageVersion } = definition
  const schemas = new Map(
    versions.map((version): [string, VersionSchema] => [
      version.name,
      createVersionSchema(version, { group, version: version.name, kind: names.kind }, messageOf),
    ]),
  )
  const stored = versions.find(({ name }) => name === storageVersion)
  const storedSchema = schemas.get(storageVersion)
  if (!established || stored === undefined || storedSchema === undefined) return undefined
  const byApiVersion = new Map(
    [...schemas].map(([version, schema]) => [apiVersionOf({ group, version }), schema]),
  )
  const storage = storageOf(definition, byApiVersion)
  const conversions = conversionsOf(definition, byApiVersion, converter)
  const shared = { storage, conversions, guard }
  const types = versions.flatMap((version) => {
    const own = schemas.get(version.name)
    return own === undefined ? [] : [{ version, type: typeOf(definition, version, own, shared) }]
  })
  const ofStored = types.find(({ version }) => version === stored)
  if (ofStored === undefined) return undefined
  const served = types
    .filter(({ version }) => version.served)
    .sort((a, b) => compareVersions(a.version.name, b.version.name))
  return { served: served.map(({ type }) => type), stored: ofStored.type }
}

/** By apiVersion; undefined where there is one version only. */
function conversionsOf(
  { group, versions, storageVersion }: Definition,
  schemas: ReadonlyMap<string, VersionSchema>,
  converter: Converter,
): ((apiVersion: string) => VersionConversion) | undefined {
  if (versions.length < 2) return undefined
  const storedApiVersion = apiVersionOf({ group, version: storageVersion })
  return (apiVersion) => createVersionConversion(apiVersion, { schemas, storedApiVersion, converter })
}

/** Changes with what stored objects look like when they are read. */
export function storedFormOf({ names, versions }: Definition): string {
  return digest([
    names.kind,
    versions.map(({ name, formId, source }) => [name, formId, selectableNames(source)]),
  ])
}

/** What was stored by another schema of its version is brought into the present form when it enters the cache. */
function storageOf(definition: Definition, schemas: ReadonlyMap<string, VersionSchema>): StorageIdentity {
  const { group, names, versions, storageVersion } = definition
  const version = { group, version: storageVersion }
  const fieldsOf = selectableFieldsOf(versions.map(({ source }) => source))
  const withFields = (object: ApiObject) =>
    fieldsOf === undefined ? { object } : { object, fields: fieldsOf(object) }
  return {
    prefix: customPrefix(group, names.plural),
    version,
    form: {
      id: storedFormOf(definition),
      renew(object) {
        // Of a version that is gone nothing is known. Where there is but one, all are of that one; else who reads is told.
        const apiVersion = versions.length === 1 ? apiVersionOf(version) : object.apiVersion
        const renewed = { ...object, apiVersion, kind: names.kind }
        const schema = schemas.get(apiVersion)
        if (schema === undefined) return withFields(renewed)
        schema.prune(renewed)
        schema.applyDefaults(renewed)
        return withFields(schema.normalize(renewed))
      },
    },
  }
}

/** What the versions of a definition have in common. */
interface Shared {
  readonly storage: StorageIdentity
  readonly conversions: ((apiVersion: string) => VersionConversion) | undefined
  readonly guard: CustomResource['guard']
}

function typeOf(
  definition: Definition,
  version: DefinitionVersion,
  own: VersionSchema,
  { storage, conversions, guard }: Shared,
): ResourceType {
  const { group, names, namespaced } = definition
  const apiVersion = apiVersionOf({ group, version: version.name })
  return {
    group,
    version: version.name,
    kind: names.kind,
    apiVersion,
    listKind: names.listKind,
    plural: names.plural,
    singular: names.singular,
    shortNames: names.shortNames,
    categories: names.categories,
    namespaced,
    verbs,
    storageVersionHash: storageVersionHash(definition),
    get message() {
      return own.message
    },
    get storageMessage() {
      return own.message
    },
    subresources: subresourcesOf(definition, version, own),
    scale: version.scale === undefined ? undefined : customScale(version.scale),
    storage,
    strategy: strategyOf(definition, version, own),
    get columns() {
      return own.columns
    },
    selectableFields: new Set([
      'metadata.name',
      ...(namespaced ? ['metadata.namespace'] : []),
      ...selectableNames(version.source),
    ]),
    fieldLabelMessage: 'field label not supported: {field}',
    isStorageVersion: true,
    toStorage: identity,
    fromStorage: identity,
    ...(conversions === undefined ? {} : { conversion: conversions(apiVersion) }),
    custom: customOf(definition, version, guard),
  }
}

const identity = (object: ApiObject): ApiObject => object

function customOf(
  definition: Definition,
  version: DefinitionVersion,
  guard: CustomResource['guard'],
): CustomResource {
  const { name, terminating } = definition
  return {
    definition: name,
    deprecation: version.deprecated ? deprecationOf(definition, version) : undefined,
    terminating,
    guard,
  }
}

function deprecationOf({ group, names, versions }: Definition, version: DefinitionVersion): Deprecation {
  const [newer] = versions
    .filter(({ served, deprecated }) => served && !deprecated)
    .filter(({ name }) => compareVersions(name, version.name) < 0)
    .sort((a, b) => compareVersions(a.name, b.name))
  const instead = newer === undefined ? '' : `; use ${group}/${newer.name} ${names.kind}`
  const usual = `${group}/${version.name} ${names.kind} is deprecated${instead}`
  return { warning: version.deprecationWarning ?? usual, removedRelease: '' }
}

/** As for built-in types: clients see a storage migration by it. */
function storageVersionHash({ group, storageVersion, names }: Definition): string {
  const hash = createHash('sha256').update(`${group}/${storageVersion}/${names.kind}`).digest()
  return hash.subarray(0, 8).toString('base64')
}

function subresourcesOf(
  { group, names }: Definition,
  { name, status, scale }: DefinitionVersion,
  schema: VersionSchema,
): ReadonlyMap<string, Subresource> {
  const subresources = new Map<string, Subresource>()
  if (status) {
    subresources.set('status', {
      name: 'status',
      kind: { group, version: name, kind: names.kind },
      get message() {
        return schema.message
      },
      verbs: subresourceVerbs,
    })
  }
  if (scale !== undefined) {
    subresources.set('scale', {
      name: 'scale',
      kind: { group: 'autoscaling', version: 'v1', kind: 'Scale' },
      get message() {
        return schema.scaleMessage
      },
      verbs: subresourceVerbs,
    })
  }
  return subresources
}

function strategyOf(
  { versions }: Definition,
  { status }: DefinitionVersion,
  schema: VersionSchema,
): Strategy {
  const selectableFields = selectableFieldsOf(versions.map(({ source }) => source))
  return {
    ...(selectableFields === undefined ? {} : { selectableFields }),
    generation: true,
    status,
    keptByStatus: allMetadataParts,
    createOnUpdate: false,
    unconditionalUpdate: false,
    nameFormat: 'subdomain',
    load: () => schema.load(),
    validateCreate: (object) => schema.validate(object, undefined),
    validateUpdate: (object, old) => schema.validate(object, old),
    validateStatusUpdate: (object, old) => schema.validateStatus(object, old),
    warnings: (object, old) => [...finalizerWarnings(object, old), ...schema.warnings(object, old)],
  }
}
