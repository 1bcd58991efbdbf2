/** Whether two JSON values are equal; the order of an object's members does not count. Absent equals undefined. */

import { isJsonObject, type JsonObject } from '../json.ts'

export function sameJson(a: unknown, b: unknown): boolean {
  if (a === b) return true
  if (Array.isArray(a)) {
    return Array.isArray(b) && a.length === b.length && a.every((one, index) => sameJson(one, b[index]))
  }
  if (!isJsonObject(a) || !isJsonObject(b)) return false
  return everyMemberSame(a, b) && noMemberMissing(b, a)
}

function everyMemberSame(a: JsonObject, b: JsonObject): boolean {
  return Object.keys(a).every((name) => sameJson(a[name], own(b, name)))
}

function noMemberMissing(a: JsonObject, b: JsonObject): boolean {
  return Object.keys(a).every((name) => a[name] === undefined || own(b, name) !== undefined)
}

/** Not inherited: a label may be called `constructor`. */
function own(object: JsonObject, name: string): unknown {
  return Object.hasOwn(object, name) ? object[name] : undefined
}
