/**
 * Ends the life of namespaces: deletes what is in a terminating namespace until nothing is left, then takes this
 * product's finalizer from its spec, which removes it.
 *
 * Every write is guarded, so that several of these may run; a namespace that cannot be emptied yet (its objects wait
 * for finalizers or grace periods) is looked at again and again, ever more slowly.
 *
 * Source: specification, "States and transitions": a namespaced object is deleted with its namespace.
 */

import type { Timer } from '../../store/contract.ts'
import { ok } from '../../store/contract.ts'
import { parseStored } from '../codec/shape.ts'
import { isJsonObject } from '../json.ts'
import { deleteOne } from '../registry/delete.ts'
import { inBackground } from '../registry/delete-options.ts'
import { guardedWrite } from '../registry/guarded-write.ts'
import { type Machinery, type ResourceRoute, timestamp } from '../registry/machinery.ts'
import { isTerminating } from '../registry/metadata.ts'
import { createOwnership, type Ownership } from '../registry/ownership.ts'
import { isFree } from '../registry/update-rules.ts'
import { everything } from '../storage/selector/selector.ts'
import type { ApiObject } from '../types/object.ts'
import { systemUser } from './bootstrap.ts'
import type { Controller, Routes } from './controller.ts'
import { followTerminating } from './follow-terminating.ts'
import { type Leftovers, withConditions } from './namespace-conditions.ts'

const retryMinMs = 100
const retryMaxMs = 15_000
/** Deletions under way at once, for one namespace and resource. */
const concurrency = 8

/** Sweeps in a row; the last must find nothing, so that what came in late is not left behind. */
const passesMax = 5

/** What one pass over the content has found, and what is left of it. */
interface Swept extends Leftovers {
  readonly found: number
}

interface Sweep {
  found: number
  readonly remaining: Map<string, number>
  readonly finalizers: Map<string, number>
  readonly problems: string[]
}

const manager = 'namespace-controller'

export function createNamespaceController(machinery: Machinery, routes: Routes): Controller {
  const { clock, log } = machinery
  /** By namespace: what runs or waits for it. Present = it is being looked after. */
  const pending = new Map<string, Timer | undefined>()
  let closed = false
  const statusOwnership = namespaceStatusOwnership(machinery)
  let stopFollowing = () => {}

  function lookAfter(name: string): void {
    if (closed || pending.has(name)) return
    pending.set(name, undefined)
    void attempt(name, retryMinMs)
  }

  async function attempt(name: string, delayMs: number): Promise<void> {
    const outcome = await emptyAndFinalize(name).catch((error: unknown) => String(error))
    if (closed || outcome === 'gone') {
      pending.delete(name)
      return
    }
    if (outcome !== 'waiting') log.warn('a namespace could not be emptied', { namespace: name, outcome })
    const timer = clock.after(delayMs, () => void attempt(name, Math.min(delayMs * 2, retryMaxMs)))
    pending.set(name, timer)
  }

  /** `gone`: nothing more to do. `waiting`: objects are still there. Else what went wrong. */
  async function emptyAndFinalize(name: string): Promise<string> {
    const route = routes.route('', 'v1', 'namespaces')
    if (route === undefined) return 'gone'
    const found = await route.storage.get({ namespace: '', name }, { type: 'mostRecent' })
    if (!found.ok) return found.failure.code
    if (found.value === undefined) return 'gone'
    const refreshed = await machinery.types.refresh()
    if (!refreshed.ok) return refreshed.failure.message
    for (let pass = 0; pass < passesMax; pass++) {
      const swept = await sweep(name)
      const last = swept.found === 0 || swept.remaining.size > 0 || swept.problems.length > 0
      if (!last) continue
      const problem = (await report(route, name, swept)) ?? swept.problems[0]
      if (problem !== undefined) return problem
      return swept.found === 0 ? finalize(route, name) : 'waiting'
    }
    return 'waiting'
  }

  /** Deletes everything in the namespace once. */
  async function sweep(namespace: string): Promise<Swept> {
    const swept = { found: 0, remaining: new Map(), finalizers: new Map(), problems: [] }
    for (const route of contentRoutes(machinery, routes)) await deleteAll(route, namespace, swept)
    return swept
  }

  async function deleteAll(route: ResourceRoute, namespace: string, swept: Sweep): Promise<void> {
    const page = await route.storage.list({ namespace, selector: everything, start: { type: 'mostRecent' } })
    if (!page.ok) {
      swept.problems.push(page.failure.code)
      return
    }
    const { items } = page.value
    swept.found += items.length
    const queue = items.values()
    const worker = async () => {
      for (const item of queue) {
        const done = await deleteOne(route, machinery, item, systemUser, inBackground)
        if (!done.ok) {
          if (done.failure.reason !== 'NotFound') swept.problems.push(done.failure.message)
        } else if (done.value.change !== 'remove') {
          count(swept.remaining, `${route.type.plural}.${route.type.group}`)
          const { finalizers = [] } = parseStored(done.value.json).metadata
          for (const finalizer of finalizers) count(swept.finalizers, finalizer)
        }
      }
    }
    await Promise.all(Array.from({ length: concurrency }, worker))
  }

  /** Says in its status what the namespace waits for. Returns what is in the way of that. */
  async function report(
    route: ResourceRoute,
    name: string,
    leftovers: Leftovers,
  ): Promise<string | undefined> {
    const now = timestamp(clock)
    const done = await guardedWrite(route, {
      name: { namespace: '', name },
      dryRun: false,
      async change(old) {
        const object = isTerminating(old) ? withConditions(old, leftovers, now) : undefined
        if (object === undefined) return ok({ type: 'none' })
        statusOwnership?.track(old, object, { manager, now })
        return ok({ type: 'write', object })
      },
    })
    return done.ok || done.failure.reason === 'NotFound' ? undefined : done.failure.message
  }

  async function finalize(route: ResourceRoute, name: string): Promise<string> {
    const done = await guardedWrite(route, {
      name: { namespace: '', name },
      dryRun: false,
      async change(old) {
        if (!isTerminating(old)) return ok({ type: 'none' })
        const object = withoutFinalizer(old, machinery.names.product)
        return ok({ type: isFree(object, route) ? 'remove' : 'write', object })
      },
    })
    if (!done.ok) return done.failure.reason === 'NotFound' ? 'gone' : done.failure.message
    return 'gone'
  }

  return {
    start() {
      const route = routes.route('', 'v1', 'namespaces')
      if (route !== undefined) stopFollowing = followTerminating(route, machinery, lookAfter)
    },
    close() {
      closed = true
      stopFollowing()
      for (const timer of pending.values()) timer?.cancel()
    },
  }
}

function namespaceStatusOwnership({ names, types }: Machinery): Ownership | undefined {
  const type = types.resource('', 'v1', 'namespaces')
  return type === undefined ? undefined : createOwnership(type, 'status', names, types)
}

function count(counts: Map<string, number>, what: string): void {
  counts.set(what, (counts.get(what) ?? 0) + 1)
}

/** One route for each stored resource that lives in namespaces; versions of one resource share one. */
function contentRoutes({ types }: Machinery, routes: Routes): readonly ResourceRoute[] {
  return types.places.flatMap(({ namespaced, storage }) => {
    const route = namespaced && storage !== undefined ? routes.stored(storage.prefix) : undefined
    return route === undefined ? [] : [route]
  })
}

function withoutFinalizer(namespace: ApiObject, finalizer: string): ApiObject {
  const spec = namespace['spec']
  const finalizers = isJsonObject(spec) && Array.isArray(spec['finalizers']) ? spec['finalizers'] : []
  const left = finalizers.filter((one) => one !== finalizer)
  const { finalizers: _finalizers, ...rest } = isJsonObject(spec) ? spec : {}
  return { ...namespace, spec: left.length === 0 ? rest : { ...rest, finalizers: left } }
}
