/** pods/ephemeralcontainers: containers for looking into a running pod can be added, never changed or taken away. */

import { forbiddenField } from '../../status/causes.ts'
import type { Cause } from '../../status/status.ts'
import { objectAt, objectsAt, textAt } from '../../types/draft.ts'
import { semanticallyEqual } from '../../types/equality.ts'
import type { ApiObject } from '../../types/object.ts'

const path = 'spec.ephemeralContainers'

export function ephemeralContainerCauses(object: ApiObject, old: ApiObject): readonly Cause[] {
  const after = new Map(
    objectsAt(objectAt(object, 'spec'), 'ephemeralContainers').map((one) => [textAt(one, 'name'), one]),
  )
  const causes: Cause[] = []
  for (const before of objectsAt(objectAt(old, 'spec'), 'ephemeralContainers')) {
    const name = textAt(before, 'name')
    const now = after.get(name)
    if (now === undefined)
      causes.push(
        forbiddenField(path, `existing ephemeral containers ${JSON.stringify(name)} may not be removed`),
      )
    else if (!semanticallyEqual(now, before))
      causes.push(
        forbiddenField(path, `existing ephemeral containers ${JSON.stringify(name)} may not be changed`),
      )
  }
  return causes
}
