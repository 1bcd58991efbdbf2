/** How the collector changes objects: metadata alone, guarded by uid, as its own user. */

import { ok } from '../../../store/contract.ts'
import type { User } from '../../pipeline/user.ts'
import { deleteOne } from '../../registry/delete.ts'
import { guardedWrite } from '../../registry/guarded-write.ts'
import { type Machinery, type ResourceRoute, timestamp } from '../../registry/machinery.ts'
import { isTerminating } from '../../registry/metadata.ts'
import { isFree } from '../../registry/update-rules.ts'
import type { ObjectName } from '../../storage/contract.ts'
import type { ObjectMeta } from '../../types/object.ts'
import type { Propagation } from './verdict.ts'

export interface CollectorWrites {
  readonly route: ResourceRoute
  readonly machinery: Machinery
  readonly user: User
  readonly name: ObjectName
  /** Another object of the same name is left alone. */
  readonly uid: string
}

const manager = 'generic-garbage-collector'

/** `edit` gives what changes of the metadata; undefined = it is right. Returns what is in the way. */
async function editMetadata(
  { route, machinery, name, uid }: CollectorWrites,
  edit: (metadata: ObjectMeta) => Partial<ObjectMeta> | undefined,
): Promise<string | undefined> {
  const written = await guardedWrite(route, {
    name,
    dryRun: false,
    async change(old) {
      const edited = old.metadata.uid === uid ? edit(old.metadata) : undefined
      if (edited === undefined) return ok({ type: 'none' })
      const object = { ...old, metadata: withoutEmpty({ ...old.metadata, ...edited }) }
      const author = { manager, now: timestamp(machinery.clock) }
      for (const warning of await route.ownership.track(old, object, author))
        machinery.log.info(warning, { ...name })
      const free = (old.metadata.deletionGracePeriodSeconds ?? 0) === 0 && isFree(object, route)
      return ok({ type: isTerminating(old) && free ? 'remove' : 'write', object })
    },
  })
  return written.ok || written.failure.reason === 'NotFound' ? undefined : written.failure.message
}

function withoutEmpty(metadata: ObjectMeta): ObjectMeta {
  const { ownerReferences = [], finalizers = [], ...rest } = metadata
  return {
    ...rest,
    ...(ownerReferences.length === 0 ? {} : { ownerReferences }),
    ...(finalizers.length === 0 ? {} : { finalizers }),
  }
}

/** Lets the object go from these owners. */
export function dropReferences(
  writes: CollectorWrites,
  uids: readonly string[],
): Promise<string | undefined> {
  return editMetadata(writes, ({ ownerReferences = [] }) => {
    const kept = ownerReferences.filter(({ uid }) => !uids.includes(uid))
    return kept.length === ownerReferences.length ? undefined : { ownerReferences: kept }
  })
}

/** No owner waits for this object any more. */
export function unblockOwners(writes: CollectorWrites): Promise<string | undefined> {
  return editMetadata(writes, ({ ownerReferences = [] }) => {
    if (!ownerReferences.some(({ blockOwnerDeletion }) => blockOwnerDeletion === true)) return undefined
    return { ownerReferences: ownerReferences.map((owner) => ({ ...owner, blockOwnerDeletion: false })) }
  })
}

export function removeFinalizer(writes: CollectorWrites, finalizer: string): Promise<string | undefined> {
  return editMetadata(writes, ({ finalizers = [] }) =>
    finalizers.includes(finalizer)
      ? { finalizers: finalizers.filter((one) => one !== finalizer) }
      : undefined,
  )
}

/** Deletes the object as it was judged: nothing when it has changed since, which is heard of and judged again. */
export async function deleteJudged(
  { route, machinery, name, uid, user }: CollectorWrites,
  resourceVersion: string,
  propagation: Propagation,
): Promise<string | undefined> {
  const deleted = await deleteOne(route, machinery, name, user, {
    kind: 'DeleteOptions',
    dryRun: false,
    gracePeriodSeconds: undefined,
    propagation,
    uid,
    resourceVersion,
    cascades: false,
  })
  return deleted.ok || deleted.failure.reason === 'NotFound' ? undefined : deleted.failure.message
}
