/** Conditions of definitions. Pure. */

import type { JsonObject } from '../../json.ts'
import { draftOf, ensureObject, objectAt, objectsAt } from '../../types/draft.ts'
import type { ApiObject } from '../../types/object.ts'

export interface Condition {
  readonly type: string
  readonly status: 'True' | 'False'
  readonly reason: string
  readonly message: string
}

export function hasTrue(object: ApiObject, type: string): boolean {
  return conditionsOf(object).some((one) => one['type'] === type && one['status'] === 'True')
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
