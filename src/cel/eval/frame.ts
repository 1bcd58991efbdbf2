/** One evaluation: the variables, the macros' variables, and what it has cost. */

import type { Expr } from '../syntax/ast.ts'
import { halted, type Value } from '../values/value.ts'

export class Frame {
  readonly variables: Readonly<Record<string, unknown>>
  /** Macros' variables by slot. */
  readonly locals: Value[]
  cost = 0
  readonly costMax: number
  constructor(variables: Readonly<Record<string, unknown>>, costMax: number, locals: Value[]) {
    this.variables = variables
    this.costMax = costMax
    this.locals = locals
  }
}

/** A compiled node. Gives a value or an error; never throws. */
export type Step = (frame: Frame) => Value

/** Compiles a part of the expression at hand. */
export type Plan = (expr: Expr) => Step

/** Costs of nodes, in units; those of functions stand with them. */
export const costs = {
  access: 1,
  listLiteral: 40,
  mapLiteral: 30,
  objectLiteral: 40,
  /** What a macro spends on each element beyond its own arguments, and once at the end. */
  all: { element: 3, stop: 2, end: 1 },
  exists: { element: 4, stop: 3, end: 1 },
  existsOne: { hit: 2, miss: 1, end: 2 },
  map: { hit: 12, miss: 1, end: 1 },
  filter: { hit: 13, miss: 1, end: 1 },
} as const

/** Charges; true = the budget is used up, answer {@link halted}. */
export function overdrawn(frame: Frame, cost: number): boolean {
  frame.cost += cost
  return frame.cost > frame.costMax
}

export { halted }
