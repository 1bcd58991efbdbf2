/** References to the same owner, written down more than once. */

import { sameJson } from '../same-json.ts'
import type { ApiObject } from '../types/object.ts'

/** Drops references that are there already, and warns of them. Changes the object. */
export function dropRepeatedOwners({ metadata }: ApiObject, warnings: string[]): void {
  const { ownerReferences = [] } = metadata
  if (ownerReferences.length < 2) return
  const kept = ownerReferences.filter(
    (owner, at) =>
      !ownerReferences.slice(0, at).some((before) => before.uid === owner.uid && sameJson(before, owner)),
  )
  if (kept.length === ownerReferences.length) return
  const repeated = ownerReferences.filter((owner) => !kept.includes(owner)).map(({ uid }) => uid)
  metadata.ownerReferences = kept
  warnings.push(
    `.metadata.ownerReferences contains duplicate entries; API server dedups owner references in 1.20+, and may reject such requests as early as 1.24; please fix your requests; duplicate UID(s) observed: ${repeated.join(', ')}`,
  )
}
