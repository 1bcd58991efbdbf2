/**
 * Bounds of numbers. Whole numbers are compared as integers, by bounds whose fraction is cut, as clients of this API know
 * it: 2 is not less than a minimum of 2.5, and every whole number offends a factor below 1.
 */

import { formatDouble } from '../../cel/library/standard/conversions.ts'
import { isWhole } from '../../status/plain-values.ts'
import { factorNotPositive, notMultipleOf, tooGreat, tooSmall } from './problems.ts'
import { type Run, report } from './run.ts'
import type { ValueValidation } from './structural.ts'

type NumberCheck = (value: number, run: Run, depth: number) => void

/** Undefined = numbers are free. */
export function numberCheck(asked: ValueValidation): NumberCheck | undefined {
  const { multipleOf, minimum, exclusiveMinimum, maximum, exclusiveMaximum } = asked
  if (multipleOf === undefined && minimum === undefined && maximum === undefined) return undefined
  return (value, run, depth) => {
    const whole = isWhole(value)
    if (multipleOf !== undefined) {
      const factor = whole ? Math.trunc(multipleOf) : multipleOf
      if (factor <= 0) report(run, depth, (path) => factorNotPositive(path, factor))
      else if (!isMultiple(value, factor, whole))
        report(run, depth, (path) => notMultipleOf(path, value, shown(factor, whole)))
    }
    if (minimum !== undefined) {
      const bound = whole ? Math.trunc(minimum) : minimum
      if (exclusiveMinimum ? value <= bound : value < bound)
        report(run, depth, (path) => tooSmall(path, value, shown(bound, whole), exclusiveMinimum))
    }
    if (maximum !== undefined) {
      const bound = whole ? Math.trunc(maximum) : maximum
      if (exclusiveMaximum ? value >= bound : value > bound)
        report(run, depth, (path) => tooGreat(path, value, shown(bound, whole), exclusiveMaximum))
    }
  }
}

function shown(bound: number, whole: boolean): string {
  return whole ? String(bound) : formatDouble(bound)
}

function isMultiple(value: number, factor: number, whole: boolean): boolean {
  if (whole) return value % factor === 0
  return isNearlyInteger(factor < 1 ? (1 / factor) * value : value / factor)
}

const relativeErrorMax = 1e-9

/** An integer that every double holds, or a hair above one. */
export function isNearlyInteger(value: number): boolean {
  if (Math.abs(value) > Number.MAX_SAFE_INTEGER) return false
  if (Number.isInteger(value)) return true
  const cut = Math.trunc(value)
  return cut > 0 && (value - cut) / (value + cut) < relativeErrorMax
}
