/**
 * The versions in which a request can be shown to somebody outside: that of the request, and those of the same resource
 * in other groups and versions. Objects are admitted in the version that is stored.
 */

import { ok, type Result } from '../../../store/contract.ts'
import type { JsonObject } from '../../json.ts'
import type { MessageType } from '../../schema/descriptor.ts'
import { objectAt } from '../../types/draft.ts'
import type { ApiObject } from '../../types/object.ts'
import type { Kind, ResourceType, TypeRegistry } from '../../types/resource.ts'
import type { AdmissionRequest } from '../admission.ts'

export interface ShownAs {
  readonly resource: { readonly group: string; readonly version: string; readonly resource: string }
  readonly kind: Kind
  readonly message: MessageType
  /**
   * Where somebody may have to be asked how objects look in this version: comes before `show`, and counts for the objects
   * of the request as they are then. The failure is a sentence.
   */
  prepare?(request: AdmissionRequest): Promise<Result<void, string>>
  /** Of the stored version (for operations such as an eviction: of the operation) → as it is shown. Read only. */
  show(object: ApiObject): ApiObject
  /** Changes `object` into what `shown`, a complete object of this version, says. The failure is a sentence. */
  take(object: ApiObject, shown: ApiObject): Taken | Promise<Taken>
}

type Taken = Result<void, string>
const taken: Taken = ok(undefined)

export function shownAsRequested({ type, subresource }: AdmissionRequest): ShownAs {
  return shownAs(type, subresource)
}

/** The same resource in its other groups and versions, in the order of discovery. */
export function otherVersions(types: TypeRegistry, request: AdmissionRequest): readonly ShownAs[] {
  const { type, subresource } = request
  const prefix = type.storage?.prefix
  if (prefix === undefined) return []
  return types.resources
    .filter((other) => other.storage?.prefix === prefix && !isSame(other, type))
    .filter((other) => subresource === '' || other.subresources.has(subresource))
    .map((other) =>
      type.conversion === undefined ? shownAs(other, subresource) : converted(type, other, subresource),
    )
}

function isSame(a: ResourceType, b: ResourceType): boolean {
  return a.group === b.group && a.version === b.version && a.plural === b.plural
}

function shownAs(type: ResourceType, subresource: string): ShownAs {
  const { group, version, plural } = type
  const resource = { group, version, resource: plural }
  const sub = type.subresources.get(subresource)
  if (subresource === 'scale' && sub !== undefined && type.scale !== undefined) {
    const { scale } = type
    return {
      resource,
      kind: sub.kind,
      message: sub.message,
      show: (object) => scale.read(object),
      take(object, shown) {
        const replicas = objectAt(shown, 'spec')?.['replicas']
        scale.write(object, typeof replicas === 'number' ? replicas : 0)
        return taken
      },
    }
  }
  if (sub !== undefined && sub.kind.kind !== type.kind)
    return { resource, kind: sub.kind, message: sub.message, show: (object) => object, take: replaceMembers }
  return {
    resource,
    kind: type,
    message: type.message,
    show: (object) => type.fromStorage(object),
    take: (object, shown) => replaceMembers(object, type.toStorage(shown)),
  }
}

/** Of a type whose objects are converted: they are of the version of the request, `type`, and are shown as `other`. */
function converted(type: ResourceType, other: ResourceType, subresource: string): ShownAs {
  const { group, version, plural } = other
  const resource = { group, version, resource: plural }
  // A scale says the same in all versions.
  if (subresource === 'scale') return { ...shownAs(type, subresource), resource }
  const shownObjects = new Map<ApiObject, ApiObject>()
  return {
    resource,
    kind: other,
    message: other.message,
    async prepare({ object, oldObject }) {
      const objects = [object, oldObject].filter((one) => one !== undefined)
      const shown = (await type.conversion?.shown(objects, other.apiVersion)) ?? ok(objects)
      if (!shown.ok) return shown
      for (const [index, one] of objects.entries()) shownObjects.set(one, shown.value[index] ?? one)
      return ok(undefined)
    },
    show(object) {
      const shown = shownObjects.get(object)
      if (shown === undefined) throw new TypeError('an object is shown that was not converted')
      return shown
    },
    async take(object, shown) {
      const back = await other.conversion?.shown([shown], type.apiVersion)
      if (back?.ok === false) return back
      shownObjects.set(object, structuredClone(shown))
      return replaceMembers(object, back?.value[0] ?? shown)
    },
  }
}

/** Whoever holds the object holds the new one. */
function replaceMembers(object: ApiObject, by: ApiObject): Taken {
  for (const name of Object.keys(object)) if (!Object.hasOwn(by, name)) delete object[name]
  Object.assign(object, by)
  return taken
}

/** An object is plain JSON. */
export function jsonOf(object: ApiObject): JsonObject {
  return object as JsonObject
}
