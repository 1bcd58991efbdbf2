/**
 * pods/eviction: a deletion that a disruption budget may refuse. The budget is charged first, with a guarded write, so
 * that two evictions never share one disruption; then the pod is deleted.
 *
 *     pod ended, pending or going ───────────────────────────▶ delete
 *     no budget, or not ready and the budget lets it go ─────▶ delete
 *     budget with disruptions left ──charge──▶ mark the pod ─▶ delete
 *     budget used up, or not yet counted ────────────────────▶ 429 with cause DisruptionBudget
 *
 * Source: specification, "Operations" (subresources); policy/v1 Eviction.
 */

import { fail, ok } from '../../../store/contract.ts'
import { notFound } from '../../status/failures.ts'
import { readApiFailure } from '../../storage/failures.ts'
import { parseObject } from '../../storage/record.ts'
import { everything } from '../../storage/selector/selector.ts'
import { objectAt, objectsAt, textAt } from '../../types/draft.ts'
import { selectorMatches } from '../../types/label-selector.ts'
import type { ApiObject } from '../../types/object.ts'
import type { Subresource } from '../../types/resource.ts'
import { deleteOne } from '../delete.ts'
import { type DeleteOptions, deleteOptionsOf } from '../delete-options.ts'
import type { Creator } from '../facet.ts'
import { guardedWrite } from '../guarded-write.ts'
import {
  type ApiRequest,
  type Checked,
  type Machinery,
  objectName,
  type ResourceRoute,
  timestamp,
} from '../machinery.ts'
import { isTerminating } from '../metadata.ts'
import { chargeBudget, letsUnhealthyGo } from './budget.ts'
import { setCondition } from './condition.ts'
import { operateOnPod } from './created.ts'

export function evictionCreator(subresource: Subresource): Creator {
  return (route, request, machinery) =>
    operateOnPod(route, request, machinery, subresource, async ({ body, options }) => {
      const given = deleteOptionsOf(objectAt(body, 'deleteOptions') ?? {}, request.query, machinery)
      if (!given.ok) return given
      const deletion = { ...given.value, dryRun: given.value.dryRun || options.dryRun }
      return evict(route, request, machinery, deletion)
    })
}

async function evict(
  route: ResourceRoute,
  request: ApiRequest,
  machinery: Machinery,
  deletion: DeleteOptions,
): Promise<Checked<unknown>> {
  const name = objectName(request)
  const found = await route.storage.get(name, { type: 'mostRecent' })
  if (!found.ok) return fail(readApiFailure(found.failure))
  if (found.value === undefined) return fail(notFound(route.ref, name.name))
  const pod = parseObject(found.value)
  // Not the pod that was judged any more: then the judgement counts for nothing.
  const guarded = { ...deletion, resourceVersion: deletion.resourceVersion ?? String(found.value.revision) }
  if (needsNoBudget(pod)) return deleteOne(route, machinery, name, request.user, guarded)

  const budgets = budgetRoute(machinery)
  const matching = budgets === undefined ? ok([]) : await budgetsOf(budgets, pod)
  if (!matching.ok) return matching
  const [budget, another] = matching.value
  if (another !== undefined) {
    const message =
      'This pod has more than one PodDisruptionBudget, which the eviction subresource does not support.'
    return fail({ reason: 'InternalError', message })
  }
  if (budgets === undefined || budget === undefined)
    return deleteOne(route, machinery, name, request.user, deletion)
  if (!isReady(pod) && letsUnhealthyGo(budget))
    return deleteOne(route, machinery, name, request.user, guarded)
  const charged = await guardedWrite(budgets, {
    name: { namespace: name.namespace, name: budget.metadata.name ?? '' },
    dryRun: deletion.dryRun,
    change: async (old) => chargeBudget(old, name.name, timestamp(machinery.clock)),
  })
  if (!charged.ok) return charged
  const marked = await markDisrupted(route, machinery, request, deletion)
  return marked.ok ? deleteOne(route, machinery, name, request.user, deletion) : marked
}

/** Pods that serve nobody, or are going already. */
function needsNoBudget(pod: ApiObject): boolean {
  return (
    isTerminating(pod) ||
    ['Succeeded', 'Failed', 'Pending'].includes(textAt(objectAt(pod, 'status'), 'phase'))
  )
}

function isReady(pod: ApiObject): boolean {
  return objectsAt(objectAt(pod, 'status'), 'conditions').some(
    ({ type, status }) => type === 'Ready' && status === 'True',
  )
}

type BudgetRoute = Pick<ResourceRoute, 'type' | 'ref' | 'storage'>

function budgetRoute({ types, storage }: Machinery): BudgetRoute | undefined {
  const type = types.resource('policy', 'v1', 'poddisruptionbudgets')
  if (type?.storage === undefined) return undefined
  return {
    type,
    ref: { group: type.group, resource: type.plural },
    storage: storage.resource(type.storage),
  }
}

async function budgetsOf({ storage }: BudgetRoute, pod: ApiObject): Promise<Checked<readonly ApiObject[]>> {
  const { namespace = '', labels = {} } = pod.metadata
  const page = await storage.list({ namespace, selector: everything, start: { type: 'mostRecent' } })
  if (!page.ok) return fail(readApiFailure(page.failure))
  return ok(
    page.value.items
      .map(parseObject)
      .filter((budget) => selectorMatches(objectAt(budget, 'spec', 'selector'), labels)),
  )
}

/** Tells whoever watches the pod why it goes. */
function markDisrupted(
  route: ResourceRoute,
  machinery: Machinery,
  request: ApiRequest,
  { dryRun }: DeleteOptions,
): Promise<Checked<unknown>> {
  const now = timestamp(machinery.clock)
  return guardedWrite(route, {
    name: objectName(request),
    dryRun,
    async change(old) {
      const pod = structuredClone(old)
      const reason = 'EvictionByEvictionAPI'
      setCondition(
        pod,
        { type: 'DisruptionTarget', status: 'True', reason, message: 'Eviction API: evicting' },
        now,
      )
      return ok({
        type: 'write',
        object: machinery.schema.normalize(route.type.storageMessage, pod),
      })
    },
  })
}
