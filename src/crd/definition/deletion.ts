/** What the first request for deletion makes of a definition: it waits until its objects are gone. Pure. */

import type { ApiObject } from '../../types/object.ts'
import { setCondition } from './set-condition.ts'

/** A new object. `finalizer` stands until the objects are gone; `now`: RFC 3339, whole seconds. */
export function beginDeletion(definition: ApiObject, finalizer: string, now: string): ApiObject {
  const { finalizers = [] } = definition.metadata
  const marked: ApiObject = {
    ...structuredClone(definition),
    metadata: {
      ...definition.metadata,
      deletionTimestamp: now,
      finalizers: finalizers.includes(finalizer) ? finalizers : [...finalizers, finalizer],
    },
  }
  const condition = {
    type: 'Terminating',
    status: 'True',
    reason: 'InstanceDeletionPending',
    message: 'CustomResourceDefinition marked for deletion; CustomResource deletion will begin soon',
  } as const
  setCondition(marked, condition, now)
  return marked
}
