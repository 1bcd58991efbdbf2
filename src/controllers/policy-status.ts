/**
 * Says in the status of policies what is wrong with their expressions for the types that they match. Who waits for it
 * reads `status.observedGeneration`.
 *
 * Source: admissionregistration/v1 ValidatingAdmissionPolicyStatus.
 */

import type { JsonObject } from '../json.ts'
import { createOnDemand } from '../on-demand.ts'
import type { Machinery } from '../registry/machinery.ts'
import { objectAt } from '../types/draft.ts'
import type { ApiObject } from '../types/object.ts'
import { systemUser } from './bootstrap.ts'
import type { Controller, Routes } from './controller.ts'
import { createInformer } from './informer.ts'
import { changeOwn, ownFacet } from './own-writes.ts'
import { createWorkQueue } from './work-queue.ts'

const controllerName = 'validatingadmissionpolicy-status-controller'

/** With the expression engine: most servers have no policies. */
const checker = createOnDemand(() => import('../admission/policies/type-check/type-check.ts'))

export function createPolicyStatusController(machinery: Machinery, routes: Routes): Controller {
  const { names, clock, log, types } = machinery
  const route = routes.route(
    names.expand('admissionregistration.{groups}'),
    'v1',
    'validatingadmissionpolicies',
  )
  if (route === undefined) return { start() {}, close() {} }
  const facet = ownFacet(route, 'status', machinery)
  const write = { route, machinery, user: systemUser, manager: controllerName, facet }

  async function settle(name: string): Promise<string | undefined> {
    await checker.load()
    // Types that came meanwhile are to be known.
    const refreshed = await types.refresh()
    if (!refreshed.ok) return refreshed.failure.message
    const done = await changeOwn(write, { namespace: '', name }, (policy) => {
      if (isObserved(policy)) return undefined
      const warnings = checker.loaded.checkTypes(policy, types)
      return { ...policy, status: statusOf(policy, warnings) }
    })
    return done.ok || done.failure.reason === 'NotFound' ? undefined : done.failure.message
  }

  const queue = createWorkQueue({ clock, log, name: controllerName, work: settle, failuresBeforeWarning: 5 })
  const informer = createInformer(
    { storage: route.storage, clock, log, resource: 'validatingadmissionpolicies' },
    {
      set(policy) {
        if (!isObserved(policy)) queue.add(policy.metadata.name ?? '')
      },
      remove() {},
    },
  )
  return {
    start: () => informer.start(),
    close() {
      queue.close()
      informer.close()
    },
  }
}

function isObserved(policy: ApiObject): boolean {
  const observed = objectAt(policy, 'status')?.['observedGeneration']
  return (policy.metadata.generation ?? 0) <= (typeof observed === 'number' ? observed : 0)
}

function statusOf(
  policy: ApiObject,
  warnings: readonly { readonly fieldRef: string; readonly warning: string }[],
): JsonObject {
  return {
    ...objectAt(policy, 'status'),
    observedGeneration: policy.metadata.generation ?? 0,
    typeChecking: warnings.length === 0 ? {} : { expressionWarnings: warnings.map((one) => ({ ...one })) },
  }
}
