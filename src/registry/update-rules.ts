/**
 * What a change of an object becomes: preconditions, what the server keeps, admission, validation, and whether it
 * leaves the object changed, unchanged or gone. Shared by update and patch.
 *
 * Source: specification, "Update rules", "States and transitions".
 */

import { fail, ok } from '../../store/contract.ts'
import type { AdmissionRequest, OperationOptions } from '../admission/admission.ts'
import { keepTimesIfUnchanged } from '../apply/unchanged.ts'
import type { AuditAnnotations } from '../audit/annotations.ts'
import { isJsonObject } from '../json.ts'
import type { User } from '../pipeline/user.ts'
import { sameJson } from '../same-json.ts'
import { invalidValue } from '../status/causes.ts'
import { conflict, invalid, modified } from '../status/failures.ts'
import type { ApiFailure } from '../status/status.ts'
import type { CachedObject } from '../storage/contract.ts'
import type { ApiObject } from '../types/object.ts'
import type { Strategy } from '../types/resource.ts'
import type { Facet } from './facet.ts'
import type { Change } from './guarded-write.ts'
import { type Checked, type Machinery, type ResourceRoute, timestamp } from './machinery.ts'
import { hasFinalizers, isTerminating, keepSystemMetadata } from './metadata.ts'
import { dropRepeatedOwners } from './owner-references.ts'
import { ownAsSent } from './ownership.ts'
import { validateChange } from './validate.ts'

interface ChangeInput {
  readonly facet: Facet
  /** Decoded and defaulted, as the path shows it. */
  readonly body: ApiObject
  /** Storage version. */
  readonly old: ApiObject
  readonly base: CachedObject
  readonly user: User
  /** Who owns what this change writes; undefined = the managed fields of the body say so already. */
  readonly manager: string | undefined
  readonly dryRun: boolean
  /** As the client gave them; absent = the server itself writes. */
  readonly options?: OperationOptions
  /** Where warnings for the client go. */
  readonly warnings: string[]
  /** Where it is written down what became of it. */
  readonly audit?: AuditAnnotations | undefined
}

/** The failure is the answer to the client: conflict, refusal or what is invalid. */
export async function changeOf(
  route: ResourceRoute,
  machinery: Machinery,
  { facet, body, old, base, user, manager, dryRun, options, warnings, audit }: ChangeInput,
): Promise<Checked<Change>> {
  const { type } = route
  const stale = versionProblem(body, base, route)
  if (stale !== undefined) return fail(stale)
  const now = timestamp(machinery.clock)
  const { managedFields } = body.metadata
  const merged = facet.merge(body, old, { now, user })
  if (!merged.ok) return merged
  const object = merged.value
  keepSystemMetadata(object, old)
  dropRepeatedOwners(object, warnings)
  const admission: AdmissionRequest = {
    operation: 'UPDATE',
    type,
    subresource: facet.subresource,
    namespace: base.namespace,
    name: base.name,
    user,
    dryRun,
    object,
    oldObject: old,
    ...(options === undefined ? {} : { options }),
    warnings,
    audit,
  }
  const ownedFirst = manager !== undefined && machinery.admission.changes(type, 'UPDATE')
  const normalize = (one: ApiObject): ApiObject => machinery.schema.normalize(type.storageMessage, one)
  if (ownedFirst)
    warnings.push(...(await ownAsSent(facet.ownership, old, object, { manager, now }, normalize)))
  const mutated = machinery.admission.mutate(admission)
  const refused = mutated instanceof Promise ? await mutated : mutated
  if (refused !== undefined) return fail(refused)
  const normal = normalize(object)
  if (type.strategy.generation && isCounted(normal, old, type.strategy, facet.subresource)) {
    normal.metadata.generation = (old.metadata.generation ?? 0) + 1
  }
  if (ownedFirst) keepTimesIfUnchanged(normal, old)
  else if (manager !== undefined) {
    const tracked = facet.ownership.track(old, normal, { manager, now })
    warnings.push(...(tracked instanceof Promise ? await tracked : tracked))
  } else if (managedFields !== undefined) {
    normal.metadata.managedFields = managedFields
    // What was applied may mean what is there already: only then are the times all that differs.
    keepTimesIfUnchanged(normal, old)
  }
  admission.object = normal
  const loading = type.strategy.load?.()
  if (loading !== undefined) await loading
  const judged =
    validateChange(object, old, type, machinery.schema, facet.validateUpdate) ??
    machinery.admission.validate(admission)
  const problem = judged instanceof Promise ? await judged : judged
  if (problem !== undefined) return fail(problem)
  if (facet.subresource === '' && type.strategy.warnings !== undefined)
    warnings.push(...type.strategy.warnings(normal, old))
  return ok(verdict(normal, old, base, route))
}

/** No version, or `0`, means "whatever is there", where the type allows it. */
function versionProblem(
  { metadata }: ApiObject,
  base: CachedObject,
  { type, ref }: ResourceRoute,
): ApiFailure | undefined {
  const version = metadata.resourceVersion ?? ''
  if (version === '' || version === '0') {
    if (type.strategy.unconditionalUpdate) return undefined
    const what = { group: ref.group, kind: ref.resource }
    const cause = {
      reason: 'FieldValueInvalid',
      message: 'Invalid value: 0x0: must be specified for an update',
      field: 'metadata.resourceVersion',
    }
    return invalid(what, base.name, [cause])
  }
  if (!/^\d+$/.test(version)) {
    const cause = invalidValue('metadata.resourceVersion', version, 'not a version that this server gave')
    return invalid(type, base.name, [cause])
  }
  return version === String(base.revision) ? undefined : modified(ref, base.name)
}

/** A PUT that names a uid is for that object alone. */
export function uidProblem(body: ApiObject, old: ApiObject, { ref }: ResourceRoute): ApiFailure | undefined {
  const uid = body.metadata.uid ?? ''
  if (uid === '' || uid === old.metadata.uid) return undefined
  return conflict(
    ref,
    old.metadata.name ?? '',
    `Precondition failed: UID in precondition: ${uid}, UID in object meta: ${old.metadata.uid ?? ''}`,
  )
}

function isCounted(object: ApiObject, old: ApiObject, strategy: Strategy, subresource: string): boolean {
  if (specChanged(object, old, strategy)) return true
  return (
    strategy.generationOfAnnotations === true &&
    subresource !== 'status' &&
    !sameJson(object.metadata.annotations ?? {}, old.metadata.annotations ?? {})
  )
}

/** A status without a path of its own is as good as a specification. */
function specChanged(object: ApiObject, old: ApiObject, { status }: Strategy): boolean {
  return [...Object.keys(object), ...Object.keys(old)].some(
    (name) =>
      name !== 'metadata' &&
      !(status && name === 'status') &&
      !sameJson(ownMember(object, name), ownMember(old, name)),
  )
}

/** Not inherited. */
function ownMember(object: ApiObject, name: string): unknown {
  return Object.hasOwn(object, name) ? object[name] : undefined
}

/** An object whose deletion waits for nothing more goes with the change that took the last thing away. */
function verdict(object: ApiObject, old: ApiObject, base: CachedObject, route: ResourceRoute): Change {
  if (isTerminating(old) && (old.metadata.deletionGracePeriodSeconds ?? 0) === 0 && isFree(object, route))
    return { type: 'remove', object }
  // What is stored in an older version is stored anew, though it stays the same.
  return isUnchanged(object, old) && base.isStale !== true ? { type: 'none' } : { type: 'write', object }
}

/** Metadata last: it is long, and a change is seldom of it alone. */
function isUnchanged(object: ApiObject, old: ApiObject): boolean {
  const names = new Set([...Object.keys(object), ...Object.keys(old)])
  names.delete('metadata')
  for (const name of names) if (!sameJson(ownMember(object, name), ownMember(old, name))) return false
  return sameJson(object.metadata, old.metadata)
}

/** Nothing holds the object back: no finalizers; for a namespace none in its spec either. */
export function isFree(object: ApiObject, { type }: ResourceRoute): boolean {
  if (hasFinalizers(object)) return false
  if (type.group !== '' || type.plural !== 'namespaces') return true
  const spec = object['spec']
  const finalizers = isJsonObject(spec) ? spec['finalizers'] : undefined
  return !Array.isArray(finalizers) || finalizers.length === 0
}
