/**
 * Keeps the flow schemas and priority levels of the system as they should be, and says of each schema whether its
 * level exists. Every write is guarded: more than one process may run it.
 *
 *     a change, or a minute ▶ missing: made ▶ spec not as it should be, and ours to keep: restored ▶ conditions
 *
 * Source: Kubernetes documentation, "API Priority and Fairness", maintenance of the mandatory and suggested objects.
 */

import type { Timer } from '../../store/contract.ts'
import { mandatoryNames } from '../flowcontrol/configuration.ts'
import type { JsonObject } from '../json.ts'
import { type Machinery, type ResourceRoute, timestamp } from '../registry/machinery.ts'
import { sameJson } from '../same-json.ts'
import { objectAt, objectsAt, textAt } from '../types/draft.ts'
import type { ApiObject } from '../types/object.ts'
import { objectIn, specOf, textIn } from '../types/validation/read.ts'
import { systemManager, systemUser } from './bootstrap.ts'
import { type BootstrapObject, flowSchemas, priorityLevels } from './bootstrap-flows.ts'
import type { Controller, Routes } from './controller.ts'
import { createInformer, type Informer } from './informer.ts'
import { changeOwn, createOwn, ownFacet } from './own-writes.ts'

/** Changes that come together are looked at together. Milliseconds. */
const gatherMs = 100
const againMs = 60_000
const retryMs = 1000
const statusManager = 'api-priority-and-fairness-config-consumer-v1'

/** One of the two resources: what there is, and what there should be. */
interface Kept {
  readonly route: ResourceRoute
  readonly stored: Map<string, ApiObject>
  readonly wanted: readonly BootstrapObject[]
}

export function createFlowKeeper(machinery: Machinery, routes: Routes): Controller {
  const { names, clock, log } = machinery
  const group = names.expand('flowcontrol.apiserver.{groups}')
  const autoupdate = names.expand('apf.{labels}/autoupdate-spec')
  const levels = keptOf('prioritylevelconfigurations', priorityLevels(names))
  const schemas = keptOf('flowschemas', flowSchemas(names))
  const informers = [levels, schemas].flatMap((kept) => (kept === undefined ? [] : [informerOf(kept)]))
  let timer: Timer | undefined
  let dueMs = 0
  let closed = false

  function keptOf(plural: string, wanted: readonly BootstrapObject[]): Kept | undefined {
    const route = routes.route(group, 'v1', plural)
    return route === undefined ? undefined : { route, stored: new Map(), wanted }
  }

  function informerOf({ route, stored }: Kept): Informer {
    return createInformer(
      { clock, log, storage: route.storage, resource: route.type.plural },
      {
        set(object) {
          stored.set(object.metadata.name ?? '', object)
          schedule(gatherMs)
        },
        remove({ name }) {
          stored.delete(name)
          schedule(gatherMs)
        },
      },
    )
  }

  /** The sooner of what was asked for counts. */
  function schedule(delayMs: number): void {
    const atMs = clock.monotonicMs() + delayMs
    if (closed || (timer !== undefined && dueMs <= atMs)) return
    timer?.cancel()
    dueMs = atMs
    timer = clock.after(delayMs, () => void lookAtAll())
  }

  async function lookAtAll(): Promise<void> {
    timer = undefined
    if (closed || informers.some(({ isSynced }) => !isSynced)) return
    const problem = await settle().catch((error: unknown) => String(error))
    if (closed) return
    if (problem !== undefined)
      log.warn('flow schemas or priority levels are not as they should be', { problem })
    schedule(problem === undefined ? againMs : retryMs)
  }

  /** Undefined = all is as it should be. */
  async function settle(): Promise<string | undefined> {
    for (const kept of [levels, schemas]) {
      for (const object of kept?.wanted ?? []) {
        const problem = kept === undefined ? undefined : await ensure(kept, object)
        if (problem !== undefined) return problem
      }
    }
    for (const schema of schemas?.stored.values() ?? []) {
      const problem = await describe(schema)
      if (problem !== undefined) return problem
    }
    return undefined
  }

  async function ensure({ route, stored }: Kept, object: BootstrapObject): Promise<string | undefined> {
    const { name } = object.metadata
    const { apiVersion, kind } = route.type
    const write = { route, machinery, user: systemUser, manager: systemManager }
    const known = stored.get(name)
    if (known === undefined) {
      const made = await createOwn(write, { apiVersion, kind, ...object })
      return made.ok || made.failure.reason === 'AlreadyExists' ? undefined : made.failure.message
    }
    const spec = completeSpec(route, object)
    if (restored(known, spec, autoupdate) === undefined) return undefined
    const changed = await changeOwn(write, { namespace: '', name }, (now) => restored(now, spec, autoupdate))
    return changed.ok || changed.failure.reason === 'NotFound' ? undefined : changed.failure.message
  }

  function completeSpec({ type }: ResourceRoute, object: BootstrapObject): JsonObject {
    const { apiVersion, kind, message } = type
    const decoded = machinery.schema.decode(message, { apiVersion, kind, ...object })
    if (!decoded.ok) throw new TypeError(decoded.failure.message)
    machinery.schema.applyDefaults(message, decoded.value.object)
    return specOf(decoded.value.object)
  }

  async function describe(schema: ApiObject): Promise<string | undefined> {
    if (schemas === undefined) return undefined
    const { route } = schemas
    const facet = ownFacet(route, 'status', machinery)
    const write = { route, machinery, user: systemUser, manager: statusManager, facet }
    const exists = (level: string) => levels?.stored.has(level) === true
    if (described(schema, exists, '') === undefined) return undefined
    const name = { namespace: '', name: schema.metadata.name ?? '' }
    const changed = await changeOwn(write, name, (now) => described(now, exists, timestamp(clock)))
    return changed.ok || changed.failure.reason === 'NotFound' ? undefined : changed.failure.message
  }

  return {
    start() {
      for (const informer of informers) {
        informer.start()
        void informer.synced.then(() => schedule(gatherMs))
      }
    },
    close() {
      closed = true
      timer?.cancel()
      for (const informer of informers) informer.close()
    },
  }
}

/** With the spec that it should have; undefined = it has it, or it is not ours to keep. */
function restored(object: ApiObject, spec: JsonObject, autoupdate: string): ApiObject | undefined {
  const { name = '', annotations } = object.metadata
  if (!mandatoryNames.has(name) && annotations?.[autoupdate] !== 'true') return undefined
  const current = specOf(object)
  // How many seats the exempt level has to lend is the administrator's business.
  const exempt = textIn(spec, 'type') === 'Exempt' ? objectIn(current, 'exempt') : undefined
  const wanted = exempt === undefined ? spec : { ...spec, exempt }
  return sameJson(current, wanted) ? undefined : { ...object, spec: wanted }
}

/** With the condition that says whether its level exists; undefined = it says so already. */
function described(
  object: ApiObject,
  exists: (level: string) => boolean,
  now: string,
): ApiObject | undefined {
  const level = textIn(objectIn(specOf(object), 'priorityLevelConfiguration'), 'name')
  const found = exists(level)
  const reference = `This FlowSchema references the PriorityLevelConfiguration object named "${level}"`
  const facts = {
    type: 'Dangling',
    status: found ? 'False' : 'True',
    reason: found ? 'Found' : 'NotFound',
    message: `${reference} ${found ? 'and it exists' : 'but there is no such object'}`,
  }
  const status = objectAt(object, 'status')
  const conditions = objectsAt(status, 'conditions')
  const old = conditions.find((one) => textAt(one, 'type') === facts.type)
  if (old !== undefined && Object.entries(facts).every(([name, value]) => old[name] === value))
    return undefined
  const lastTransitionTime =
    old !== undefined && textAt(old, 'status') === facts.status ? textAt(old, 'lastTransitionTime') : now
  const others = conditions.filter((one) => one !== old)
  return { ...object, status: { ...status, conditions: [...others, { ...facts, lastTransitionTime }] } }
}
