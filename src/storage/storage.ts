/** All storage of one worker. */

import assert from 'node:assert/strict'
import type { Clock, Corrupt, Result, Revision, Store, Timer, Unavailable } from '../../store/contract.ts'
import { fail, ok } from '../../store/contract.ts'
import { createDeadlines } from './cache/deadlines.ts'
import { claimOfKey, claimRange } from './claims.ts'
import type { ResourceStorage, Storage } from './contract.ts'
import type { ResourceCounters } from './counters.ts'
import { defaultLimits, type StorageLimits } from './limits.ts'
import { createReader } from './reader.ts'
import { createResource, type OwnedResource } from './resource.ts'
import type { View } from './watch/view.ts'

interface StorageOptions {
  readonly store: Store
  readonly clock: Clock
  /** 0 ≤ x < 1; spreads retries and bookmarks. */
  readonly random?: () => number
  readonly limits?: Partial<StorageLimits>
  /** Runs an action in a later turn of the event loop; absent = `setImmediate`. */
  readonly defer?: (action: () => void) => void
}

export interface ObservableStorage extends Storage {
  /** What each resource in use has counted, by the prefix of its keys. */
  counters(): ReadonlyMap<string, Readonly<ResourceCounters>>
  /** Objects of a resource in a namespace, or all (undefined), and its watchers; undefined = it is not in use. */
  load(prefix: string, namespace: string | undefined): ResourceLoad | undefined
}

interface ResourceLoad {
  readonly objects: number
  readonly watchers: number
}

/** As long as a request may take. */
const retiredMs = 60_000

/** Does nothing until a resource is used. */
export function createStorage(options: StorageOptions): ObservableStorage {
  const { store, clock, random = Math.random } = options
  const defer = options.defer ?? ((action: () => void) => void setImmediate(action))
  const limits: StorageLimits = { ...defaultLimits, ...options.limits }
  const deadlines = createDeadlines(clock, limits.timerResolutionMs)
  const resources = new Map<string, OwnedResource>()
  /** Released, and in use by those who had them in their hands. */
  const retired = new Map<OwnedResource, Timer>()
  const readIndex = sharePerTurn(() => store.readIndex())
  const requestFlush = createFlusher(defer)
  let closed = false

  return {
    resource(identity): ResourceStorage {
      const { prefix } = identity
      const known = resources.get(prefix)
      if (known !== undefined) return known
      const made = createResource({
        prefix,
        read: createReader(identity),
        store,
        clock,
        random,
        limits,
        deadlines,
        readIndex,
        defer,
        requestFlush,
      })
      if (closed) made.close()
      resources.set(prefix, made)
      return made
    },

    readIndex,

    endWatches: ({ prefix }) => resources.get(prefix)?.endWatches(),

    release({ prefix }) {
      const released = resources.get(prefix)
      if (released === undefined) return
      resources.delete(prefix)
      released.endWatches()
      if (closed) return
      const timer = clock.after(retiredMs, () => {
        retired.delete(released)
        released.close()
      })
      retired.set(released, timer)
    },

    async claimed(space) {
      const found = await store.range({ ...claimRange(space), keysOnly: true })
      if (!found.ok) {
        const { failure } = found
        assert(failure.code === 'Unavailable' || failure.code === 'Corrupt', 'no revision was asked for')
        return fail(failure)
      }
      return ok(new Set(found.value.entries.map(({ key }) => claimOfKey(key)?.name ?? '')))
    },

    counters: () => new Map([...resources].map(([prefix, { counters }]) => [prefix, counters])),

    load(prefix, namespace) {
      const resource = resources.get(prefix)
      return resource === undefined
        ? undefined
        : { objects: resource.count(namespace), watchers: resource.counters.watchers }
    },

    async close() {
      closed = true
      for (const resource of resources.values()) resource.close()
      for (const [resource, timer] of retired) {
        timer.cancel()
        resource.close()
      }
      deadlines.close()
    },
  }
}

type ReadIndex = () => Promise<Result<Revision, Unavailable | Corrupt>>

/**
 * The calls of one turn share one round. It starts after all of them, so its answer is new enough for each
 * (Ongaro's thesis, section 6.4).
 */
function sharePerTurn(ask: ReadIndex): ReadIndex {
  let shared: ReturnType<ReadIndex> | undefined
  return () => {
    shared ??= Promise.resolve().then(() => {
      shared = undefined
      return ask()
    })
    return shared
  }
}

/** Flushes the views that an event has touched, all at the end of the turn. */
function createFlusher(defer: (action: () => void) => void): (view: View) => void {
  let dirty: View[] = []
  return (view) => {
    if (dirty.length === 0) {
      defer(() => {
        const views = dirty
        dirty = []
        for (const touched of views) touched.flush()
      })
    }
    dirty.push(view)
  }
}
