/** What serving needs to know of a definition, read from the stored object, which was validated when it was written. */

import { createHash } from 'node:crypto'
import { isJsonObject, type JsonObject, type JsonValue } from '../../json.ts'
import { own } from '../../own.ts'
import { draftOf, objectAt, objectsAt, textAt } from '../../types/draft.ts'
import type { ApiObject } from '../../types/object.ts'

/** The names in use: those of `status.acceptedNames`. */
interface AcceptedNames {
  readonly plural: string
  readonly singular: string
  readonly shortNames: readonly string[]
  readonly kind: string
  readonly listKind: string
  readonly categories: readonly string[]
}

export interface DefinitionVersion {
  readonly name: string
  readonly served: boolean
  readonly storage: boolean
  /** Changes with what its schema makes of an object: what is dropped, and what is filled in. */
  readonly formId: string
  /** `schema.openAPIV3Schema`; empty = there is none. Read anew each time: schemas are large, and most are never used. */
  schema(): JsonObject
  /** `subresources`. */
  readonly status: boolean
  readonly scale: JsonObject | undefined
  readonly deprecated: boolean
  readonly deprecationWarning: string | undefined
  /** The whole version but its schema, for what is read from it alone where it is used. */
  readonly source: JsonObject
}

export interface Definition {
  /** `<plural>.<group>`. */
  readonly name: string
  readonly uid: string
  readonly group: string
  readonly namespaced: boolean
  readonly names: AcceptedNames
  readonly versions: readonly DefinitionVersion[]
  readonly storageVersion: string
  /** `spec.conversion`. */
  readonly conversion: JsonObject
  readonly established: boolean
  readonly terminating: boolean
  /** Changes with everything that is served of it. */
  readonly fingerprint: string
  /** Changes with what its objects look like. */
  readonly shape: string
}

/** `again` gives the object once more, for what is not kept of it. */
export function readDefinition(object: ApiObject, again: () => ApiObject): Definition {
  const draft = draftOf(object)
  const spec = objectAt(draft, 'spec') ?? {}
  const status = objectAt(draft, 'status') ?? {}
  const versions = versionsOf(object).map((version, index) =>
    readVersion(version, () => schemaOf(versionsOf(again())[index])),
  )
  const established = hasCondition(status, 'Established')
  const terminating = hasCondition(status, 'Terminating') || object.metadata.deletionTimestamp !== undefined
  const names = objectAt(status, 'acceptedNames') ?? {}
  const { uid = '', name = '' } = object.metadata
  const shape = digest([uid, spec, names])
  return {
    name,
    uid,
    group: textAt(spec, 'group'),
    namespaced: textAt(spec, 'scope') === 'Namespaced',
    names: readNames(names),
    versions,
    storageVersion: versions.find(({ storage }) => storage)?.name ?? '',
    conversion: objectAt(spec, 'conversion') ?? {},
    established,
    terminating,
    fingerprint: digest([shape, established, terminating]),
    shape,
  }
}

function versionsOf(object: ApiObject): readonly JsonObject[] {
  return objectsAt(objectAt(object, 'spec'), 'versions')
}

function schemaOf(version: JsonObject = {}): JsonObject {
  return objectAt(version, 'schema', 'openAPIV3Schema') ?? {}
}

function readVersion(version: JsonObject, schema: () => JsonObject): DefinitionVersion {
  const { schema: _, ...source } = version
  const warning = version['deprecationWarning']
  const subresources = objectAt(version, 'subresources')
  return {
    name: textAt(version, 'name'),
    served: version['served'] === true,
    storage: version['storage'] === true,
    formId: digest(formingParts(schemaOf(version))),
    schema,
    status: isJsonObject(subresources?.['status']),
    scale: objectAt(version, 'subresources', 'scale'),
    deprecated: version['deprecated'] === true,
    deprecationWarning: typeof warning === 'string' ? warning : undefined,
    source,
  }
}

const forming: readonly string[] = [
  'default',
  'nullable',
  'x-kubernetes-preserve-unknown-fields',
  'x-kubernetes-embedded-resource',
]

/** Of a schema what shapes objects, in the order of names: not what is asked of values, nor what is said to people. */
function formingParts(schema: JsonObject): readonly JsonValue[] {
  const { properties, items, additionalProperties } = schema
  const members = isJsonObject(properties) ? Object.keys(properties).sort() : []
  return [
    ...forming.map((name) => own(schema, name) ?? null),
    isJsonObject(items) ? formingParts(items) : null,
    isJsonObject(additionalProperties) ? formingParts(additionalProperties) : (additionalProperties ?? null),
    members.flatMap((name) => {
      const member = isJsonObject(properties) ? own(properties, name) : undefined
      return isJsonObject(member) ? [name, formingParts(member)] : []
    }),
  ]
}

function readNames(names: JsonObject): AcceptedNames {
  return {
    plural: textAt(names, 'plural'),
    singular: textAt(names, 'singular'),
    shortNames: textsAt(names, 'shortNames'),
    kind: textAt(names, 'kind'),
    listKind: textAt(names, 'listKind'),
    categories: textsAt(names, 'categories'),
  }
}

function textsAt(object: JsonObject, name: string): readonly string[] {
  const list = object[name]
  return Array.isArray(list) ? list.filter((one) => typeof one === 'string') : []
}

function hasCondition(status: JsonObject, type: string): boolean {
  return objectsAt(status, 'conditions').some((one) => one['type'] === type && one['status'] === 'True')
}

/** Short, and different for different values as good as always. */
export function digest(value: object): string {
  return createHash('sha256').update(JSON.stringify(value)).digest('base64url').slice(0, 16)
}
