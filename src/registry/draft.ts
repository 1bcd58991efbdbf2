/** An object as it is handed to storage. */

import { fail, ok } from '../../store/contract.ts'
import { objectBytesMax } from '../codec/body.ts'
import { tooLarge } from '../status/failures.ts'
import type { Draft } from '../storage/contract.ts'
import { encodeDraft } from '../storage/record.ts'
import type { ApiObject } from '../types/object.ts'
import type { ResourceType } from '../types/resource.ts'
import type { Checked } from './machinery.ts'

/** Fails when the object is larger than the store should keep. */
export function draftOf(object: ApiObject, type: ResourceType): Checked<Draft> {
  const { strategy } = type
  const fields = strategy.selectableFields?.(object)
  const ttlMs = strategy.ttlMs?.(object)
  const draft = encodeDraft({
    object,
    ...(fields === undefined ? {} : { fields }),
    ...(ttlMs === undefined ? {} : { ttlMs }),
  })
  if (draft.record.length <= objectBytesMax) return ok(draft)
  return fail(
    tooLarge(
      `etcdserver: request is too large: the object has ${draft.record.length} bytes, at most ${objectBytesMax} are stored`,
    ),
  )
}
