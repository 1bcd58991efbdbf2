/** Fills a policy index from the stored roles and bindings, and keeps it so. */

import type { Clock } from '../../../store/contract.ts'
import { createInformer, type Follower, type Informer } from '../../controllers/informer.ts'
import type { Names } from '../../names/names.ts'
import type { Log } from '../../observe/log.ts'
import type { Storage } from '../../storage/contract.ts'
import type { TypeRegistry } from '../../types/resource.ts'
import { PolicyIndex } from './policy-index.ts'

interface PolicySource {
  readonly index: PolicyIndex
  start(): void
  /** Resolves when the index is whole; undefined = it is. */
  loading(): Promise<void> | undefined
  /**
   * Resolves when all these roles and bindings have been heard of since the start: true, or false after `withinMs`.
   * Once it was true it stays so.
   */
  heardOf(objects: readonly ObjectId[], withinMs: number): Promise<boolean>
  close(): void
}

interface ObjectId {
  readonly kind: string
  readonly metadata: { readonly namespace?: string; readonly name?: string }
}

interface Waiting {
  readonly missing: Set<string>
  readonly done: () => void
}

interface PolicySourceParts {
  readonly names: Names
  readonly types: TypeRegistry
  readonly storage: Storage
  readonly clock: Clock
  readonly log: Log
}

export function createPolicySource(parts: PolicySourceParts): PolicySource {
  const index = new PolicyIndex()
  /** What has been heard of, until somebody has waited for it: at start. */
  let heard: Set<string> | undefined = new Set()
  const waiting = new Set<Waiting>()

  function hear(object: ObjectId): void {
    const id = idOf(object)
    heard?.add(id)
    for (const one of waiting) if (one.missing.delete(id) && one.missing.size === 0) one.done()
  }

  const ofRoles: Follower = {
    set(role) {
      index.setRole(role)
      hear(role)
    },
    remove: (name) => index.removeRole(name),
  }
  const ofBindings: Follower = {
    set(binding) {
      index.setBinding(binding)
      hear(binding)
    },
    remove: (name) => index.removeBinding(name),
  }
  const informers = [
    informerOf('roles', ofRoles, parts),
    informerOf('clusterroles', ofRoles, parts),
    informerOf('rolebindings', ofBindings, parts),
    informerOf('clusterrolebindings', ofBindings, parts),
  ].filter((informer) => informer !== undefined)
  let isLoaded = false
  const loaded = Promise.all(informers.map(({ synced }) => synced)).then(() => {
    isLoaded = true
  })
  return {
    index,
    start() {
      for (const informer of informers) informer.start()
    },
    loading: () => (isLoaded ? undefined : loaded),
    async heardOf(objects, withinMs) {
      const missing = new Set(objects.map(idOf).filter((id) => heard?.has(id) === false))
      if (missing.size === 0) {
        heard = undefined
        return true
      }
      return new Promise((resolve) => {
        const finish = (complete: boolean) => {
          waiting.delete(one)
          timer.cancel()
          if (complete) heard = undefined
          resolve(complete)
        }
        const one: Waiting = { missing, done: () => finish(true) }
        const timer = parts.clock.after(withinMs, () => finish(false))
        waiting.add(one)
      })
    },
    close() {
      for (const informer of informers) informer.close()
    },
  }
}

function idOf({ kind, metadata: { namespace = '', name = '' } }: ObjectId): string {
  return `${kind}/${namespace}/${name}`
}

/** Undefined = the resource is switched off. */
function informerOf(
  resource: string,
  follower: Follower,
  { names, types, storage, clock, log }: PolicySourceParts,
): Informer | undefined {
  const type = types.resource(names.expand('rbac.authorization.{groups}'), 'v1', resource)
  if (type?.storage === undefined) return undefined
  return createInformer({ storage: storage.resource(type.storage), clock, log, resource }, follower)
}
