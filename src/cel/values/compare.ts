/** CEL's `==` and `<` over runtime values: numbers compare by value across int, uint and double. */

import { sameJson } from '../../same-json.ts'
import type { ListIdentity } from '../types.ts'
import { identityOf } from './identity.ts'
import {
  CelDouble,
  CelDuration,
  CelList,
  CelMap,
  CelOpaque,
  CelOptional,
  CelTimestamp,
  CelTypeValue,
  CelUint,
  type Value,
} from './value.ts'

function isNumeric(value: Value): value is number | bigint | CelDouble | CelUint {
  const isInt = typeof value === 'number' || typeof value === 'bigint'
  return isInt || value instanceof CelDouble || value instanceof CelUint
}

/** The number in it; beside a double as a double, with its loss of digits, else exact. */
function numberIn(value: number | bigint | CelDouble | CelUint, asDouble: boolean): number | bigint {
  const number = typeof value === 'object' ? value.value : value
  return asDouble && typeof number === 'bigint' ? Number(number) : number
}

function compareNumbers(a: number | bigint | CelDouble | CelUint, b: typeof a): number {
  const lossy = a instanceof CelDouble || b instanceof CelDouble
  const left = numberIn(a, lossy)
  const right = numberIn(b, lossy)
  // JavaScript compares number with bigint by exact mathematical value
  return left < right ? -1 : left > right ? 1 : left <= right ? 0 : Number.NaN
}

/**
 * Negative, 0 or positive; `NaN` when neither is less (a NaN among them); `undefined` when the types have no order
 * together. Bytes by byte, strings by code point, false before true.
 */
export function compare(a: Value, b: Value): number | undefined {
  if (isNumeric(a)) return isNumeric(b) ? compareNumbers(a, b) : undefined
  if (typeof a === 'string') return typeof b === 'string' ? compareStrings(a, b) : undefined
  if (typeof a === 'boolean') return typeof b === 'boolean' ? Number(a) - Number(b) : undefined
  if (a instanceof CelTimestamp && b instanceof CelTimestamp) return order(a.nanos, b.nanos)
  if (a instanceof CelDuration && b instanceof CelDuration) return order(a.nanos, b.nanos)
  if (a instanceof Uint8Array && b instanceof Uint8Array) return Buffer.compare(a, b)
  return undefined
}

function order(a: bigint, b: bigint): number {
  return a < b ? -1 : a > b ? 1 : 0
}

/** By code point: a surrogate pair is after every other character, which plain `<` gets wrong above U+D7FF. */
function compareStrings(a: string, b: string): number {
  if (a === b) return 0
  const length = Math.min(a.length, b.length)
  for (let at = 0; at < length; at++) {
    const left = a.charCodeAt(at)
    const right = b.charCodeAt(at)
    if (left !== right) return rank(left) - rank(right)
  }
  return a.length - b.length
}

function rank(unit: number): number {
  return unit >= 0xd800 && unit <= 0xdfff ? unit + 0x10000 : unit
}

/**
 * Steps taken by deep comparisons of one evaluation. Values may share their parts, so that a small expression can
 * spell a comparison of exponential length: past `max` every comparison answers at once, with nonsense, and the
 * evaluation is then told to have exceeded its budget.
 */
export const work = { spent: 0, max: Number.POSITIVE_INFINITY }

/** Values of different kinds are unequal; a NaN equals nothing. Depth is bounded by the values', which are finite. */
export function equal(a: Value, b: Value): boolean {
  if (a === b) return true
  if (typeof a === 'string' || typeof a === 'boolean' || a === null || b === null) return false
  if (isNumeric(a)) return isNumeric(b) && compareNumbers(a, b) === 0
  if (a instanceof CelList) return b instanceof CelList && equalLists(a, b)
  if (a instanceof CelMap) return b instanceof CelMap && equalMaps(a, b)
  if (a instanceof CelOptional) return b instanceof CelOptional && equalOptionals(a, b)
  if (a instanceof CelTypeValue) return b instanceof CelTypeValue && a.name === b.name
  if (a instanceof CelOpaque) return b instanceof CelOpaque && equalOpaque(a, b)
  return compare(a, b) === 0
}

function equalOpaque(a: CelOpaque, b: CelOpaque): boolean {
  if (a.host === b.host) return true
  return a.host.celType.name === b.host.celType.name && (a.host.equals?.(b.host) ?? false)
}

function equalOptionals(a: CelOptional, b: CelOptional): boolean {
  if (a.value === undefined || b.value === undefined) return a.value === b.value
  return equal(a.value, b.value)
}

function equalLists(a: CelList, b: CelList): boolean {
  if (a.size !== b.size) return false
  if (a.identity !== undefined) return equalSets(a, b, a.identity)
  work.spent += a.size
  if (work.spent > work.max) return false
  for (let index = 0; index < a.size; index++) {
    if (!equal(a.at(index), b.at(index))) return false
  }
  return true
}

/** Each element has its equal at any place; looked up by its identity, so that it does not cost the square. */
function equalSets(a: CelList, b: CelList, identity: ListIdentity): boolean {
  const others = new Map<string, Value>()
  for (let index = 0; index < b.size; index++) others.set(identityOf(b.at(index), identity), b.at(index))
  for (let index = 0; index < a.size; index++) {
    const other = others.get(identityOf(a.at(index), identity))
    if (other === undefined || !equal(a.at(index), other)) return false
  }
  return true
}

function equalMaps(a: CelMap, b: CelMap): boolean {
  if (a.size !== b.size || a.object?.name !== b.object?.name) return false
  work.spent += a.size
  if (work.spent > work.max || !sameJson(a.unseen, b.unseen)) return false
  return a.keys().every((key) => {
    const left = a.get(key)
    const right = b.get(key)
    return left !== undefined && right !== undefined && equal(left, right)
  })
}

/** What `size()` says, in code points, bytes, elements or entries; 1 for values without a size: cost counts by it. */
export function sizeOf(value: Value): number {
  if (typeof value === 'string') return codePoints(value)
  if (typeof value !== 'object' || value === null) return 1
  if (value instanceof CelList || value instanceof CelMap) return value.size
  return value instanceof Uint8Array ? value.length : 1
}

/** {@link sizeOf} for costs: exact where it matters, without walking short strings. */
export function costSize(value: Value): number {
  return typeof value === 'string' && value.length <= 10 ? value.length : sizeOf(value)
}

/** Length of a text in code points. */
export function codePoints(text: string): number {
  let count = text.length
  for (let at = 0; at < text.length - 1; at++) {
    const unit = text.charCodeAt(at)
    if (unit >= 0xd800 && unit <= 0xdbff && isLowSurrogate(text.charCodeAt(at + 1))) {
      count--
      at++
    }
  }
  return count
}

function isLowSurrogate(unit: number): boolean {
  return unit >= 0xdc00 && unit <= 0xdfff
}
