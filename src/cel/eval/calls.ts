/**
 * Calls: arguments first, then the overload that their runtime types choose, its cost, and itself.
 *
 * Where the checker left one overload and knows the types, nothing is looked at at run time. Values from JSON may be
 * null whatever their declared type, so they are looked at.
 */

import type { Checked } from '../check/checker.ts'
import type { CostOf, Implementation, Overload } from '../library/library.ts'
import { specialize } from '../library/specialize.ts'
import type { Call, Expr } from '../syntax/ast.ts'
import type { CelType } from '../types.ts'
import {
  CelDouble,
  CelDuration,
  CelError,
  CelList,
  CelMap,
  CelOpaque,
  CelOptional,
  CelTimestamp,
  CelTypeValue,
  CelUint,
  noSuchOverload,
  type Value,
} from '../values/value.ts'
import { halted, overdrawn, type Step } from './frame.ts'
import { plan } from './plan.ts'

export function planCall(expr: Call, checked: Checked): Step {
  if (expr.name === '_?_:_') return planConditional(expr, checked)
  const operands =
    expr.target === undefined || checked.spaced.has(expr) ? expr.args : [expr.target, ...expr.args]
  const candidates = checked.calls.get(expr)
  const [first] = candidates ?? []
  if (candidates === undefined || first === undefined) throw new TypeError('an unresolved call was planned')
  if (first.fallback !== undefined) return planFallback(operands, first.fallback, checked)
  const special = candidates.length === 1 ? specialize(first, operands) : undefined
  const { call, cost } = special ?? dispatch(candidates, operands)
  const steps = operands.map((operand) => plan(operand, checked))
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
function planConditional(expr: Call, checked: Checked): Step {
  const [condition, then, otherwise] = expr.args.map((arg) => plan(arg, checked))
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
function planFallback(operands: readonly Expr[], gives: 'optional' | 'value', checked: Checked): Step {
  const [target, other] = operands.map((operand) => plan(operand, checked))
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

interface Dispatch {
  readonly call: Implementation
  readonly cost: CostOf | undefined
}

function dispatch(candidates: readonly Overload[], operands: readonly Expr[]): Dispatch {
  const [first] = candidates
  const same = candidates.every(
    (overload) => overload.checksItself && overload.call === first?.call && overload.cost === first.cost,
  )
  if (first !== undefined && same) return { call: first.call, cost: first.cost }
  const guarded = candidates.map((overload) => ({
    overload,
    fits: fitsAll(overload.args.map((type, index) => guardOf(type, operands[index]))),
  }))
  if (guarded.length === 1 && guarded[0]?.fits === undefined && first !== undefined) {
    return { call: first.call, cost: first.cost }
  }
  const choose = (a: Value, b: Value, c: Value, d: Value): Overload | undefined => {
    for (const { overload, fits } of guarded) if (fits === undefined || fits(a, b, c, d)) return overload
    return undefined
  }
  return {
    call: (a, b, c, d) => choose(a, b, c, d)?.call(a, b, c, d) ?? noSuchOverload,
    cost: candidates.every((overload) => overload.cost === undefined)
      ? undefined
      : (a, b, c) => choose(a, b, c, null)?.cost?.(a, b, c) ?? 1,
  }
}

type Guard = (value: Value) => boolean

function fitsAll(
  guards: readonly (Guard | undefined)[],
): ((a: Value, b: Value, c: Value, d: Value) => boolean) | undefined {
  if (guards.every((guard) => guard === undefined)) return undefined
  const [first, second, third, fourth] = guards
  return (a, b, c, d) =>
    (first === undefined || first(a)) &&
    (second === undefined || second(b)) &&
    (third === undefined || third(c)) &&
    (fourth === undefined || d === null || fourth(d))
}

/** Nothing to look at: the parameter takes everything, or the operand is a literal of the kind. */
function guardOf(type: CelType, operand: Expr | undefined): Guard | undefined {
  if (operand?.kind === 'literal' && operand.value !== null) {
    const literal = operand.value
    const guard = guardByKind(type)
    return guard === undefined || guard(literal) ? undefined : guard
  }
  return guardByKind(type)
}

function guardByKind(type: CelType): Guard | undefined {
  switch (type.kind) {
    case 'bool':
      return (value) => typeof value === 'boolean'
    case 'string':
      return (value) => typeof value === 'string'
    case 'int':
      return (value) => typeof value === 'number' || typeof value === 'bigint'
    case 'uint':
      return (value) => value instanceof CelUint
    case 'double':
      return (value) => value instanceof CelDouble
    case 'bytes':
      return (value) => value instanceof Uint8Array
    case 'null':
      return (value) => value === null
    case 'timestamp':
      return (value) => value instanceof CelTimestamp
    case 'duration':
      return (value) => value instanceof CelDuration
    case 'list':
      return (value) => value instanceof CelList
    case 'map':
    case 'object':
      return (value) => value instanceof CelMap
    case 'optional':
      return (value) => value instanceof CelOptional
    case 'type':
      return (value) => value instanceof CelTypeValue
    case 'opaque':
      return (value) => value instanceof CelOpaque && value.host.celType.name === type.name
    default:
      return undefined
  }
}
