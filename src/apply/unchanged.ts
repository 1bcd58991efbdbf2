/** Writes that change nothing but the time in managedFields are no writes. */

import { sameJson } from '../same-json.ts'
import type { ApiObject } from '../types/object.ts'

/**
 * After admission and defaults: when `updated` differs from `live` in nothing but times of managedFields, it gets the
 * live ones back, so that the write is seen to be none. Entries that came or went count as a change.
 */
export function keepTimesIfUnchanged(updated: ApiObject, live: ApiObject): void {
  const before = live.metadata.managedFields
  const after = updated.metadata.managedFields
  if (before === undefined || after === undefined || before === after || before.length !== after.length)
    return
  for (const [index, entry] of after.entries()) {
    const old = before[index]
    if (old === undefined || !sameJson({ ...entry, time: null }, { ...old, time: null })) return
  }
  const { metadata: oldMetadata, ...oldRest } = live
  const { metadata, ...rest } = updated
  const isSame =
    sameJson(asJson(rest), asJson(oldRest)) &&
    sameJson(asJson({ ...metadata, managedFields: [] }), asJson({ ...oldMetadata, managedFields: [] }))
  if (isSame) updated.metadata.managedFields = before
}

/** Parts of an object of the API are plain JSON. */
function asJson(part: object): Parameters<typeof sameJson>[0] {
  return part as Parameters<typeof sameJson>[0]
}
