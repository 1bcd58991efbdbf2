/** What stands behind each subresource: which part of the object it shows, and what it lets a client change. */

import { fail, ok } from '../../store/contract.ts'
import { isJsonObject } from '../json.ts'
import type { Names } from '../names/names.ts'
import { invalidValue } from '../status/causes.ts'
import { invalid } from '../status/failures.ts'
import type { ApiFailure } from '../status/status.ts'
import type { ApiObject, ObjectMeta } from '../types/object.ts'
import type { Kind, MetadataPart, ResourceType, ScaleAdapter, Subresource } from '../types/resource.ts'
import { type Facet, mainFacet, setMember } from './facet.ts'
import type { Ownership } from './ownership.ts'
import { bindingCreator } from './pods/binding.ts'
import { ephemeralContainerCauses } from './pods/ephemeral-containers.ts'
import { evictionCreator } from './pods/eviction.ts'
import { scaleAppliedThrough } from './scale-configuration.ts'

/** Undefined = this server has nothing behind that subresource. */
export function facetOf(
  type: ResourceType,
  subresource: Subresource,
  ownership: Ownership,
  names: Names,
): Facet | undefined {
  switch (subresource.name) {
    case 'status': {
      const { validateStatusUpdate: validateUpdate } = type.strategy
      return {
        ...partFacet(type, subresource, ownership, (object, body) =>
          setMember(object, 'status', body['status']),
        ),
        ...(validateUpdate === undefined ? {} : { validateUpdate }),
      }
    }
    case 'approval':
      return partFacet(type, subresource, ownership, (object, body) =>
        copyInto(object, body, 'status', 'conditions'),
      )
    case 'finalize':
      return partFacet(type, subresource, ownership, (object, body) =>
        copyInto(object, body, 'spec', 'finalizers'),
      )
    case 'ephemeralcontainers': {
      const mirrorKey = names.expand('{labels}/config.mirror')
      return {
        ...partFacet(type, subresource, ownership, (object, body, old) => {
          copyInto(object, body, 'spec', 'ephemeralContainers')
          // The identity that the body claims is checked later; labels and annotations are not this path's.
          const { name, uid } = body.metadata
          object.metadata = {
            ...old.metadata,
            ...(name === undefined ? {} : { name }),
            ...(uid === undefined ? {} : { uid }),
          }
        }),
        validateUpdate: (object, old) => ephemeralContainerCauses(object, old, mirrorKey),
      }
    }
    case 'binding':
      return { ...mainFacet(type, ownership), create: bindingCreator(subresource) }
    case 'eviction':
      return { ...mainFacet(type, ownership), create: evictionCreator(subresource) }
    case 'scale':
      return type.scale === undefined ? undefined : scaleFacet(type, subresource, type.scale, ownership)
    default:
      return undefined
  }
}

/** Copies `body[outer][inner]`, without touching what `object[outer]` shares with the old object. */
function copyInto(object: ApiObject, body: ApiObject, outer: string, inner: string): void {
  const before = object[outer]
  const given = body[outer]
  const value = isJsonObject(given) ? given[inner] : undefined
  const { [inner]: _replaced, ...rest } = isJsonObject(before) ? before : {}
  object[outer] = value === undefined ? rest : { ...rest, [inner]: value }
}

const statusPaths: ReadonlySet<string> = new Set(['status', 'approval'])

/** One part of the object, and what clients may change of its metadata: agents that report status keep notes there. */
function partFacet(
  type: ResourceType,
  subresource: Subresource,
  ownership: Ownership,
  copy: (object: ApiObject, body: ApiObject, old: ApiObject) => void,
): Facet {
  return {
    subresource: subresource.name,
    ownership,
    expected: { kind: subresource.kind, message: subresource.message },
    show: (stored) => type.fromStorage(stored),
    merge(given, old, context) {
      const body = type.toStorage(given)
      const metadata = { ...body.metadata }
      const { keptByStatus = [] } = type.strategy
      if (subresource.name === 'status') keepParts(metadata, old.metadata, keptByStatus)
      // Who keeps owners from being changed here keeps a deletion from being begun here.
      if (keptByStatus.includes('ownerReferences')) delete metadata.deletionTimestamp
      const object: ApiObject = { ...old, metadata }
      copy(object, body, old)
      if (statusPaths.has(subresource.name)) type.strategy.prepareForStatus?.(object, old, context)
      return ok(object)
    },
  }
}

function keepParts(metadata: ObjectMeta, old: ObjectMeta, parts: readonly MetadataPart[]): void {
  for (const part of parts) delete metadata[part]
  for (const part of parts) if (old[part] !== undefined) Object.assign(metadata, { [part]: old[part] })
}

function scaleFacet(
  type: ResourceType,
  subresource: Subresource,
  adapter: ScaleAdapter,
  ownership: Ownership,
): Facet {
  return {
    subresource: subresource.name,
    ownership,
    expected: { kind: subresource.kind, message: subresource.message },
    applied: scaleAppliedThrough(type, subresource.kind, adapter),
    ...(adapter.absent === undefined ? {} : { absent: adapter.absent }),
    ...(adapter.readFailure === undefined ? {} : { readFailure: adapter.readFailure }),
    show: (stored) => adapter.read(stored),
    merge(body, old) {
      const spec = body['spec']
      const replicas = isJsonObject(spec) && typeof spec['replicas'] === 'number' ? spec['replicas'] : 0
      const refusal =
        adapter.writeFailure === undefined
          ? negativeReplicas(subresource.kind, old, replicas)
          : adapter.writeFailure(old, replicas)
      if (refusal !== undefined) return fail(refusal)
      const object = structuredClone(old)
      adapter.write(object, replicas)
      return ok(object)
    },
  }
}

function negativeReplicas(kind: Kind, { metadata }: ApiObject, replicas: number): ApiFailure | undefined {
  if (replicas >= 0) return undefined
  const cause = invalidValue('spec.replicas', replicas, 'must be greater than or equal to 0')
  return invalid(kind, metadata.name ?? '', [cause])
}
