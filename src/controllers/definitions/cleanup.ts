/**
 * The end of a definition: its objects are deleted, as clients would delete them; when none is left it may go.
 *
 *     marked for deletion ─▶ InstanceDeletionInProgress ─▶ objects are deleted ─none left▶ the finalizer goes
 */

import { ok } from '../../../store/contract.ts'
import { type Condition, setCondition } from '../../crd/definition/set-condition.ts'
import type { Definition } from '../../crd/serving/definition.ts'
import { deleteOne } from '../../registry/delete.ts'
import { inBackground } from '../../registry/delete-options.ts'
import { guardedWrite } from '../../registry/guarded-write.ts'
import { type Machinery, type ResourceRoute, timestamp } from '../../registry/machinery.ts'
import { isTerminating } from '../../registry/metadata.ts'
import { isFree } from '../../registry/update-rules.ts'
import { everything } from '../../storage/selector/selector.ts'
import { objectAt, objectsAt } from '../../types/draft.ts'
import type { ApiObject } from '../../types/object.ts'
import { systemUser } from '../bootstrap.ts'
import { changeOwn, type OwnWrite } from '../own-writes.ts'

/** Deletions under way at once. */
const concurrency = 8

export const inProgress: Condition = {
  type: 'Terminating',
  status: 'True',
  reason: 'InstanceDeletionInProgress',
  message: 'CustomResource deletion is in progress',
}
const completed: Condition = {
  type: 'Terminating',
  status: 'False',
  reason: 'InstanceDeletionCompleted',
  message: 'removed all instances',
}
const neverEstablished: Condition = {
  type: 'Terminating',
  status: 'False',
  reason: 'NeverEstablished',
  message: 'resource was never established',
}

const failedReason = 'InstanceDeletionFailed'

export function failed(message: string): Condition {
  return { type: 'Terminating', status: 'True', reason: failedReason, message }
}

/** The last attempt did not work. */
export function hasFailed(definition: ApiObject): boolean {
  return objectsAt(objectAt(definition, 'status'), 'conditions').some(
    ({ type, reason }) => type === 'Terminating' && reason === failedReason,
  )
}

/** What is left of the objects after all were asked to go; the failure is for people. */
export async function deleteInstances(
  route: ResourceRoute,
  machinery: Machinery,
): Promise<{ readonly left: number; readonly problem?: string }> {
  const listed = { selector: everything, start: { type: 'mostRecent' } } as const
  const page = await route.storage.list(listed)
  if (!page.ok) return { left: 1, problem: `could not list instances: ${page.failure.code}` }
  const problems = new Set<string>()
  const queue = page.value.items.values()
  const worker = async (): Promise<void> => {
    for (const item of queue) {
      const done = await deleteOne(route, machinery, item, systemUser, inBackground)
      if (!done.ok && done.failure.reason !== 'NotFound') problems.add(done.failure.message)
    }
  }
  await Promise.all(Array.from({ length: concurrency }, worker))
  const [first, ...more] = problems
  if (first !== undefined) {
    const texts = more.length === 0 ? first : `[${[first, ...more].join(', ')}]`
    return { left: page.value.items.length, problem: `could not issue all deletes: ${texts}` }
  }
  // What was created meanwhile counts as well.
  const rest = await route.storage.list(listed)
  return rest.ok
    ? { left: rest.value.items.length }
    : { left: 1, problem: `could not list instances: ${rest.failure.code}` }
}

/** Says in the definition how far it is. Undefined = it is said. */
export async function report(
  write: OwnWrite,
  { name, uid }: Definition,
  condition: Condition,
): Promise<string | undefined> {
  const done = await changeOwn(write, { namespace: '', name }, (object) => {
    if (object.metadata.uid !== uid) return undefined
    setCondition(object, condition, timestamp(write.machinery.clock))
    return object
  })
  return done.ok || done.failure.reason === 'NotFound' ? undefined : done.failure.message
}

/** Takes the finalizer away: with the last one the definition is gone. */
export async function letGo(
  { route, machinery }: OwnWrite,
  { name, uid, established }: Definition,
  finalizer: string,
): Promise<string | undefined> {
  const done = await guardedWrite(route, {
    name: { namespace: '', name },
    dryRun: false,
    async change(old) {
      if (old.metadata.uid !== uid || !isTerminating(old)) return ok({ type: 'none' })
      const object = withoutFinalizer(old, finalizer)
      setCondition(object, established ? completed : neverEstablished, timestamp(machinery.clock))
      return ok({ type: isFree(object, route) ? 'remove' : 'write', object })
    },
  })
  return done.ok || done.failure.reason === 'NotFound' ? undefined : done.failure.message
}

function withoutFinalizer(definition: ApiObject, finalizer: string): ApiObject {
  const { finalizers = [], ...metadata } = definition.metadata
  const left = finalizers.filter((one) => one !== finalizer)
  return { ...definition, metadata: left.length === 0 ? metadata : { ...metadata, finalizers: left } }
}
