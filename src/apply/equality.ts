/** When two values count as the same: apply and ownership care for what a value means, not for its spelling. */

import { isJsonObject, type JsonObject, type JsonValue } from '../json.ts'
import { sameJson } from '../same-json.ts'
import type { ScalarType } from '../schema/descriptor.ts'
import { parseQuantity } from '../schema/quantity.ts'
import { partOf, type Shape } from './shape.ts'

/** `Array.isArray` for read-only lists. */
export function isList(value: JsonValue | undefined): value is readonly JsonValue[] {
  return Array.isArray(value)
}

function sameObject(a: JsonObject, b: JsonObject, sameField: (name: string) => boolean): boolean {
  let count = 0
  for (const name in a) {
    if (a[name] === undefined) continue
    count++
    if (!Object.hasOwn(b, name) || !sameField(name)) return false
  }
  for (const name in b) if (b[name] !== undefined) count--
  return count === 0
}

/** The same by the rules of the schema: quantities and times by what they mean. */
export function sameValue(shape: Shape, a: JsonValue | undefined, b: JsonValue | undefined): boolean {
  if (a === b) return true
  if (a === undefined || b === undefined || a === null || b === null) return false
  switch (shape.kind) {
    case 'leaf':
      return sameScalar(shape.scalar, a, b)
    case 'list':
      return (
        isList(a) &&
        isList(b) &&
        a.length === b.length &&
        a.every((item, index) => sameValue(shape.item, item, b[index]))
      )
    case 'map':
      return (
        isJsonObject(a) &&
        isJsonObject(b) &&
        sameObject(a, b, (name) => sameValue(shape.value, a[name], b[name]))
      )
    case 'struct':
      if (!isJsonObject(a) || !isJsonObject(b)) return sameJson(a, b)
      return sameObject(a, b, (name) => sameValue(partOf(shape, name), a[name], b[name]))
    case 'deduced':
    case 'untracked':
      return sameJson(a, b)
  }
}

function sameScalar(scalar: ScalarType | 'any', a: JsonValue, b: JsonValue): boolean {
  switch (scalar) {
    case 'quantity':
      return sameQuantity(a, b)
    case 'time':
      return typeof a === 'string' && typeof b === 'string' && Date.parse(a) === Date.parse(b)
    case 'json':
    case 'rawExtension':
      return sameJson(a, b)
    default:
      return false
  }
}

function sameQuantity(a: JsonValue, b: JsonValue): boolean {
  const left = parseQuantity(String(a))
  return left !== undefined && left.nanos === parseQuantity(String(b))?.nanos
}
