/**
 * Looks after definitions of custom resources: gives them their names, establishes them, and ends them.
 *
 * Names are given one definition at a time, by one process at a time: two that want the same name cannot both get it.
 *
 * Source: conditions and the finalizer of CustomResourceDefinition of the Kubernetes API.
 */

import { parseStored } from '../../codec/shape.ts'
import { customPrefix } from '../../crd/serving/custom-type.ts'
import { type Definition, readDefinition } from '../../crd/serving/definition.ts'
import { createOnDemand } from '../../on-demand.ts'
import { type Machinery, type ResourceRoute, timestamp } from '../../registry/machinery.ts'
import { isTerminating } from '../../registry/metadata.ts'
import { sameJson } from '../../same-json.ts'
import type { ResourceStorage } from '../../storage/contract.ts'
import { parseObject } from '../../storage/record.ts'
import { objectAt, textAt } from '../../types/draft.ts'
import type { ApiObject } from '../../types/object.ts'
import { systemUser } from '../bootstrap.ts'
import type { Controller, Routes } from '../controller.ts'
import { createInformer, type Informer } from '../informer.ts'
import { changeOwn, type OwnWrite, ownFacet } from '../own-writes.ts'
import { createWorkQueue } from '../work-queue.ts'
import { deleteInstances, failed, hasFailed, inProgress, letGo, report } from './cleanup.ts'
import { acceptedNames, establish, isSettled } from './establish.ts'
import type { Names } from './naming.ts'

const controllerName = 'customresourcedefinition-controller'
/** Reads schemas: loaded with the first definition. */
const judgement = createOnDemand(() => import('../../crd/definition/judgement.ts'))
/** What cannot be confirmed for so long is looked at again. */
const recheckMs = 30_000

interface Following {
  readonly storage: ResourceStorage
  readonly informer: Informer
}

/** What other definitions of the group need to know. */
interface Holder {
  readonly group: string
  readonly names: Names
  readonly revision: number
}

export function createDefinitionsController(machinery: Machinery, routes: Routes): Controller {
  const { names, clock, log } = machinery
  const finalizer = names.expand('customresourcecleanup.apiextensions.{groups}')
  const route = routes.route(names.expand('apiextensions.{groups}'), 'v1', 'customresourcedefinitions')
  if (route === undefined) return { start() {}, close() {} }
  const definitions = route
  const manager = names.expand('{prefix}-apiserver')
  const facet = ownFacet(definitions, 'status', machinery)
  const write: OwnWrite = { route: definitions, machinery, user: systemUser, manager, facet }
  const holders = new Map<string, Holder>()
  /** Heard of before all definitions were. */
  const unsettled = new Set<string>()
  /** Definitions that are going away, by name; with what follows their objects where they wait for them. */
  const ending = new Map<string, Following | undefined>()

  function othersOf(group: string, name: string): readonly Names[] {
    return [...holders].flatMap(([other, holder]) =>
      other !== name && holder.group === group ? [holder.names] : [],
    )
  }

  function lookAtGroup(group: string, but: string): void {
    for (const [name, holder] of holders) if (name !== but && holder.group === group) naming.add(name)
  }

  function hold(name: string, object: ApiObject): void {
    const group = textAt(objectAt(object, 'spec'), 'group')
    const before = holders.get(name)
    const after = { group, names: acceptedNames(object), revision: Number(object.metadata.resourceVersion) }
    // Its own writes are known before they are heard of.
    if (before !== undefined && before.revision > after.revision) return
    holders.set(name, after)
    // A name may have become free.
    if (before !== undefined && !sameJson(before.names, after.names)) lookAtGroup(group, name)
  }

  /** Nothing is to be said of it that it does not say. */
  function isDone(object: ApiObject): boolean {
    return isSettled(object) && judgement.isLoaded && judgement.loaded.isJudged(object, names)
  }

  async function settle(name: string): Promise<string | undefined> {
    await judgement.load()
    const known = await definitions.storage.cached({ namespace: '', name })
    if (known.ok && known.value !== undefined && isDone(parseObject(known.value))) return undefined
    const done = await changeOwn(write, { namespace: '', name }, (object) => {
      if (isTerminating(object)) return undefined
      const group = textAt(objectAt(object, 'spec'), 'group')
      const now = timestamp(clock)
      establish(object, othersOf(group, name), now)
      judgement.loaded.judge(object, names, now)
      return object
    })
    if (!done.ok) return done.failure.reason === 'NotFound' ? undefined : done.failure.message
    hold(name, parseStored(done.value.json))
    return undefined
  }

  async function end(name: string): Promise<string | undefined> {
    const found = await definitions.storage.get({ namespace: '', name }, { type: 'mostRecent' })
    if (!found.ok) return found.failure.code
    const object = found.value === undefined ? undefined : parseObject(found.value)
    if (object === undefined || !isEnding(object)) return undefined
    const definition = readDefinition(object, () => object)
    // Tried again: what was in the way stands in the definition until it is not.
    const said = hasFailed(object) ? undefined : await report(write, definition, inProgress)
    if (said !== undefined) return said
    if (definition.established) {
      const waiting = await empty(definition)
      if (waiting !== undefined) return waiting === 'waiting' ? undefined : waiting
    }
    return letGo(write, definition, finalizer)
  }

  /** Undefined = no object is left; `waiting` = they wait for others, and are followed; else what is in the way. */
  async function empty(definition: Definition): Promise<string | undefined> {
    const refreshed = await machinery.types.refresh()
    if (!refreshed.ok) return refreshed.failure.message
    // By their place: a resource of the server itself may have the same name.
    const objects = routes.stored(customPrefix(definition.group, definition.names.plural))
    if (objects === undefined) return `no storage for ${definition.name}`
    follow(definition.name, objects)
    const { left, problem } = await deleteInstances(objects, machinery)
    if (problem !== undefined) {
      await report(write, definition, failed(problem))
      return problem
    }
    if (left === 0) return undefined
    endings.addLater(definition.name, recheckMs)
    return 'waiting'
  }

  function follow(name: string, { storage, type }: ResourceRoute): void {
    const known = ending.get(name)
    if (known?.storage === storage) return
    known?.informer.close()
    const informer = createInformer(
      { storage, clock, log, resource: type.plural },
      { set() {}, remove: () => endings.add(name) },
    )
    ending.set(name, { storage, informer })
    informer.start()
  }

  /** Once: what it writes into the definition on the way is no reason to look again. */
  function beginEnd(name: string): void {
    if (ending.has(name)) return
    ending.set(name, undefined)
    endings.add(name)
  }

  function forgetEnd(name: string): void {
    ending.get(name)?.informer.close()
    ending.delete(name)
  }

  function isEnding(object: ApiObject): boolean {
    return isTerminating(object) && (object.metadata.finalizers ?? []).includes(finalizer)
  }

  const queueParts = { clock, log, name: controllerName, failuresBeforeWarning: 5 }
  const naming = createWorkQueue({ ...queueParts, concurrency: 1, work: settle })
  const endings = createWorkQueue({ ...queueParts, work: end })
  const informer = createInformer(
    { storage: definitions.storage, clock, log, resource: 'customresourcedefinitions' },
    {
      set(object) {
        const { name = '' } = object.metadata
        hold(name, object)
        if (isEnding(object)) {
          beginEnd(name)
          return
        }
        forgetEnd(name)
        // What has which name must be known before one is given.
        if (isDone(object)) unsettled.delete(name)
        else if (informer.isSynced) naming.add(name)
        else unsettled.add(name)
      },
      remove({ name }) {
        unsettled.delete(name)
        forgetEnd(name)
        const holder = holders.get(name)
        holders.delete(name)
        if (holder !== undefined) lookAtGroup(holder.group, name)
      },
    },
  )

  return {
    start() {
      informer.start()
      void informer.synced.then(() => {
        for (const name of unsettled) naming.add(name)
        unsettled.clear()
      })
    },
    close() {
      naming.close()
      endings.close()
      informer.close()
      for (const following of ending.values()) following?.informer.close()
    },
  }
}
