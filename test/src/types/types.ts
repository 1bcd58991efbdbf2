/** The types of a server, for tests. */

import { createNames } from '../../../src/names/names.ts'
import { createObjectCodec, type ObjectCodec } from '../../../src/types/codec.ts'
import type { ApiObject } from '../../../src/types/object.ts'
import { createTypeRegistry } from '../../../src/types/registry.ts'
import type { ResourceType, TypeRegistry } from '../../../src/types/resource.ts'

export const names = createNames('kubernetes')

/** All versions, also those that are not served by default. */
export const everything: ReadonlyMap<string, boolean> = new Map([['api/all', true]])

export const allGates: ReadonlyMap<string, boolean> = new Map([['AllAlpha', true]])

export function types(
  runtimeConfig: ReadonlyMap<string, boolean> = new Map(),
  featureGates: ReadonlyMap<string, boolean> = new Map(),
): TypeRegistry {
  const created = createTypeRegistry({ names, runtimeConfig, featureGates })
  if (!created.ok) throw new Error(created.failure.message)
  return created.value
}

export function codec(featureGates: ReadonlyMap<string, boolean> = new Map()): ObjectCodec {
  return createObjectCodec({ names, featureGates })
}

/** `apps/v1 Deployment`, `v1 Pod`. */
export function typeOf(registry: TypeRegistry, apiVersion: string, kind: string): ResourceType {
  const [first = '', second] = apiVersion.split('/')
  const type = second === undefined ? registry.kind('', first, kind) : registry.kind(first, second, kind)
  if (type === undefined) throw new Error(`${apiVersion} ${kind} is not served`)
  return type
}

export function decoded(objects: ObjectCodec, type: ResourceType, body: unknown): ApiObject {
  const result = objects.decode(type.message, structuredClone(body) as ApiObject as never)
  if (!result.ok) throw new Error(result.failure.message)
  return result.value.object
}

/** What the verbs do with a body, up to what is stored; then as it is answered. */
export function created(registry: TypeRegistry, objects: ObjectCodec, body: ApiObject): ApiObject {
  const type = typeOf(registry, body.apiVersion, body.kind)
  const object = decoded(objects, type, body)
  objects.applyDefaults(type.message, object)
  const stored = type.toStorage(object)
  stored.metadata.uid = 'uid-1'
  if (type.strategy.status && type.strategy.keepsStatusOnCreate !== true) delete stored['status']
  type.strategy.prepareForCreate?.(stored, {
    now: '2024-01-01T00:00:00Z',
    user: { name: 'jane', uid: '7', groups: ['writers'], extra: new Map() },
  })
  return type.fromStorage(objects.normalize(type.storageMessage, stored))
}
