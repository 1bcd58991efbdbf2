/** Conditions of definitions. Pure. */

import type { JsonObject } from '../../json.ts'
import { draftOf, ensureObject, objectAt, objectsAt } from '../../types/draft.ts'
import type { ApiObject } from '../../types/object.ts'

export interface Condition {
  readonly type: string
  readonly status: 'True' | 'False' | 'Unknown'
  readonly reason: string
  readonly message: string
}

export function hasTrue(object: ApiObject, type: string): boolean {
  return conditionsOf(object).some((one) => one['type'] === type && one['status'] === 'True')
}

/** Is there one of the type that says all that `wanted` says? */
export function hasCondition(object: ApiObject, wanted: Partial<Condition>): boolean {
  return conditionsOf(object).some((one) =>
    Object.entries(wanted).every(([name, value]) => one[name] === value),
  )
}

/** Changes the object. */
export function removeCondition(object: ApiObject, type: string): void {
  const conditions = conditionsOf(object)
  const others = conditions.filter((one) => one['type'] !== type)
  if (others.length < conditions.length) ensureObject(draftOf(object), 'status')['conditions'] = others
}

/** Changes the object; a condition changes its time with its status. `now`: RFC 3339, whole seconds. */
export function setCondition(object: ApiObject, condition: Condition, now: string): void {
  const { type, status, reason, message } = condition
  const before = conditionsOf(object).find((one) => one['type'] === type)
  const since = before?.['status'] === status ? (before['lastTransitionTime'] ?? now) : now
  const after: JsonObject = { type, status, lastTransitionTime: since, reason, message }
  const conditions = conditionsOf(object)
  ensureObject(draftOf(object), 'status')['conditions'] =
    before === undefined ? [...conditions, after] : conditions.map((one) => (one === before ? after : one))
}

function conditionsOf(object: ApiObject): readonly JsonObject[] {
  return objectsAt(objectAt(object, 'status'), 'conditions')
}
