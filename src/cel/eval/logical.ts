/** `&&` and `||`. */

import type { Logical } from '../syntax/ast.ts'
import { CelError, noSuchOverload, type Value } from '../values/value.ts'
import { halted, type Plan, type Step } from './frame.ts'

/** An error on one side is absorbed when another side decides; the budget's end never is. */
export function planLogical(expr: Logical, plan: Plan): Step {
  const terms = expr.terms.map(plan)
  const decisive = expr.operator === '||'
  const [first, second] = terms
  if (terms.length !== 2 || first === undefined || second === undefined) return manyTerms(terms, decisive)
  return (frame) => {
    const left = first(frame)
    if (left === decisive || left === halted) return left
    const right = second(frame)
    if (right === decisive || right === halted) return right
    if (left === !decisive && right === !decisive) return !decisive
    return typeof left === 'boolean' ? errorOf(right) : errorOf(left)
  }
}

function manyTerms(terms: readonly Step[], decisive: boolean): Step {
  return (frame) => {
    let error: CelError | undefined
    for (const term of terms) {
      const value = term(frame)
      if (value === decisive || value === halted) return value
      if (value !== !decisive) error ??= errorOf(value)
    }
    return error ?? !decisive
  }
}

function errorOf(value: Value): CelError {
  return value instanceof CelError ? value : noSuchOverload
}
