/** What can be done once, when an expression is compiled: patterns that are literals. */

import type { Expr } from '../syntax/ast.ts'
import type { CostOf, Implementation, Overload } from './library.ts'

/** The overload with its constant operands worked in; `undefined` when there is nothing to gain. */
export function specialize(
  overload: Overload,
  operands: readonly Expr[],
): { readonly call: Implementation; readonly cost: CostOf | undefined } | undefined {
  const literals = operands.map((operand) => (operand.kind === 'literal' ? operand.value : undefined))
  const call = overload.specialize?.(literals)
  return call === undefined ? undefined : { call, cost: overload.cost }
}
