/**
 * Whether two JSON values are equal, spelling for spelling. The order of an object's members does not count, and a member
 * that is undefined is absent.
 */

import { isJsonObject, type JsonObject } from './json.ts'

/** Deeper values count as different: decoders refuse them long before. */
const depthMax = 1024

export function sameJson(a: unknown, b: unknown, depth = 0): boolean {
  if (a === b) return true
  if (typeof a !== 'object' || typeof b !== 'object' || a === null || b === null || depth > depthMax)
    return false
  if (Array.isArray(a)) return Array.isArray(b) && sameLists(a, b, depth)
  return isJsonObject(a) && isJsonObject(b) && sameMembers(a, b, depth)
}

function sameLists(a: readonly unknown[], b: readonly unknown[], depth: number): boolean {
  if (a.length !== b.length) return false
  for (let index = 0; index < a.length; index++) {
    if (!sameJson(a[index], b[index], depth + 1)) return false
  }
  return true
}

/** Own members only: a label may be called `constructor`. */
function sameMembers(a: JsonObject, b: JsonObject, depth: number): boolean {
  let count = 0
  for (const name in a) {
    const part = a[name]
    if (part === undefined) continue
    count++
    if (!Object.hasOwn(b, name) || !sameJson(part, b[name], depth + 1)) return false
  }
  for (const name in b) if (b[name] !== undefined) count--
  return count === 0
}
