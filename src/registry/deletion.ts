/**
 * What a delete request does to an object: takes it away, or marks it as terminating until its grace period is over
 * and its finalizers are gone.
 *
 *     live ──delete──▶ free and no grace period: removed
 *       └────────────▶ terminating (deletionTimestamp) ──last finalizer removed──▶ removed
 *
 * Source: specification, "States and transitions".
 */

import { fail, ok } from '../../store/contract.ts'
import { isJsonObject } from '../json.ts'
import { sameJson } from '../same-json.ts'
import { conflict } from '../status/failures.ts'
import type { ApiFailure } from '../status/status.ts'
import type { CachedObject } from '../storage/contract.ts'
import type { ApiObject } from '../types/object.ts'
import type { ResourceType } from '../types/resource.ts'
import type { DeleteOptions } from './delete-options.ts'
import type { Change } from './guarded-write.ts'
import { type Checked, type Machinery, type ResourceRoute, timestamp } from './machinery.ts'
import { isTerminating } from './metadata.ts'
import { foregroundFinalizer, orphanFinalizer } from './metadata-validation.ts'
import { isFree } from './update-rules.ts'

/** What a request for deletion makes of an object: nothing is left, it is marked as terminating, or it stays as it is. */
export function deletionOf(
  old: ApiObject,
  base: CachedObject,
  options: DeleteOptions,
  route: ResourceRoute,
  machinery: Machinery,
): Checked<Change> {
  const problem = preconditionProblem(old, base, options, route)
  if (problem !== undefined) return fail(problem)
  const { beginDeletion } = route.type.strategy
  if (beginDeletion !== undefined && !isTerminating(old))
    return ok({ type: 'write', object: beginDeletion(old, { now: timestamp(machinery.clock) }) })
  const object: ApiObject = { ...old, metadata: { ...old.metadata } }
  setPropagation(object, options, route.type)
  const graceSeconds = graceOf(object, options, route.type)
  const isRemoved = graceSeconds === 0 && isFree(object, route)
  // Where deletions take their time, the answer to one says how much even when it is none.
  if (isRemoved && route.type.strategy.gracePeriodSeconds === undefined)
    return ok({ type: 'remove', object: old })
  markTerminating(object, graceSeconds, route.type, machinery)
  if (isRemoved) return ok({ type: 'remove', object })
  return ok(sameJson(object, old) ? { type: 'none' } : { type: 'write', object })
}

function preconditionProblem(
  old: ApiObject,
  base: CachedObject,
  { uid, resourceVersion }: DeleteOptions,
  { type }: ResourceRoute,
): ApiFailure | undefined {
  const ref = { group: type.group, resource: type.kind }
  if (uid !== undefined && uid !== old.metadata.uid) {
    return conflict(
      ref,
      base.name,
      `the UID in the precondition (${uid}) does not match the UID in record (${old.metadata.uid ?? ''}). The object might have been deleted and then recreated`,
    )
  }
  if (resourceVersion !== undefined && resourceVersion !== String(base.revision)) {
    return conflict(
      ref,
      base.name,
      `the ResourceVersion in the precondition (${resourceVersion}) does not match the ResourceVersion in record (${base.revision}). The object might have been modified`,
    )
  }
  return undefined
}

/** Types whose dependents stay behind unless the client says otherwise. */
const orphaning: ReadonlySet<string> = new Set(['batch/jobs', 'core/replicationcontrollers'])

/** A garbage collector works through these finalizers; the policy decides which of them stand. */
function setPropagation(object: ApiObject, { propagation }: DeleteOptions, type: ResourceType): void {
  const before = object.metadata.finalizers ?? []
  const kept = before.filter((one) => one !== orphanFinalizer && one !== foregroundFinalizer)
  const wanted = propagation ?? usualPropagation(before, type)
  if (wanted === 'Orphan') kept.push(orphanFinalizer)
  if (wanted === 'Foreground') kept.push(foregroundFinalizer)
  if (sameJson(kept, before)) return
  if (kept.length === 0) delete object.metadata.finalizers
  else object.metadata.finalizers = kept
}

function usualPropagation(finalizers: readonly string[], type: ResourceType): string {
  if (finalizers.includes(orphanFinalizer)) return 'Orphan'
  if (finalizers.includes(foregroundFinalizer)) return 'Foreground'
  return orphaning.has(type.storage?.prefix ?? '') ? 'Orphan' : 'Background'
}

/** A second request may shorten the period, never prolong it. */
function graceOf(
  object: ApiObject,
  { gracePeriodSeconds }: DeleteOptions,
  { strategy }: ResourceType,
): number {
  if (strategy.gracePeriodSeconds === undefined) return 0
  const usual = strategy.gracePeriodSeconds(object)
  // Where nobody has to end anything, asking for time gives none.
  if (strategy.endsAtOnce?.(object) === true) return 0
  const running = isTerminating(object) ? (object.metadata.deletionGracePeriodSeconds ?? 0) : undefined
  const asked = gracePeriodSeconds ?? running ?? usual
  return running === undefined ? asked : Math.min(asked, running)
}

function markTerminating(
  object: ApiObject,
  graceSeconds: number,
  type: ResourceType,
  { clock }: Machinery,
): void {
  const { metadata } = object
  const running = metadata.deletionGracePeriodSeconds ?? 0
  if (isTerminating(object) && graceSeconds >= running) return
  if (!isTerminating(object) && (metadata.generation ?? 0) > 0)
    metadata.generation = (metadata.generation ?? 0) + 1
  metadata.deletionTimestamp = timestamp(clock, graceSeconds)
  // A namespace does not wait for a time, but until it is empty.
  if (type.group === '' && type.plural === 'namespaces') {
    const status = object['status']
    object['status'] = { ...(isJsonObject(status) ? status : {}), phase: 'Terminating' }
  } else metadata.deletionGracePeriodSeconds = graceSeconds
}
