/**
 * Calls: arguments first, then the overload that their runtime types choose, its cost, and itself.
 *
 * Where the checker left one overload and knows the types, nothing is looked at at run time. Values from JSON may be
 * null whatever their declared type, so they are looked at.
 */

import type { Checked } from '../check/checker.ts'
import type { CostOf, Implementation } from '../library/library.ts'
import { specialize } from '../library/specialize.ts'
import type { Call, Expr } from '../syntax/ast.ts'
import { CelError, CelOptional, noSuchOverload } from '../values/value.ts'
import { dispatch } from './dispatch.ts'
import { halted, overdrawn, type Plan, type Step } from './frame.ts'

export function planCall(expr: Call, checked: Checked, plan: Plan): Step {
  if (expr.name === '_?_:_') return planConditional(expr, plan)
  const operands =
    expr.target === undefined || checked.spaced.has(expr) ? expr.args : [expr.target, ...expr.args]
  const candidates = checked.calls.get(expr)
  const [first] = candidates ?? []
  if (candidates === undefined || first === undefined) throw new TypeError('an unresolved call was planned')
  if (first.fallback !== undefined) return planFallback(operands, first.fallback, plan)
  const special = candidates.length === 1 ? specialize(first, operands) : undefined
  const { call, cost } = special ?? dispatch(candidates, operands)
  const steps = operands.map(plan)
  return arrange(steps, call, cost)
}

function arrange(steps: readonly Step[], call: Implementation, cost: CostOf | undefined): Step {
  const [a, b, c, d] = steps
  if (a === undefined) return (frame) => (overdrawn(frame, 1) ? halted : call(null, null, null, null))
  if (b === undefined) {
    return (frame) => {
      const first = a(frame)
      if (first instanceof CelError) return first
      return overdrawn(frame, cost === undefined ? 1 : cost(first, null, null))
        ? halted
        : call(first, null, null, null)
    }
  }
  if (c === undefined) {
    return (frame) => {
      const first = a(frame)
      if (first instanceof CelError) return first
      const second = b(frame)
      if (second instanceof CelError) return second
      return overdrawn(frame, cost === undefined ? 1 : cost(first, second, null))
        ? halted
        : call(first, second, null, null)
    }
  }
  return (frame) => {
    const first = a(frame)
    if (first instanceof CelError) return first
    const second = b(frame)
    if (second instanceof CelError) return second
    const third = c(frame)
    if (third instanceof CelError) return third
    const fourth = d === undefined ? null : d(frame)
    if (fourth instanceof CelError) return fourth
    return overdrawn(frame, cost === undefined ? 1 : cost(first, second, third))
      ? halted
      : call(first, second, third, fourth)
  }
}

/** Only the branch that is chosen is evaluated; the choice itself is free. */
function planConditional(expr: Call, plan: Plan): Step {
  const [condition, then, otherwise] = expr.args.map(plan)
  if (condition === undefined || then === undefined || otherwise === undefined) {
    throw new TypeError('a condition without branches was planned')
  }
  return (frame) => {
    const value = condition(frame)
    if (value === true) return then(frame)
    if (value === false) return otherwise(frame)
    return value instanceof CelError ? value : noSuchOverload
  }
}

/** `a.or(b)`, `a.orValue(b)`: without a look at b when a has a value. */
function planFallback(operands: readonly Expr[], gives: 'optional' | 'value', plan: Plan): Step {
  const [target, other] = operands.map(plan)
  if (target === undefined || other === undefined)
    throw new TypeError('a fallback without operands was planned')
  return (frame) => {
    const value = target(frame)
    if (value instanceof CelError) return value
    if (!(value instanceof CelOptional)) return noSuchOverload
    if (overdrawn(frame, 1)) return halted
    if (value.value === undefined) return other(frame)
    return gives === 'value' ? value.value : value
  }
}
