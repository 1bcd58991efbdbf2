/** Reading parts of objects whose members may be absent, as cells need them. */

import { isJsonObject, type JsonObject, type JsonValue } from '../../json.ts'

/** The value at `path`; undefined when some part of it is absent. */
export function valueAt(value: JsonValue | undefined, ...path: readonly string[]): JsonValue | undefined {
  let at = value
  for (const step of path) at = isJsonObject(at) && Object.hasOwn(at, step) ? at[step] : undefined
  return at
}

/** '' where there is no text. */
export function textAt(value: JsonValue | undefined, ...path: readonly string[]): string {
  const found = valueAt(value, ...path)
  return typeof found === 'string' ? found : ''
}

/** 0 where there is no number. */
export function numberAt(value: JsonValue | undefined, ...path: readonly string[]): number {
  const found = valueAt(value, ...path)
  return typeof found === 'number' ? found : 0
}

/** The objects of a list; none where there is no list. */
export function objectsAt(value: JsonValue | undefined, ...path: readonly string[]): readonly JsonObject[] {
  const found = valueAt(value, ...path)
  return Array.isArray(found) ? found.filter(isJsonObject) : []
}

/** The texts of a list; none where there is no list. */
export function textsAt(value: JsonValue | undefined, ...path: readonly string[]): readonly string[] {
  const found = valueAt(value, ...path)
  return Array.isArray(found) ? found.filter((item) => typeof item === 'string') : []
}

/** The members of a map of texts, in the order of their keys. Keys are the user's: any text. */
export function entriesAt(
  value: JsonValue | undefined,
  ...path: readonly string[]
): readonly (readonly [string, string])[] {
  const found = valueAt(value, ...path)
  if (!isJsonObject(found)) return []
  return Object.keys(found)
    .sort()
    .map((key) => [key, textAt(found, key)])
}

/** How many entries a list or a map has. */
export function countAt(value: JsonValue | undefined, ...path: readonly string[]): number {
  const found = valueAt(value, ...path)
  if (Array.isArray(found)) return found.length
  return isJsonObject(found) ? Object.keys(found).length : 0
}

/** The value, or what is printed where there is none (null among it). */
export function valueOr(value: JsonValue | undefined, absent: JsonValue): JsonValue {
  return value === undefined || value === null ? absent : value
}

/** The text, or what is printed for an absent or empty one. */
export function textOr(found: string, absent: string): string {
  return found === '' ? absent : found
}

/** A quantity as it is written; an absent one is zero. */
export function quantityAt(value: JsonValue | undefined, ...path: readonly string[]): string {
  const found = valueAt(value, ...path)
  return typeof found === 'string' || typeof found === 'number' ? String(found) : '0'
}

/** The first condition of a type. */
export function conditionOf(conditions: readonly JsonObject[], type: string): JsonObject | undefined {
  return conditions.find((condition) => condition['type'] === type)
}

export function isTrue(condition: JsonObject | undefined): boolean {
  return condition?.['status'] === 'True'
}
