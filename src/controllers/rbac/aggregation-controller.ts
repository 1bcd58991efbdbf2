/**
 * Keeps the rules of aggregated cluster roles what their sources say. Every write is guarded: more than one process may
 * run it.
 *
 * Source: specification, "Access-control resources", aggregation.
 */

import type { Timer } from '../../../store/contract.ts'
import { aggregatedRules } from '../../authz/rbac/aggregation.ts'
import { type PolicyRule, ruleJson, rulesOf } from '../../authz/rbac/rule.ts'
import type { Machinery } from '../../registry/machinery.ts'
import type { ApiObject } from '../../types/object.ts'
import { systemUser } from '../bootstrap.ts'
import type { Controller, Routes } from '../controller.ts'
import { createInformer, type Follower } from '../informer.ts'
import { changeOwn } from '../own-writes.ts'

/** Changes that come together are looked at together. Milliseconds. */
const gatherMs = 5
const retryMs = 1000

export function createAggregationController(machinery: Machinery, routes: Routes): Controller {
  const { names, clock, log } = machinery
  const route = routes.route(names.expand('rbac.authorization.{groups}'), 'v1', 'clusterroles')
  const roles = new Map<string, ApiObject>()
  let timer: Timer | undefined
  let closed = false

  function schedule(delayMs: number): void {
    if (!closed) timer ??= clock.after(delayMs, () => void lookAtAll())
  }

  async function lookAtAll(): Promise<void> {
    timer = undefined
    for (const role of [...roles.values()]) {
      const problem = await lookAt(role).catch((error: unknown) => String(error))
      if (problem === undefined || closed) continue
      log.warn('a cluster role could not be aggregated', { name: role.metadata.name ?? '', problem })
      schedule(retryMs)
    }
  }

  async function lookAt(role: ApiObject): Promise<string | undefined> {
    const rules = aggregatedRules(role, roles.values())
    if (rules === undefined || route === undefined || sameRules(rules, rulesOf(role))) return undefined
    const write = { route, machinery, user: systemUser, manager: 'clusterrole-aggregation-controller' }
    const changed = await changeOwn(write, { namespace: '', name: role.metadata.name ?? '' }, (object) => {
      const current = aggregatedRules(object, roles.values())
      if (current === undefined || sameRules(current, rulesOf(object))) return undefined
      return { ...object, rules: current.map(ruleJson) }
    })
    return changed.ok || changed.failure.reason === 'NotFound' ? undefined : changed.failure.message
  }

  const follower: Follower = {
    set(role) {
      roles.set(role.metadata.name ?? '', role)
      if (informer?.isSynced === true) schedule(gatherMs)
    },
    remove({ name }) {
      roles.delete(name)
      schedule(gatherMs)
    },
  }
  const informer =
    route === undefined
      ? undefined
      : createInformer({ storage: route.storage, clock, log, resource: 'clusterroles' }, follower)

  return {
    start() {
      informer?.start()
      void informer?.synced.then(() => schedule(0))
    },
    close() {
      closed = true
      timer?.cancel()
      informer?.close()
    },
  }
}

function sameRules(a: readonly PolicyRule[], b: readonly PolicyRule[]): boolean {
  return JSON.stringify(a) === JSON.stringify(b)
}
