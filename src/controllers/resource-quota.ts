/**
 * Counts what is used of each quota: when the quota changes, when something that it bounds goes away or changes, and from time
 * to time. Admission charges what comes; this is where it is given back, and where a new quota begins to be enforced.
 *
 *     quota ─▶ queue ─▶ list what it bounds ─▶ status.hard, status.used
 *
 * Source: core/v1 ResourceQuota.
 */

import { isJsonObject, type JsonObject } from '../json.ts'
import { boundsFor, isInScopes, type Quota, readQuota } from '../quota/quota.ts'
import { usageOf } from '../quota/usage.ts'
import type { Machinery } from '../registry/machinery.ts'
import { sameJson } from '../same-json.ts'
import { parseObject } from '../storage/record.ts'
import { everything } from '../storage/selector/selector.ts'
import { type Amounts, addAmounts, count, pickAmounts, writeAmounts } from '../types/core/amounts.ts'
import { madeOfTypes } from '../types/made-of-types.ts'
import type { ApiObject } from '../types/object.ts'
import type { ResourceType, TypeRegistry } from '../types/resource.ts'
import { systemUser } from './bootstrap.ts'
import type { Controller, Routes } from './controller.ts'
import { createInformer, type Informer } from './informer.ts'
import { changeOwn, ownFacet } from './own-writes.ts'
import { createWorkQueue } from './work-queue.ts'

const controllerName = 'resourcequota-controller'
/** Every quota is counted again after this. */
const resyncMs = 5 * 60_000
/** Changes of a namespace that come together are counted together. */
const gatherMs = 250

export function createResourceQuotaController(machinery: Machinery, routes: Routes): Controller {
  const { names, clock, log, types, storage } = machinery
  const route = routes.route('', 'v1', 'resourcequotas')
  if (route === undefined) return { start() {}, close() {} }
  const facet = ownFacet(route, 'status', machinery)
  const write = { route, machinery, user: systemUser, manager: controllerName, facet }
  /** By namespace, then by key. */
  const quotas = new Map<string, Map<string, Quota>>()
  /** Of what some quota bounds, by storage prefix. */
  const followed = new Map<string, { readonly type: ResourceType; readonly informer: Informer }>()
  const bounded = madeOfTypes(types, () => boundedTypes(types))
  let forgetTypes = () => {}

  async function recount(key: string): Promise<string | undefined> {
    const [namespace = '', name = ''] = key.split('/')
    const before = await write.route.storage.get({ namespace, name }, { type: 'mostRecent' })
    if (!before.ok) return before.failure.code
    if (before.value === undefined) return undefined
    queue.addLater(key, resyncMs)
    const { revision } = before.value
    const quota = readQuota(parseObject(before.value))
    const used = await countUsed(quota)
    if (typeof used === 'string') return used
    let isCharged = false
    const done = await changeOwn(write, { namespace, name }, (object) => {
      // What was charged since is not in the count.
      isCharged = object.metadata.resourceVersion !== String(revision)
      return isCharged ? undefined : counted(object, quota, used)
    })
    if (!done.ok) return done.failure.reason === 'NotFound' ? undefined : done.failure.message
    return isCharged ? 'charged while it was counted' : undefined
  }

  /** The failure is a sentence. */
  async function countUsed(quota: Quota): Promise<Amounts | string> {
    const nowMs = clock.wallMs()
    let used: Amounts = new Map([...quota.wanted.keys()].map((name) => [name, count(0)]))
    for (const type of typesOf(quota)) {
      if (type.storage === undefined) continue
      const page = await storage.resource(type.storage).list({
        namespace: quota.namespace,
        selector: everything,
        start: { type: 'mostRecent' },
      })
      if (!page.ok) return page.failure.code
      for (const item of page.value.items) {
        const object = parseObject(item)
        if (!isInScopes(quota, type, object)) continue
        const usage = usageOf(type, object, { names, nowMs })
        used = addAmounts(
          used,
          pickAmounts(usage, (name) => quota.wanted.has(name)),
        )
      }
    }
    return used
  }

  function typesOf({ wanted }: Quota): readonly ResourceType[] {
    return bounded().filter((type) => boundsFor(wanted, type, names).length > 0)
  }

  function follow(type: ResourceType): void {
    const { storage: stored, plural } = type
    if (stored === undefined || followed.has(stored.prefix)) return
    const informer = createInformer(
      { storage: storage.resource(stored), clock, log, resource: plural },
      {
        set(object) {
          if (mayUseLess(type, object)) recountLater(type, object.metadata.namespace ?? '')
        },
        remove: ({ namespace }) => recountLater(type, namespace),
      },
    )
    followed.set(stored.prefix, { type, informer })
    informer.start()
  }

  /** Types come and go: what a quota bounds that is served only now is followed from now on. */
  function followAnew(): void {
    const served = new Set(bounded())
    for (const [prefix, { type, informer }] of followed) {
      if (served.has(type)) continue
      informer.close()
      followed.delete(prefix)
    }
    for (const ofNamespace of quotas.values())
      for (const quota of ofNamespace.values()) for (const type of typesOf(quota)) follow(type)
  }

  function recountLater(type: ResourceType, namespace: string): void {
    for (const [key, quota] of quotas.get(namespace) ?? [])
      if (boundsFor(quota.wanted, type, names).length > 0) queue.addLater(key, gatherMs)
  }

  const queue = createWorkQueue({
    clock,
    log,
    name: controllerName,
    work: recount,
    failuresBeforeWarning: 5,
  })
  const informer = createInformer(
    { storage: route.storage, clock, log, resource: 'resourcequotas' },
    {
      set(object) {
        const quota = readQuota(object)
        const { namespace } = quota
        const key = `${namespace}/${quota.name}`
        const before = quotas.get(namespace)
        const isNew = before?.has(key) !== true
        quotas.set(namespace, (before ?? new Map<string, Quota>()).set(key, quota))
        for (const type of typesOf(quota)) follow(type)
        if (isNew || !sameJson(writeAmounts(quota.wanted), writeAmounts(quota.hard))) queue.add(key)
      },
      remove({ namespace, name }) {
        quotas.get(namespace)?.delete(`${namespace}/${name}`)
        if (quotas.get(namespace)?.size === 0) quotas.delete(namespace)
      },
    },
  )
  return {
    start() {
      forgetTypes = types.onChange(followAnew)
      informer.start()
    },
    close() {
      forgetTypes()
      queue.close()
      informer.close()
      for (const one of followed.values()) one.informer.close()
    },
  }
}

/** What lives in namespaces, each once. */
function boundedTypes(types: TypeRegistry): readonly ResourceType[] {
  const found = new Map<string, ResourceType>()
  for (const type of types.resources) {
    const prefix = type.storage?.prefix
    if (type.namespaced && prefix !== undefined && type.isStorageVersion && !found.has(prefix))
      found.set(prefix, type)
  }
  return [...found.values()]
}

/** Of pods, what has ended; of the others whatever changes: they are few. */
function mayUseLess({ group, plural }: ResourceType, object: ApiObject): boolean {
  if (group !== '') return false
  if (plural === 'services' || plural === 'persistentvolumeclaims') return true
  const status = object['status']
  const phase = isJsonObject(status) ? status['phase'] : undefined
  return plural === 'pods' && (phase === 'Failed' || phase === 'Succeeded')
}

/** Undefined = its status says so already. */
function counted(object: ApiObject, { wanted }: Quota, used: Amounts): ApiObject | undefined {
  const status: JsonObject = { hard: writeAmounts(wanted), used: writeAmounts(used) }
  return sameJson(status, object['status']) ? undefined : Object.assign(object, { status })
}
