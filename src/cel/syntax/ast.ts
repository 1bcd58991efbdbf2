/**
 * The syntax tree. Macros have nodes of their own instead of an expansion: what they mean is said once, in the
 * checker and in the planner, and an iteration costs one closure call.
 */

import type { Value } from '../values/value.ts'

interface Node {
  /** Where messages point: the operator, the dot, the opening bracket; the first character of names and literals. */
  readonly offset: number
}

interface Literal extends Node {
  readonly kind: 'literal'
  readonly value: Value
}

export interface Ident extends Node {
  readonly kind: 'ident'
  /** A leading dot is kept: `.a` is looked up outside of macros' variables. */
  readonly name: string
}

export interface Select extends Node {
  readonly kind: 'select'
  readonly operand: Expr
  readonly field: string
  /** `plain` a.f; `test` has(a.f); `optional` a.?f. */
  readonly mode: 'plain' | 'test' | 'optional'
}

export interface Call extends Node {
  readonly kind: 'call'
  /** Operators by cel-go's names: `_+_`, `_[_]`, `_?_:_`. */
  readonly name: string
  readonly target?: Expr
  readonly args: readonly Expr[]
}

/** `&&` or `||` over two and more terms. */
export interface Logical extends Node {
  readonly kind: 'logical'
  readonly operator: '&&' | '||'
  readonly terms: readonly Expr[]
}

export interface ListLiteral extends Node {
  readonly kind: 'list'
  readonly elements: readonly { readonly value: Expr; readonly optional: boolean }[]
}

export interface MapLiteral extends Node {
  readonly kind: 'map'
  readonly entries: readonly {
    readonly key: Expr
    readonly value: Expr
    readonly optional: boolean
    readonly offset: number
  }[]
}

/** `Name{field: value}`. */
export interface StructLiteral extends Node {
  readonly kind: 'struct'
  readonly name: string
  readonly entries: readonly {
    readonly field: string
    readonly value: Expr
    readonly optional: boolean
    readonly offset: number
  }[]
}

/** `range.all(variable, predicate)` and its kin. */
export interface Comprehension extends Node {
  readonly kind: 'comprehension'
  readonly macro: 'all' | 'exists' | 'exists_one' | 'map' | 'filter'
  readonly range: Expr
  readonly variable: string
  /** Absent for `map` with two arguments only. */
  readonly predicate?: Expr
  /** For `map` only. */
  readonly transform?: Expr
}

/** `target.optMap(variable, body)`; `flat` = optFlatMap. */
export interface OptionalMap extends Node {
  readonly kind: 'optMap'
  readonly target: Expr
  readonly variable: string
  readonly body: Expr
  readonly flat: boolean
}

export type Expr =
  | Literal
  | Ident
  | Select
  | Call
  | Logical
  | ListLiteral
  | MapLiteral
  | StructLiteral
  | Comprehension
  | OptionalMap

/** `a.b.c` as a name, when the expression can be read so. */
export function qualifiedName(expr: Expr): string | undefined {
  if (expr.kind === 'ident') return expr.name
  if (expr.kind !== 'select' || expr.mode !== 'plain') return undefined
  const prefix = qualifiedName(expr.operand)
  return prefix === undefined ? undefined : `${prefix}.${expr.field}`
}

/** The parts of an expression, in the order of the text. */
export function childrenOf(expr: Expr): readonly Expr[] {
  switch (expr.kind) {
    case 'literal':
    case 'ident':
      return []
    case 'select':
      return [expr.operand]
    case 'call':
      return expr.target === undefined ? expr.args : [expr.target, ...expr.args]
    case 'logical':
      return expr.terms
    case 'list':
      return expr.elements.map((element) => element.value)
    case 'map':
      return expr.entries.flatMap((entry) => [entry.key, entry.value])
    case 'struct':
      return expr.entries.map((entry) => entry.value)
    case 'comprehension':
      return [expr.range, expr.predicate, expr.transform].filter((child) => child !== undefined)
    case 'optMap':
      return [expr.target, expr.body]
  }
}

/** Level by level, so that it never recurses itself. */
export function deeperThan(expr: Expr, depthMax: number): boolean {
  let level: readonly Expr[] = [expr]
  for (let depth = 1; level.length > 0; depth++) {
    if (depth > depthMax) return true
    level = level.flatMap(childrenOf)
  }
  return false
}
