/** pods/ephemeralcontainers: containers for looking into a running pod can be added, never changed or taken away. */

import { forbiddenField } from '../../status/causes.ts'
import type { Cause } from '../../status/status.ts'
import { objectAt, objectsAt, textAt } from '../../types/draft.ts'
import { semanticallyEqual } from '../../types/equality.ts'
import type { ApiObject } from '../../types/object.ts'

const path = 'spec.ephemeralContainers'

/** @param mirrorKey the annotation of pods that a node runs from its own files */
export function ephemeralContainerCauses(
  object: ApiObject,
  old: ApiObject,
  mirrorKey: string,
): readonly Cause[] {
  if (old.metadata.annotations?.[mirrorKey] !== undefined)
    return [forbiddenField('', 'static pods do not support ephemeral containers')]
  const after = new Map(
    objectsAt(objectAt(object, 'spec'), 'ephemeralContainers').map((one) => [textAt(one, 'name'), one]),
  )
  const causes: Cause[] = []
  for (const before of objectsAt(objectAt(old, 'spec'), 'ephemeralContainers')) {
    const name = textAt(before, 'name')
    const now = after.get(name)
    if (now === undefined)
      causes.push(
        forbiddenField(path, `existing ephemeral containers ${JSON.stringify(name)} may not be removed\n`),
      )
    else if (!semanticallyEqual(now, before))
      causes.push(
        forbiddenField(path, `existing ephemeral containers ${JSON.stringify(name)} may not be changed\n`),
      )
  }
  return causes
}
