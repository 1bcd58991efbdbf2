/** What a disruption budget says to the eviction of one of its pods. Source: policy/v1 PodDisruptionBudget. */

import { fail, ok } from '../../../store/contract.ts'
import { forbidden } from '../../status/failures.ts'
import type { ApiFailure } from '../../status/status.ts'
import { draftOf, ensureObject, objectAt, textAt } from '../../types/draft.ts'
import type { ApiObject } from '../../types/object.ts'
import type { Change } from '../guarded-write.ts'
import type { Checked } from '../machinery.ts'
import { setCondition } from './condition.ts'

/** Pods whose going nobody has confirmed yet; more in one budget are not kept. */
const disruptedPodsMax = 2000

/** A pod that is not ready takes nothing away from those that are, while these are enough. */
export function letsUnhealthyGo(budget: ApiObject): boolean {
  if (textAt(objectAt(budget, 'spec'), 'unhealthyPodEvictionPolicy') === 'AlwaysAllow') return true
  const { currentHealthy, desiredHealthy } = counts(budget)
  return desiredHealthy > 0 && currentHealthy >= desiredHealthy
}

/** The budget with one disruption less. */
export function chargeBudget(budget: ApiObject, podName: string, now: string): Checked<Change> {
  const { name = '', generation = 0 } = budget.metadata
  const { observedGeneration, disruptionsAllowed, desiredHealthy, currentHealthy } = counts(budget)
  const ref = { group: 'policy', resource: 'poddisruptionbudget' }
  if (observedGeneration < generation)
    return fail(refusal(`The disruption budget ${name} is still being processed by the server.`))
  if (disruptionsAllowed < 0) return fail(forbidden(ref, name, 'pdb disruptions allowed is negative'))
  const disrupted = objectAt(budget, 'status', 'disruptedPods') ?? {}
  if (Object.keys(disrupted).length > disruptedPodsMax)
    return fail(
      forbidden(ref, name, 'DisruptedPods map too big - too many evictions not confirmed by PDB controller'),
    )
  if (disruptionsAllowed === 0)
    return fail(
      refusal(
        `The disruption budget ${name} needs ${desiredHealthy} healthy pods and has ${currentHealthy} currently`,
      ),
    )
  const object = structuredClone(budget)
  const status = ensureObject(draftOf(object), 'status')
  status['disruptionsAllowed'] = disruptionsAllowed - 1
  status['disruptedPods'] = { ...disrupted, [podName]: now }
  if (disruptionsAllowed === 1) {
    const reason = 'InsufficientPods'
    setCondition(
      object,
      { type: 'DisruptionAllowed', status: 'False', reason, message: '', observedGeneration: generation },
      now,
    )
  }
  return ok({ type: 'write', object })
}

function counts(budget: ApiObject) {
  const status = objectAt(budget, 'status') ?? {}
  const count = (name: string): number => {
    const value = status[name]
    return typeof value === 'number' ? value : 0
  }
  return {
    observedGeneration: count('observedGeneration'),
    disruptionsAllowed: count('disruptionsAllowed'),
    desiredHealthy: count('desiredHealthy'),
    currentHealthy: count('currentHealthy'),
  }
}

function refusal(message: string): ApiFailure {
  return {
    reason: 'TooManyRequests',
    message: "Cannot evict pod as it would violate the pod's disruption budget.",
    details: { causes: [{ reason: 'DisruptionBudget', message }] },
  }
}
