/** Macros over lists and over the keys of maps. */

import type { Checked } from '../check/checker.ts'
import type { Comprehension, Expr, OptionalMap } from '../syntax/ast.ts'
import {
  ArrayList,
  CelError,
  CelList,
  CelMap,
  CelOptional,
  noSuchOverload,
  type Value,
} from '../values/value.ts'
import { costs, type Frame, halted, overdrawn, type Plan, type Step } from './frame.ts'

/** Evaluates the macro over an already evaluated range. */
type Loop = (frame: Frame, items: CelList) => Value

export function planComprehension(expr: Comprehension, checked: Checked, plan: Plan): Step {
  const range = plan(expr.range)
  const loop = planLoop(expr, slotOf(expr, checked), plan)
  return (frame) => {
    const value = range(frame)
    if (value instanceof CelList) return loop(frame, value)
    if (value instanceof CelMap) return loop(frame, new ArrayList(value.keys()))
    return value instanceof CelError ? value : noSuchOverload
  }
}

function slotOf(expr: Expr, checked: Checked): number {
  const slot = checked.slots.get(expr)
  if (slot === undefined) throw new TypeError('a macro without a slot was planned')
  return slot
}

function planLoop(expr: Comprehension, slot: number, plan: Plan): Loop {
  const predicate = expr.predicate === undefined ? undefined : plan(expr.predicate)
  if (expr.macro === 'map') {
    if (expr.transform === undefined) throw new TypeError('a map without a transform was planned')
    return planMap(slot, predicate, plan(expr.transform))
  }
  if (predicate === undefined) throw new TypeError('a macro without a predicate was planned')
  switch (expr.macro) {
    case 'all':
      return planQuantifier(slot, predicate, false, costs.all)
    case 'exists':
      return planQuantifier(slot, predicate, true, costs.exists)
    case 'exists_one':
      return planExistsOne(slot, predicate)
    case 'filter':
      return planFilter(slot, predicate)
  }
}

/** Stops at the first `decisive` element; errors before it are forgotten, otherwise the first one is the answer. */
function planQuantifier(
  slot: number,
  predicate: Step,
  decisive: boolean,
  cost: { readonly element: number; readonly stop: number; readonly end: number },
): Loop {
  return (frame, items) => {
    let error: CelError | undefined
    for (let index = 0; index < items.size; index++) {
      frame.locals[slot] = items.at(index)
      if (overdrawn(frame, cost.element)) return halted
      const value = predicate(frame)
      if (value === halted) return halted
      if (value === decisive) return overdrawn(frame, cost.stop + cost.end) ? halted : decisive
      if (value !== !decisive) error ??= value instanceof CelError ? value : noSuchOverload
    }
    if (overdrawn(frame, cost.end)) return halted
    return error ?? !decisive
  }
}

function planExistsOne(slot: number, predicate: Step): Loop {
  const cost = costs.existsOne
  return (frame, items) => {
    let hits = 0
    for (let index = 0; index < items.size; index++) {
      const hit = holds(frame, slot, items.at(index), predicate)
      if (hit instanceof CelError) return hit
      if (hit) hits++
      if (overdrawn(frame, hit ? cost.hit : cost.miss)) return halted
    }
    return overdrawn(frame, cost.end) ? halted : hits === 1
  }
}

function holds(frame: Frame, slot: number, item: Value, predicate: Step): boolean | CelError {
  frame.locals[slot] = item
  const value = predicate(frame)
  if (typeof value === 'boolean' || value instanceof CelError) return value
  return noSuchOverload
}

function planMap(slot: number, predicate: Step | undefined, transform: Step): Loop {
  const cost = costs.map
  return (frame, items) => {
    const mapped: Value[] = []
    for (let index = 0; index < items.size; index++) {
      const item = items.at(index)
      const hit = predicate === undefined || holds(frame, slot, item, predicate)
      if (hit instanceof CelError) return hit
      if (overdrawn(frame, hit ? cost.hit : cost.miss)) return halted
      if (!hit) continue
      frame.locals[slot] = item
      const value = transform(frame)
      if (value instanceof CelError) return value
      mapped.push(value)
    }
    return overdrawn(frame, cost.end) ? halted : new ArrayList(mapped)
  }
}

function planFilter(slot: number, predicate: Step): Loop {
  const cost = costs.filter
  return (frame, items) => {
    const kept: Value[] = []
    for (let index = 0; index < items.size; index++) {
      const item = items.at(index)
      const hit = holds(frame, slot, item, predicate)
      if (hit instanceof CelError) return hit
      if (overdrawn(frame, hit ? cost.hit : cost.miss)) return halted
      if (!hit) continue
      if (item instanceof CelError) return item
      kept.push(item)
    }
    return overdrawn(frame, cost.end) ? halted : new ArrayList(kept)
  }
}

/** Costs as its expansion: test, read, body, wrap. */
export function planOptionalMap(expr: OptionalMap, checked: Checked, plan: Plan): Step {
  const target = plan(expr.target)
  const body = plan(expr.body)
  const slot = slotOf(expr, checked)
  return (frame) => {
    const value = target(frame)
    if (value instanceof CelError) return value
    if (!(value instanceof CelOptional)) return noSuchOverload
    if (overdrawn(frame, 3)) return halted
    if (value.value === undefined) return value
    frame.locals[slot] = value.value
    const result = body(frame)
    if (result instanceof CelError) return result
    if (!expr.flat) return new CelOptional(result)
    return result instanceof CelOptional ? result : noSuchOverload
  }
}
