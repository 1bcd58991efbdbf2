/**
 * What an administrator has configured through the API, as data to work with: the objects of some resources of the group
 * `admissionregistration`, followed, and what is built of them, anew after every change.
 */

import type { Clock } from '../../../store/contract.ts'
import { createInformer, type Informer } from '../../controllers/informer.ts'
import type { Names } from '../../names/names.ts'
import type { Log } from '../../observe/log.ts'
import type { Storage } from '../../storage/contract.ts'
import type { ApiObject } from '../../types/object.ts'
import type { TypeRegistry } from '../../types/resource.ts'
import { whenReady } from '../ready.ts'

export interface FollowedParts {
  readonly names: Names
  readonly types: TypeRegistry
  readonly storage: Storage
  readonly clock: Clock
  readonly log: Log
}

/** All objects of one resource, by name. */
type Configured = ReadonlyMap<string, ApiObject>

interface FollowedOptions<R extends string, T> {
  readonly resources: readonly R[]
  /** While there is nothing. */
  readonly empty: T
  /** Called while there is something; may load what it needs. */
  build(objects: Readonly<Record<R, Configured>>): Promise<T>
}

export interface Followed<T> {
  /** Undefined = not known yet: wait for {@link ready}. */
  readonly current: T | undefined
  /** Settles when it is known, or is still not after a while. */
  ready(): Promise<void>
  /** Hears of every change. */
  onChange(heard: () => void): void
  start(): void
  close(): void
}

export function createFollowed<R extends string, T>(
  { names, types, storage, clock, log }: FollowedParts,
  { resources, empty, build }: FollowedOptions<R, T>,
): Followed<T> {
  const group = names.expand('admissionregistration.{groups}')
  const objects = Object.fromEntries(
    resources.map((resource) => [resource, new Map<string, ApiObject>()]),
  ) as Record<R, Map<string, ApiObject>>
  const informers = resources.map(follow).filter((informer) => informer !== undefined)
  let value = empty
  let isReady = false
  let heard = (): void => {}
  let built = Promise.resolve()
  let isBuilding = false
  let isStale = false
  let settle = (): void => {}
  const known = new Promise<void>((resolve) => {
    settle = resolve
  })

  /** Undefined = the resource is switched off, and there are none. */
  function follow(resource: R): Informer | undefined {
    const type = types.resource(group, 'v1', resource)
    if (type?.storage === undefined) return undefined
    return createInformer(
      { storage: storage.resource(type.storage), clock, log, resource },
      {
        set(object) {
          objects[resource].set(object.metadata.name ?? '', object)
          rebuild()
        },
        remove({ name }) {
          objects[resource].delete(name)
          rebuild()
        },
      },
    )
  }

  /** Changes that come while one is worked in are worked in together afterwards. */
  function rebuild(): void {
    isStale = true
    if (!isBuilding) built = buildAll()
  }

  async function buildAll(): Promise<void> {
    isBuilding = true
    while (isStale) {
      isStale = false
      value = resources.some((resource) => objects[resource].size > 0) ? await build(objects) : empty
      heard()
    }
    // In the turn of the last look: no change can come between the two.
    isBuilding = false
  }

  return {
    get current() {
      return isReady ? value : undefined
    },
    ready: () => whenReady(known, clock),
    onChange(listener) {
      heard = listener
    },
    start() {
      for (const informer of informers) informer.start()
      void Promise.all(informers.map(({ synced }) => synced))
        .then(() => built)
        .then(() => {
          isReady = true
          settle()
        })
    },
    close() {
      for (const informer of informers) informer.close()
    },
  }
}

/** In the order of their names. */
export function inOrder(objects: Configured): readonly ApiObject[] {
  return [...objects].sort(([a], [b]) => (a < b ? -1 : 1)).map(([, object]) => object)
}
