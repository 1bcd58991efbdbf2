/**
 * Who owns which field, for one path of a resource. Source: specification, "Server-side apply".
 */

import type { Result } from '../../store/contract.ts'
import { createFieldManager, type FieldManager } from '../apply/field-manager.ts'
import type { ConvertVersion } from '../apply/tracking.ts'
import type { JsonObject } from '../json.ts'
import type { Names } from '../names/names.ts'
import type { ApiFailure } from '../status/status.ts'
import { conversionFailure } from '../storage/failures.ts'
import type { ApiObject, ObjectMeta } from '../types/object.ts'
import type { ResourceType, TypeRegistry } from '../types/resource.ts'
import { AskedConversions } from './asked-conversions.ts'

interface Author {
  readonly manager: string
  /** RFC 3339, whole seconds. */
  readonly now: string
}

type Warnings = readonly string[]
type Applied = Result<ApiObject | undefined, ApiFailure>

/** Answers at once, unless somebody outside converts objects between versions, and fields are owned in another. */
export interface Ownership {
  /** Sets the managed fields of a written object. Both objects: storage version, normalised. Returns warnings. */
  track(live: ApiObject | undefined, object: ApiObject, author: Author): Warnings | Promise<Warnings>
  /** Merges an applied configuration into the object as the path shows it. Undefined = nothing changed. */
  apply(
    live: ApiObject | undefined,
    applied: JsonObject,
    author: Author & { readonly force: boolean },
  ): Applied | Promise<Applied>
}

/** Where nobody's fields are written: all that is owned stays so. */
export const unowned: Ownership = {
  track(live, object) {
    setManagedFields(object, live?.metadata.managedFields)
    return []
  },
  apply: () => {
    throw new TypeError('nothing is applied to objects as they are stored')
  },
}

function setManagedFields({ metadata }: ApiObject, managedFields: ObjectMeta['managedFields']): void {
  if (managedFields === undefined) delete metadata.managedFields
  else metadata.managedFields = managedFields
}

/**
 * Settles owners before others change the object: what the client sent is the client's, what is added behind this is nobody's.
 * `object` need not be normalised; only its managed fields change. Returns warnings.
 */
export async function ownAsSent(
  ownership: Ownership,
  live: ApiObject | undefined,
  object: ApiObject,
  author: Author,
  normalize: (object: ApiObject) => ApiObject,
): Promise<Warnings> {
  const given = normalize(object)
  const warnings = await ownership.track(live, given, author)
  setManagedFields(object, given.metadata.managedFields)
  return warnings
}

export function createOwnership(
  type: ResourceType,
  subresource: string,
  names: Names,
  types: TypeRegistry,
): Ownership {
  const { message, apiVersion, kind, conversion } = type
  const asked = conversion === undefined ? undefined : new AskedConversions(conversion)
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
      convert: (object, wanted) => convert(type, types, asked, object, wanted),
    })
    return made
  }

  function track(live: ApiObject | undefined, object: ApiObject, author: Author): Warnings {
    const updated = type.fromStorage(object)
    const before = live === undefined ? undefined : type.fromStorage(live)
    const managed = fieldManager().updateManagedFields({ live: before, updated, ...author })
    setManagedFields(object, managed.object.metadata.managedFields)
    return managed.warnings
  }

  function apply(
    live: ApiObject | undefined,
    applied: JsonObject,
    { force, ...author }: Author & { readonly force: boolean },
  ): Applied {
    const result = fieldManager().apply({ live, applied, force, ...author })
    if (!result.ok) return result
    return { ok: true, value: result.value.changed ? result.value.object : undefined }
  }

  if (asked === undefined) return { track, apply }
  return {
    track(live, object, author) {
      // Tried on a copy: an attempt without all conversions leaves nothing behind.
      const attempt = (): { readonly copy: ApiObject; readonly warnings: Warnings } => {
        const copy = { ...object, metadata: { ...object.metadata } }
        return { copy, warnings: track(live, copy, author) }
      }
      const finish = (done: Result<ReturnType<typeof attempt>, string>): Warnings => {
        // Who owns what cannot be told while versions cannot be converted: it stays as it was.
        setManagedFields(
          object,
          done.ok ? done.value.copy.metadata.managedFields : live?.metadata.managedFields,
        )
        return done.ok ? done.value.warnings : []
      }
      const done = asked.until(attempt)
      return done instanceof Promise ? done.then(finish) : finish(done)
    },
    apply(live, applied, author) {
      const finish = (done: Result<Applied, string>): Applied =>
        done.ok ? done.value : { ok: false, failure: conversionFailure(done.failure) }
      const done = asked.until(() => apply(live, applied, author))
      return done instanceof Promise ? done.then(finish) : finish(done)
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
function convert(
  type: ResourceType,
  types: TypeRegistry,
  asked: AskedConversions | undefined,
  object: JsonObject,
  wanted: string,
): ReturnType<ConvertVersion> {
  const other = types.resources.find(
    ({ apiVersion, kind, storage }) =>
      apiVersion === wanted && kind === type.kind && storage?.prefix === type.storage?.prefix,
  )
  if (other === undefined) return undefined
  // What a field manager is handed was an ApiObject before it became JSON, and is not changed by either.
  const given: ApiObject = object as ApiObject
  if (asked !== undefined) {
    const converted = asked.convert(given, wanted)
    return converted && { object: converted as JsonObject, message: other.message }
  }
  return {
    object: other.fromStorage(type.toStorage(structuredClone(given))) as JsonObject,
    message: other.message,
  }
}
