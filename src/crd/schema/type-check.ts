/** Whether a value is of the type that is asked for. */

import type { JsonValue } from '../../json.ts'
import { isWhole } from '../../status/plain-values.ts'
import { servedFormat } from './formats.ts'
import { isNearlyInteger } from './numbers.ts'
import { beyondExact, wrongType } from './problems.ts'
import { type Run, report } from './run.ts'
import type { StructuralType } from './structural.ts'

/** Returns 2 for a value of the type, 1 for another. */
type TypeCheck = (value: JsonValue, run: Run, depth: number) => number

/** `types`: one of them; none = any. Undefined = nothing is asked. */
export function typeCheck(
  types: readonly StructuralType[],
  nullable: boolean,
  givenFormat: string | undefined,
): TypeCheck | undefined {
  const format = servedFormat(givenFormat)
  if (types.length === 0 && format === undefined) return undefined
  const expected = types.join(',')
  const isNumeric = types.includes('number') || types.includes('integer')
  const takesInteger = types.includes('integer')
  const takesNumber = types.includes('number')
  const isOfType = (value: JsonValue, found: StructuralType): boolean =>
    types.includes(found) ||
    (found === 'integer' && takesNumber) ||
    (found === 'number' && takesInteger && isNearlyInteger(value as number))
  return (value, run, depth) => {
    if (value === null) {
      if (nullable || types.length === 0) return 2
      report(run, depth, (path) => wrongType(path, expected, 'null'))
      return 1
    }
    if (takesInteger && !takesNumber && isBeyondExact(value)) {
      report(run, depth, (path) => beyondExact(path, value))
      return 1
    }
    const found = typeOf(value)
    if (isOfType(value, found)) return 2
    if (format !== undefined) {
      // A format is a property of texts: whatever else is asked of them, texts and lists pass here.
      if (found !== 'string' && found !== 'array') {
        report(run, depth, (path) => wrongType(path, format, formatsFound[found] ?? ''))
        return 1
      }
      if (!isNumeric) return 2
    }
    report(run, depth, (path) => wrongType(path, expected, found))
    return 1
  }
}

/** 2^63 is what the greatest integer of 64 bits is read as. */
const int64Bound = 2 ** 63

/** An integer of 64 bits whose text may have said another: it is not stored for it. */
function isBeyondExact(value: JsonValue): value is number {
  return Number.isInteger(value) && !Number.isSafeInteger(value) && Math.abs(value as number) <= int64Bound
}

/** What a number is found to be where a format is asked for. */
const formatsFound: Readonly<Partial<Record<StructuralType, string>>> = {
  integer: 'int64',
  number: 'float64',
}

function typeOf(value: NonNullable<JsonValue>): StructuralType {
  switch (typeof value) {
    case 'string':
      return 'string'
    case 'boolean':
      return 'boolean'
    case 'number':
      return isWhole(value) ? 'integer' : 'number'
    default:
      return Array.isArray(value) ? 'array' : 'object'
  }
}
