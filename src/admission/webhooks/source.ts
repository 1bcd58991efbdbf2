/** The webhooks that are configured now, in the order in which they are asked: by configuration, then as it lists them. */

import type { Clock, Timer } from '../../../store/contract.ts'
import { createInformer, type Informer } from '../../controllers/informer.ts'
import type { Names } from '../../names/names.ts'
import type { Log } from '../../observe/log.ts'
import type { Storage } from '../../storage/contract.ts'
import type { ApiObject } from '../../types/object.ts'
import type { TypeRegistry } from '../../types/resource.ts'
import type { Hook, HookKind } from './hook.ts'

interface HookSourceParts {
  readonly names: Names
  readonly types: TypeRegistry
  readonly storage: Storage
  readonly clock: Clock
  readonly log: Log
}

export interface HookSource {
  /** Undefined = not known yet: wait for {@link ready}. */
  hooks(kind: HookKind): readonly Hook[] | undefined
  /** False = they are still not known after a while. */
  ready(): Promise<boolean>
  /** Hears of every change. */
  onChange(heard: () => void): void
  start(): void
  close(): void
}

/** How long a write waits for the configurations to be known. Milliseconds. */
const readyMs = 10_000

const plurals: Readonly<Record<HookKind, string>> = {
  mutating: 'mutatingwebhookconfigurations',
  validating: 'validatingwebhookconfigurations',
}
const kinds = ['mutating', 'validating'] as const

export function createHookSource(parts: HookSourceParts): HookSource {
  const { names, types, storage, clock, log } = parts
  const group = names.expand('admissionregistration.{groups}')
  const configurations = { mutating: new Map<string, ApiObject>(), validating: new Map<string, ApiObject>() }
  const compiled = new WeakMap<ApiObject, readonly Hook[]>()
  const current: Record<HookKind, readonly Hook[]> = { mutating: [], validating: [] }
  const informers = kinds.map(follow).filter((informer) => informer !== undefined)
  let isReady = false
  let heard = (): void => {}
  let rebuilt = Promise.resolve()
  let isRebuilding = false
  let isStale = false
  let settle = (): void => {}
  const known = new Promise<void>((resolve) => {
    settle = resolve
  })

  /** Undefined = the resource is switched off, and there are none. */
  function follow(kind: HookKind): Informer | undefined {
    const type = types.resource(group, 'v1', plurals[kind])
    if (type?.storage === undefined) return undefined
    return createInformer(
      { storage: storage.resource(type.storage), clock, log, resource: type.plural },
      {
        set(object) {
          configurations[kind].set(object.metadata.name ?? '', object)
          rebuild()
        },
        remove({ name }) {
          configurations[kind].delete(name)
          rebuild()
        },
      },
    )
  }

  /** Changes that come while one is worked in are worked in together afterwards. */
  function rebuild(): void {
    isStale = true
    if (!isRebuilding) rebuilt = rebuildAll()
  }

  async function rebuildAll(): Promise<void> {
    isRebuilding = true
    while (isStale) {
      isStale = false
      // Loaded with the first webhook: most servers have none, and expressions are a library of their own.
      const isNeeded = kinds.some((kind) => configurations[kind].size > 0)
      const hooksOf = isNeeded ? (await import('./hook.ts')).hooksOf : undefined
      for (const kind of kinds) {
        const inOrder = [...configurations[kind]].sort(([a], [b]) => (a < b ? -1 : 1))
        current[kind] = inOrder.flatMap(([, object]) => {
          const hooks = compiled.get(object) ?? hooksOf?.(kind, object) ?? []
          compiled.set(object, hooks)
          return hooks
        })
      }
      heard()
    }
    // In the turn of the last look: no change can come between the two.
    isRebuilding = false
  }

  return {
    hooks: (kind) => (isReady ? current[kind] : undefined),
    async ready() {
      let timer: Timer | undefined
      const late = new Promise<void>((resolve) => {
        timer = clock.after(readyMs, resolve)
      })
      await Promise.race([known, late])
      timer?.cancel()
      return isReady
    },
    onChange(listener) {
      heard = listener
    },
    start() {
      for (const informer of informers) informer.start()
      void Promise.all(informers.map(({ synced }) => synced))
        .then(() => rebuilt)
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
