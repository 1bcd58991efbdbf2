/** What an expression mentions. */

import { childrenOf, type Expr } from './ast.ts'

function readsHere(expr: Expr, variable: string, field: string): boolean {
  if (expr.kind === 'select') return isVariable(expr.operand, variable) && expr.field === field
  if (expr.kind !== 'call' || (expr.name !== '_[_]' && expr.name !== '_[?_]')) return false
  const [operand, index] = expr.args
  return isVariable(operand, variable) && index?.kind === 'literal' && index.value === field
}

function isVariable(expr: Expr | undefined, name: string): boolean {
  return expr?.kind === 'ident' && expr.name.replace(/^\./, '') === name
}

/** Whether `variable.field` stands anywhere, in whatever form: `.field`, `.?field`, `['field']`, `has(…)`. */
export function readsField(expr: Expr, variable: string, field: string): boolean {
  const open: Expr[] = [expr]
  for (let next = open.pop(); next !== undefined; next = open.pop()) {
    if (readsHere(next, variable, field)) return true
    open.push(...childrenOf(next))
  }
  return false
}
