/** Conditions in a status: at most one of each type. Source: Kubernetes API conventions, "Typical status properties". */

import { draftOf, ensureObject, objectsAt, textAt } from '../../types/draft.ts'
import type { ApiObject } from '../../types/object.ts'

interface Condition {
  readonly type: string
  readonly status: 'True' | 'False'
  readonly reason?: string
  readonly message?: string
  readonly observedGeneration?: number
}

/** Puts the condition in the place of the one of its type, or at the end. The time of the transition is kept when the state is. */
export function setCondition(object: ApiObject, condition: Condition, now: string): void {
  const status = ensureObject(draftOf(object), 'status')
  const conditions = objectsAt(status, 'conditions')
  const before = conditions.find(({ type }) => type === condition.type)
  const since = before?.['status'] === condition.status ? textAt(before, 'lastTransitionTime') || now : now
  const after = { ...condition, lastTransitionTime: since }
  status['conditions'] =
    before === undefined ? [...conditions, after] : conditions.map((one) => (one === before ? after : one))
}
