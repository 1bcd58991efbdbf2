/** Equality as the API means it: absent and empty are the same. */

import { isJsonObject, type JsonValue } from '../json.ts'
import { isEmpty } from '../schema/defaults.ts'

export function semanticallyEqual(a: JsonValue | undefined, b: JsonValue | undefined): boolean {
  if (a === b || (isEmpty(a) && isEmpty(b))) return true
  if (Array.isArray(a) && Array.isArray(b)) {
    return a.length === b.length && a.every((element: JsonValue, i) => semanticallyEqual(element, b[i]))
  }
  if (!isJsonObject(a) || !isJsonObject(b)) return a === undefined || b === undefined ? hollow(a ?? b) : false
  for (const key of new Set([...Object.keys(a), ...Object.keys(b)])) {
    if (!semanticallyEqual(a[key], b[key])) return false
  }
  return true
}

/** Nothing but empty members: what stands for an absent message. */
function hollow(value: JsonValue | undefined): boolean {
  return isEmpty(value) || (isJsonObject(value) && Object.values(value).every(hollow))
}
