/** What of a pod can change while it runs. */

import type { JsonObject, JsonValue } from '../../json.ts'
import { forbiddenField, invalidValue } from '../../status/causes.ts'
import type { Cause } from '../../status/status.ts'
import { objectAt, objectsAt } from '../draft.ts'
import { semanticallyEqual } from '../equality.ts'
import type { ApiObject } from '../object.ts'
import { itemsIn, numberIn, specOf } from '../validation/read.ts'

const changeable =
  'pod updates may not change fields other than `spec.containers[*].image`,`spec.initContainers[*].image`,`spec.activeDeadlineSeconds`,`spec.tolerations` (only additions to existing tolerations),`spec.terminationGracePeriodSeconds` (allow it to be set to 1 if it was previously negative)'

export function podUpdateCauses(object: ApiObject, old: ApiObject): readonly Cause[] {
  const count = countCauses(object, old)
  if (count.length > 0) return count
  const causes = [...deadlineCauses(object, old), ...tolerationCauses(object, old)]
  const fixed = fixedSpec(object)
  const before = fixedSpec(old)
  const gates = gateCauses(object, old)
  if (gates.length > 0) return [...causes, ...gates]
  // A pod that waits behind scheduling gates may still narrow where it can go.
  if (objectsAt(objectAt(old, 'spec'), 'schedulingGates').length > 0) {
    for (const spec of [fixed, before]) {
      delete spec['nodeSelector']
      delete spec['affinity']
    }
  }
  return semanticallyEqual(fixed, before) ? causes : [...causes, forbiddenField('spec', changeable)]
}

/** The spec without what an update may change. */
function fixedSpec(object: ApiObject): Record<string, JsonValue> {
  const {
    activeDeadlineSeconds: _deadline,
    tolerations: _tolerations,
    schedulingGates: _gates,
    ...spec
  } = objectAt(object, 'spec') ?? {}
  const seconds = spec['terminationGracePeriodSeconds']
  if (typeof seconds === 'number' && seconds < 0) spec['terminationGracePeriodSeconds'] = 1
  for (const list of ['containers', 'initContainers']) {
    if (spec[list] !== undefined) spec[list] = objectsAt(spec, list).map(({ image: _image, ...rest }) => rest)
  }
  return spec
}

/** Gates can be taken away, never added. */
function gateCauses(object: ApiObject, old: ApiObject): readonly Cause[] {
  const before = new Set(objectsAt(objectAt(old, 'spec'), 'schedulingGates').map((gate) => gate['name']))
  const added = objectsAt(objectAt(object, 'spec'), 'schedulingGates').filter(
    (gate) => !before.has(gate['name']),
  )
  if (added.length === 0) return []
  return [forbiddenField('spec.schedulingGates', 'only deletion is allowed, but found new scheduling gates')]
}

/** The first list that grew or shrank is told, and nothing beside it. */
function countCauses(object: ApiObject, old: ApiObject): Cause[] {
  const list = ['containers', 'initContainers'].find(
    (name) => itemsIn(specOf(object), name).length !== itemsIn(specOf(old), name).length,
  )
  if (list === undefined) return []
  return [forbiddenField(`spec.${list}`, 'pod updates may not add or remove containers')]
}

/** A deadline can come nearer. */
function deadlineCauses(object: ApiObject, old: ApiObject): Cause[] {
  const before = numberIn(specOf(old), 'activeDeadlineSeconds')
  if (before === undefined) return []
  const after = numberIn(specOf(object), 'activeDeadlineSeconds')
  const field = 'spec.activeDeadlineSeconds'
  if (after === undefined)
    return [invalidValue(field, null, 'must not update from a positive integer to nil value')]
  return after > before ? [invalidValue(field, after, 'must be less than or equal to previous value')] : []
}

/** What is tolerated stays so; more can be added. */
function tolerationCauses(object: ApiObject, old: ApiObject): Cause[] {
  const after = itemsIn(specOf(object), 'tolerations').map(withoutSeconds)
  const kept = itemsIn(specOf(old), 'tolerations')
    .map(withoutSeconds)
    .every((toleration) => after.some((one) => semanticallyEqual(one, toleration)))
  const detail = 'existing toleration can not be modified except its tolerationSeconds'
  return kept ? [] : [forbiddenField('spec.tolerations', detail)]
}

function withoutSeconds({ tolerationSeconds: _seconds, ...toleration }: JsonObject): JsonObject {
  return toleration
}
