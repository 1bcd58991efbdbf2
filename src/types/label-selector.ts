/** Whether labels match the selector of an object: `matchLabels` and `matchExpressions` together. */

import type { JsonObject, JsonValue } from '../json.ts'
import { objectAt, objectsAt, textAt } from './draft.ts'

/** A selector without requirements matches everything, an absent one nothing. An operator that there is not: nothing. No labels = none. */
export function selectorMatches(selector: JsonObject | undefined, labels: JsonObject = {}): boolean {
  if (selector === undefined) return false
  const wanted = Object.entries(objectAt(selector, 'matchLabels') ?? {})
  return (
    wanted.every(([key, value]) => labelOf(labels, key) === value) &&
    objectsAt(selector, 'matchExpressions').every((expression) => expressionHolds(expression, labels))
  )
}

function expressionHolds(expression: JsonObject, labels: JsonObject): boolean {
  const value = labelOf(labels, textAt(expression, 'key'))
  switch (expression['operator']) {
    case 'In':
      return value !== undefined && listed(expression['values'], value)
    case 'NotIn':
      return value === undefined || !listed(expression['values'], value)
    case 'Exists':
      return value !== undefined
    case 'DoesNotExist':
      return value === undefined
    default:
      return false
  }
}

function listed(values: JsonValue | undefined, value: JsonValue): boolean {
  return Array.isArray(values) && values.includes(value)
}

function labelOf(labels: JsonObject, key: string): JsonValue | undefined {
  return Object.hasOwn(labels, key) ? labels[key] : undefined
}
