/**
 * What plugins know of other objects: this worker's caches, as informers would have them. No read of the quorum on the
 * way of an ordinary request; only a name that the cache does not know is asked for once more, since it may be newer.
 */

import { fail, ok, type Result } from '../../store/contract.ts'
import type { ApiFailure } from '../status/status.ts'
import type { CachedObject, ObjectName, ResourceStorage, Storage } from '../storage/contract.ts'
import { readApiFailure } from '../storage/failures.ts'
import { parseObject } from '../storage/record.ts'
import { everything } from '../storage/selector/selector.ts'
import type { ApiObject } from '../types/object.ts'
import type { TypeRegistry } from '../types/resource.ts'

/** The objects of one resource, in the storage version. What is given out is shared: read only. */
export interface Lookup {
  /** undefined = there is none, nor was there a moment ago. */
  get(name: ObjectName): Promise<Result<ApiObject | undefined, ApiFailure>>
  /** All of a namespace ('' = of the cluster), by name; as the cache has them, unless the newest are asked for. */
  list(namespace: string, freshness?: 'cached' | 'newest'): Promise<Result<readonly ApiObject[], ApiFailure>>
}

/** By storage prefix. A resource that is not served has no objects. */
export type Lookups = (prefix: string) => Lookup

export function createLookups(types: TypeRegistry, storage: Storage): Lookups {
  const parsed = new WeakMap<CachedObject, ApiObject>()

  function parse(found: CachedObject): ApiObject {
    const known = parsed.get(found)
    if (known !== undefined) return known
    const object = parseObject(found)
    parsed.set(found, object)
    return object
  }

  return (prefix) => {
    const identity = types.stored(prefix)?.storage
    return identity === undefined ? nothing : lookUpIn(storage.resource(identity), parse)
  }
}

const nothing: Lookup = {
  get: async () => ok(undefined),
  list: async () => ok([]),
}

function lookUpIn(storage: ResourceStorage, parse: (found: CachedObject) => ApiObject): Lookup {
  return {
    async get(name) {
      let found = await storage.cached(name)
      if (found.ok && found.value === undefined) found = await storage.get(name, { type: 'mostRecent' })
      if (!found.ok) return fail(readApiFailure(found.failure))
      return ok(found.value === undefined ? undefined : parse(found.value))
    },
    async list(namespace, freshness = 'cached') {
      const page = await storage.list({
        ...(namespace === '' ? {} : { namespace }),
        selector: everything,
        start: { type: freshness === 'cached' ? 'any' : 'mostRecent' },
      })
      return page.ok ? ok(page.value.items.map(parse)) : fail(readApiFailure(page.failure))
    },
  }
}
