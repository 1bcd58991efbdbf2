/** Whether a value is one of those that a schema lists. */

import type { JsonValue } from '../../json.ts'
import { sameJson } from '../../same-json.ts'
import { isWhole } from '../../status/plain-values.ts'
import { notInEnum } from './problems.ts'
import { type Run, report } from './run.ts'

type EnumCheck = (value: JsonValue, run: Run, depth: number) => void

/** Undefined = any value will do. Null is never one of those listed. */
export function enumCheck(allowed: readonly JsonValue[] | undefined): EnumCheck | undefined {
  if (allowed === undefined) return undefined
  const scalars = new Set<JsonValue>(allowed.filter((one) => typeof one !== 'object'))
  return (value, run, depth) => {
    if (value !== null && (scalars.has(value) || allowed.some((one) => isMeant(value, one)))) return
    report(run, depth, (path) => notInEnum(path, value, allowed))
  }
}

/** A number is first made one of the listed kind: a fraction is cut, and a character stands for its number. */
function isMeant(value: JsonValue, listed: JsonValue): boolean {
  if (listed === null) return false
  if (typeof value !== 'number') return sameJson(value, listed)
  if (typeof listed === 'number') return isWhole(listed) && Math.trunc(value) === listed
  return typeof listed === 'string' && isWhole(value) && listed === characterOf(value)
}

const lastCharacter = 0x10ffff

function characterOf(number: number): string {
  return number >= 0 && number <= lastCharacter ? String.fromCodePoint(number) : '\ufffd'
}
