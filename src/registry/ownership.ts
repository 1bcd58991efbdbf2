/**
 * Who owns which field, for one path of a resource. Source: specification, "Server-side apply".
 */

import type { Result } from '../../store/contract.ts'
import { createFieldManager, type FieldManager } from '../apply/field-manager.ts'
import type { JsonObject } from '../json.ts'
import type { Names } from '../names/names.ts'
import type { ApiFailure } from '../status/status.ts'
import type { ApiObject } from '../types/object.ts'
import type { ResourceType, TypeRegistry } from '../types/resource.ts'

interface Author {
  readonly manager: string
  /** RFC 3339, whole seconds. */
  readonly now: string
}

export interface Ownership {
  /** Sets the managed fields of a written object. Both objects: storage version, normalised. Returns warnings. */
  track(live: ApiObject | undefined, object: ApiObject, author: Author): readonly string[]
  /** Merges an applied configuration into the object as the path shows it. Undefined = nothing changed. */
  apply(
    live: ApiObject | undefined,
    applied: JsonObject,
    author: Author & { readonly force: boolean },
  ): Result<ApiObject | undefined, ApiFailure>
}

/**
 * Settles owners before others change the object: what the client sent is the client's, what is added behind this is nobody's.
 * `object` need not be normalised; only its managed fields change. Returns warnings.
 */
export function ownAsSent(
  ownership: Ownership,
  live: ApiObject | undefined,
  object: ApiObject,
  author: Author,
  normalize: (object: ApiObject) => ApiObject,
): readonly string[] {
  const given = normalize(object)
  const warnings = ownership.track(live, given, author)
  const { managedFields } = given.metadata
  if (managedFields === undefined) delete object.metadata.managedFields
  else object.metadata.managedFields = managedFields
  return warnings
}

export function createOwnership(
  type: ResourceType,
  subresource: string,
  names: Names,
  types: TypeRegistry,
): Ownership {
  const { message, apiVersion, kind } = type
  let made: FieldManager | undefined
  /** On first use: most types are never written, and a start should be quick. */
  function fieldManager(): FieldManager {
    made ??= createFieldManager({
      message,
      apiVersion,
      kind,
      subresource,
      ignoredFields: ignoredFields(type, subresource),
      lastAppliedAnnotation: names.expand('kubectl.{labels}/last-applied-configuration'),
      convert: (object, wanted) => convert(type, types, object, wanted),
    })
    return made
  }
  return {
    track(live, object, author) {
      const updated = type.fromStorage(object)
      const before = live === undefined ? undefined : type.fromStorage(live)
      const managed = fieldManager().updateManagedFields({ live: before, updated, ...author })
      const { managedFields } = managed.object.metadata
      if (managedFields === undefined) delete object.metadata.managedFields
      else object.metadata.managedFields = managedFields
      return managed.warnings
    },
    apply(live, applied, { force, ...author }) {
      const result = fieldManager().apply({ live, applied, force, ...author })
      if (!result.ok) return result
      return { ok: true, value: result.value.changed ? result.value.object : undefined }
    },
  }
}

function ignoredFields(type: ResourceType, subresource: string): readonly (readonly string[])[] {
  if (subresource === '') return type.strategy.status ? [['status']] : []
  if (subresource === 'approval') return [['spec']]
  if (subresource !== 'status') return []
  if (type.message.structural !== undefined) return [['spec']]
  return [['spec'], ...(type.strategy.keptByStatus ?? []).map((part) => ['metadata', part])]
}

/** The object of one version of a resource in another that is served too. */
function convert(type: ResourceType, types: TypeRegistry, object: JsonObject, wanted: string) {
  const other = types.resources.find(
    ({ apiVersion, kind, storage }) =>
      apiVersion === wanted && kind === type.kind && storage?.prefix === type.storage?.prefix,
  )
  if (other === undefined) return undefined
  // What a field manager is handed was an ApiObject before it became JSON, and is not changed by either.
  const copy: ApiObject = structuredClone(object) as ApiObject
  return { object: other.fromStorage(type.toStorage(copy)) as JsonObject, message: other.message }
}
