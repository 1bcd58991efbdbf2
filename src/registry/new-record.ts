/** An object as it is handed to storage. */

import { fail, ok } from '../../store/contract.ts'
import { objectBytesMax } from '../codec/body.ts'
import { tooLarge } from '../status/failures.ts'
import type { NewRecord } from '../storage/contract.ts'
import { encodeRecord } from '../storage/record.ts'
import type { ApiObject } from '../types/object.ts'
import type { ResourceType } from '../types/resource.ts'
import type { Checked } from './machinery.ts'

/**
 * Fails when the object is larger than the store should keep.
 * @param isInForm false = it lacks what the version that is stored gives it: that is made up for when it is read
 */
export function newRecordOf(object: ApiObject, type: ResourceType, isInForm = true): Checked<NewRecord> {
  const { strategy } = type
  const fields = strategy.selectableFields?.(object)
  const ttlMs = strategy.ttlMs?.(object)
  const form = isInForm ? type.storage?.form : undefined
  const newRecord = encodeRecord({
    object,
    ...(fields === undefined ? {} : { fields }),
    ...(ttlMs === undefined ? {} : { ttlMs }),
    ...(form === undefined ? {} : { form: form.id }),
  })
  if (newRecord.record.length <= objectBytesMax) return ok(newRecord)
  return fail(
    tooLarge(
      `etcdserver: request is too large: the object has ${newRecord.record.length} bytes, at most ${objectBytesMax} are stored`,
    ),
  )
}
