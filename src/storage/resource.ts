/** The objects of one resource: reads from the cache, guarded writes to the store. */

import type {
  Clock,
  CommitFailure,
  Guard,
  Operation,
  Result,
  Revision,
  Store,
  TooLarge,
  Transaction,
} from '../../store/contract.ts'
import { fail, keyBytesMax, revision as mintRevision, ok } from '../../store/contract.ts'
import { ResourceCache } from './cache/cache.ts'
import type { Deadlines } from './cache/deadlines.ts'
import { type ClaimChanges, claimGuards, claimOfKey, claimOperations } from './claims.ts'
import type { CachedObject, NewRecord, ObjectName, ResourceStorage, StorageWriteFailure } from './contract.ts'
import { createCounters, type ResourceCounters } from './counters.ts'
import { objectKey } from './keys.ts'
import type { StorageLimits } from './limits.ts'
import { createLister } from './lister.ts'
import type { RecordReader } from './reader.ts'
import { StoredObject } from './record.ts'
import type { View } from './watch/view.ts'
import { WatchHub } from './watch/watch-hub.ts'

interface ResourceOptions {
  readonly prefix: string
  readonly read: RecordReader
  readonly store: Store
  readonly clock: Clock
  readonly random: () => number
  readonly limits: StorageLimits
  readonly deadlines: Deadlines
  readonly readIndex: Store['readIndex']
  readonly defer: (action: () => void) => void
  readonly requestFlush: (view: View) => void
}

export interface OwnedResource extends ResourceStorage {
  readonly counters: ResourceCounters
  /** Objects in a namespace, or all (undefined), as far as they are known yet. */
  count(namespace: string | undefined): number
  endWatches(): void
  close(): void
}

export function createResource(options: ResourceOptions): OwnedResource {
  const { prefix, read, store } = options
  const counters = createCounters()
  const cache = new ResourceCache(
    { ...options, counters },
    {
      onEvent: (event) => hub.onEvent(event),
      onLost: (failure) => hub.failAll(failure),
    },
  )
  const hub = new WatchHub({ ...options, cache, counters })
  const list = createLister({ ...options, cache, counters })

  async function write(
    name: ObjectName,
    base: Revision,
    newRecord: NewRecord,
  ): Promise<Result<CachedObject, StorageWriteFailure>> {
    const key = objectKey(prefix, name)
    if (key === undefined) return fail(nameTooLong(name))
    const { record: value, ttlMs, claims, guards = noGuards } = newRecord
    const put: Operation = { type: 'put', key, value, ...(ttlMs === undefined ? {} : { ttlMs }) }
    const { ops, guards: own } = transactionOf({ key, modRevision: base }, put, claims)
    const answer = await store.commit({ guards: guards.length === 0 ? own : [...own, ...guards], ops })
    if (!answer.ok) {
      const { failure } = answer
      const isOutdated = failure.code === 'GuardFailed' && guards.some((guard) => guard.key === failure.key)
      return fail(isOutdated ? { code: 'Outdated' } : writeFailure(failure))
    }
    const { revision } = answer.value
    // The event of a write comes ahead of its answer, as a rule: then the cache has the object already.
    const held = cache.isReady ? cache.get(key) : undefined
    return held?.revision === revision ? ok(held) : read({ key, value, modRevision: revision })
  }

  function writeFailure(failure: CommitFailure): StorageWriteFailure {
    if (failure.code !== 'GuardFailed') return failure
    const claim = claimOfKey(failure.key)
    if (claim !== undefined) return { code: 'Claimed', claim }
    if (failure.current === undefined) return { code: 'Moved', current: undefined }
    const current = read(failure.current)
    return current.ok ? { code: 'Moved', current: current.value } : current.failure
  }

  return {
    counters,
    count: (namespace) => cache.count(namespace),
    list,

    async get(name, freshness) {
      const reached = await cache.reach(freshness)
      return reached.ok ? ok(lookUp(name)) : reached
    },

    peek: (name) => (cache.isReady ? lookUp(name) : undefined),

    async cached(name) {
      const loaded = await cache.reach({ type: 'any' })
      return loaded.ok ? ok(lookUp(name)) : loaded
    },

    watch: (request, open) => hub.start(request, open),

    create: (name, newRecord) => write(name, mintRevision(0), newRecord),

    replace: (name, base, newRecord) => write(name, base, newRecord),

    async remove(name, base, claims) {
      const key = objectKey(prefix, name)
      if (key === undefined || !(base instanceof StoredObject))
        throw new TypeError('not an object of this storage')
      const guard = { key, modRevision: base.revision }
      const answer = await store.commit(transactionOf(guard, { type: 'delete', key }, claims))
      return answer.ok ? ok(base.at(answer.value.revision)) : fail(writeFailure(answer.failure))
    },

    endWatches: () => hub.closeAll(),

    close() {
      hub.closeAll()
      cache.close()
    },
  }

  function lookUp(name: ObjectName): CachedObject | undefined {
    const key = objectKey(prefix, name)
    return key === undefined ? undefined : cache.get(key)
  }
}

const noGuards: readonly Guard[] = []

/** The change of one object, and what it takes and frees with it. */
function transactionOf(guard: Guard, operation: Operation, claims: ClaimChanges | undefined): Transaction {
  if (claims === undefined) return { guards: [guard], ops: [operation] }
  return {
    guards: [guard, ...claimGuards(claims)],
    ops: [operation, ...claimOperations(claims, guard.key)],
  }
}

function nameTooLong({ namespace, name }: ObjectName): TooLarge {
  const found = Buffer.byteLength(namespace) + Buffer.byteLength(name)
  return { code: 'TooLarge', found, limit: keyBytesMax, what: 'name' }
}
