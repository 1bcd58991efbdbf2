/** Calls that are syntax: `has(a.b)`, `list.all(x, p)`, `optional.optMap(x, e)`. */

import { fail, ok, type Result } from '../../../store/contract.ts'
import type { Comprehension, Expr } from './ast.ts'
import type { Finding } from './source.ts'

/** The node that the call stands for, a finding when its arguments do not fit, `undefined` when it is no macro. */
export function expandMacro(
  name: string,
  target: Expr | undefined,
  args: readonly Expr[],
  offset: number,
): Result<Expr, Finding> | undefined {
  const [first, second, third] = args
  if (target === undefined) {
    return name === 'has' && args.length === 1 && first !== undefined ? presence(first, offset) : undefined
  }
  if (first === undefined || second === undefined || args.length > 3) return undefined
  switch (name) {
    case 'all':
    case 'exists':
    case 'exists_one':
    case 'filter':
      return args.length === 2 ? comprehension(name, target, first, offset, second, undefined) : undefined
    case 'map':
      return third === undefined
        ? comprehension('map', target, first, offset, undefined, second)
        : comprehension('map', target, first, offset, second, third)
    case 'optMap':
    case 'optFlatMap':
      return args.length === 2 ? optional(name, target, first, second, offset) : undefined
    default:
      return undefined
  }
}

function presence(argument: Expr, offset: number): Result<Expr, Finding> {
  if (argument.kind !== 'select' || argument.mode !== 'plain') {
    return fail({ offset: argument.offset, message: 'invalid argument to has() macro' })
  }
  return ok({ kind: 'select', operand: argument.operand, field: argument.field, mode: 'test', offset })
}

/** What the expansion of cel-go accumulates in: a variable of this name would be confused with it. */
const accumulator = '__result__'

function comprehension(
  macro: Comprehension['macro'],
  range: Expr,
  variable: Expr,
  offset: number,
  predicate: Expr | undefined,
  transform: Expr | undefined,
): Result<Expr, Finding> {
  if (variable.kind !== 'ident' || variable.name.startsWith('.')) {
    const quantifier = macro !== 'map' && macro !== 'filter'
    const message = quantifier ? 'argument must be a simple name' : 'argument is not an identifier'
    return fail({ offset: variable.offset, message })
  }
  if (variable.name === accumulator) {
    return fail({ offset: variable.offset, message: 'iteration variable overwrites accumulator variable' })
  }
  return ok({
    kind: 'comprehension',
    macro,
    range,
    variable: variable.name,
    ...(predicate === undefined ? {} : { predicate }),
    ...(transform === undefined ? {} : { transform }),
    offset,
  })
}

function optional(
  name: string,
  target: Expr,
  variable: Expr,
  body: Expr,
  offset: number,
): Result<Expr, Finding> {
  if (variable.kind !== 'ident' || variable.name.startsWith('.')) {
    return fail({ offset: variable.offset, message: `${name}() variable name must be a simple identifier` })
  }
  return ok({ kind: 'optMap', target, variable: variable.name, body, flat: name === 'optFlatMap', offset })
}
