/**
 * What an owner reference leads to, asked of the store itself: the collector deletes nothing because of what it
 * remembers.
 *
 * Source: garbage collection as the Kubernetes API documents it: owners live in the dependent's namespace or in the
 * cluster; what is not found there is absent, an owner in another namespace too.
 */

import { fail, type Key, ok, type Result, type Store } from '../../../store/contract.ts'
import { keyAfter, objectKey } from '../../storage/keys.ts'
import { decodeRecord, parseObject } from '../../storage/record.ts'
import type { ApiObject } from '../../types/object.ts'
import type { ResourceType, TypeRegistry } from '../../types/resource.ts'
import type { OwnerKeyOf } from './graph.ts'
import { type Item, itemOfObject, objectNameOfKey, prefixOfKey, type Reference } from './item.ts'

/** Where a reference leads. */
type Target =
  | { readonly type: 'at'; readonly key: Key }
  /** Nothing can be there. */
  | { readonly type: 'nowhere' }
  /** This server does not know; `why` is for people. */
  | { readonly type: 'unknown'; readonly why: string }

export interface Owners {
  targetOf(dependent: Key, reference: Reference): Target
  readonly keyOf: OwnerKeyOf
  /** The newest state of an object; undefined = it is not there. The failure is for people. */
  read(key: Key): Promise<Result<LiveItem | undefined, string>>
}

export interface LiveItem {
  readonly item: Item
  readonly object: ApiObject
  readonly resourceVersion: string
}

/** Where the objects of a kind are. */
interface Place {
  readonly prefix: string
  readonly namespaced: boolean
}

export function createOwners(types: Pick<TypeRegistry, 'kind'>, store: Store): Owners {
  /** Of kinds that somebody referred to while they were served: what goes with its definition is gone, not unknown. */
  const places = new Map<string, Place>()

  function placeOf(apiVersion: string, kind: string): Place | undefined {
    const type = typeOf(types, apiVersion, kind)
    const id = `${apiVersion} ${kind}`
    if (type?.storage === undefined) return places.get(id)
    const place = { prefix: type.storage.prefix, namespaced: type.namespaced }
    if (type.custom !== undefined) places.set(id, place)
    return place
  }

  function targetOf(dependent: Key, { apiVersion, kind, name }: Reference): Target {
    const place = placeOf(apiVersion, kind)
    if (place === undefined) return { type: 'unknown', why: `no kind ${kind} in ${apiVersion} is served` }
    const { namespace } = objectNameOfKey(dependent)
    if (place.namespaced && namespace === '') {
      return {
        type: 'unknown',
        why: `${kind} ${name} lives in a namespace and cannot own a cluster-scoped object`,
      }
    }
    const key = objectKey(place.prefix, { namespace: place.namespaced ? namespace : '', name })
    return key === undefined ? { type: 'nowhere' } : { type: 'at', key }
  }

  return {
    targetOf,
    keyOf(dependent, reference) {
      const target = targetOf(dependent, reference)
      return target.type === 'at' ? target.key : undefined
    },
    async read(key) {
      const at = await store.readIndex()
      if (!at.ok) return fail(at.failure.message)
      const found = await store.range({ start: key, end: keyAfter(key), limit: 1 })
      if (!found.ok) return fail(`the store says ${found.failure.code}`)
      // The store answers as applied here, which may trail what the quorum knows.
      if (found.value.revision < at.value) return fail('the store is behind the quorum')
      const [entry] = found.value.entries
      if (entry === undefined) return ok(undefined)
      const record = decodeRecord(prefixOfKey(key) ?? '', entry)
      if (!record.ok) return fail(record.failure.message)
      const object = parseObject(record.value)
      return ok({ item: itemOfObject(object), object, resourceVersion: String(entry.modRevision) })
    },
  }
}

function typeOf(
  types: Pick<TypeRegistry, 'kind'>,
  apiVersion: string,
  kind: string,
): ResourceType | undefined {
  const slash = apiVersion.indexOf('/')
  const [group, version] =
    slash < 0 ? ['', apiVersion] : [apiVersion.slice(0, slash), apiVersion.slice(slash + 1)]
  return types.kind(group, version, kind)
}
