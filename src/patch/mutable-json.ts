/** JSON that a patch may change: a value of its own, never shared. Keys from outside are always plain members. */

import { isJsonObject } from '../json.ts'
import { setOwn } from '../own.ts'

export type MutableJson = null | boolean | number | string | MutableJson[] | MutableObject

export interface MutableObject {
  [key: string]: MutableJson
}

/** A copy of a JSON value that shares nothing with it. */
export function cloneJson(value: unknown): MutableJson {
  if (Array.isArray(value)) return value.map(cloneJson)
  if (!isJsonObject(value)) return isScalar(value) ? value : null
  const copy: MutableObject = {}
  for (const name in value) {
    const member = value[name]
    if (member !== undefined) setOwn(copy, name, isScalar(member) ? member : cloneJson(member))
  }
  return copy
}

function isScalar(value: unknown): value is boolean | number | string {
  return typeof value === 'string' || typeof value === 'number' || typeof value === 'boolean'
}

/** Number of values in it; stops counting above `limit`. */
export function jsonSize(value: MutableJson, limit: number): number {
  let count = 1
  if (typeof value !== 'object' || value === null) return count
  for (const member of Object.values(value)) {
    if (count > limit) break
    count += jsonSize(member, limit - count)
  }
  return count
}

/** Whether arrays and objects nest deeper than `levels`. Walks no deeper than that itself. */
export function isDeeperThan(value: MutableJson, levels: number): boolean {
  if (typeof value !== 'object' || value === null) return false
  if (levels === 0) return true
  if (Array.isArray(value)) return value.some((member) => isDeeperThan(member, levels - 1))
  // Values of parsed JSON inherit nothing that is enumerable.
  for (const name in value) {
    const member = value[name]
    if (typeof member === 'object' && member !== null && isDeeperThan(member, levels - 1)) return true
  }
  return false
}
