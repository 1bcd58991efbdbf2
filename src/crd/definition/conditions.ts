/** Conditions of a definition. Pure. */

import type { JsonObject } from '../../json.ts'
import type { ApiObject } from '../../types/object.ts'
import { itemsIn, jsonOf, objectIn } from '../../types/validation/read.ts'

export interface Condition {
  readonly type: string
  readonly status: 'True' | 'False' | 'Unknown'
  readonly reason: string
  readonly message: string
}

export function conditionOf(definition: ApiObject, type: string): JsonObject | undefined {
  return itemsIn(objectIn(jsonOf(definition), 'status'), 'conditions').find((one) => one['type'] === type)
}

export function isTrue(definition: ApiObject, type: string): boolean {
  return conditionOf(definition, type)?.['status'] === 'True'
}
