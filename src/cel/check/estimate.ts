/**
 * The worst case of what an expression can cost, from its tree and the declared sizes of its variables, without
 * evaluating it: so that what is stored can be refused before it is too slow. Never below what an evaluation over
 * values of those sizes costs.
 */

import { costs } from '../eval/frame.ts'
import type { Call, Comprehension, Expr, Select } from '../syntax/ast.ts'
import { sizeOf } from '../values/compare.ts'
import type { Checked } from './checker.ts'
import { callCost, resultShape } from './estimate-calls.ts'
import { listShape, type Shape, scalar, shapeOf, sized, unknownShape, wider, widest } from './shape.ts'

interface Estimate {
  readonly cost: number
  readonly shape: Shape
}

/** Units of cost; may be infinite. */
export function estimateCost(expr: Expr, checked: Checked): number {
  return new Estimator(checked).visit(expr).cost
}

function sum(estimates: readonly Estimate[]): number {
  return estimates.reduce((total, { cost }) => total + cost, 0)
}

class Estimator {
  readonly #checked: Checked
  /** Of macros' variables, by slot. */
  readonly #locals: Shape[] = []

  constructor(checked: Checked) {
    this.#checked = checked
  }

  visit(expr: Expr): Estimate {
    switch (expr.kind) {
      case 'literal':
        return { cost: 0, shape: sized(sizeOf(expr.value)) }
      case 'ident':
        return { cost: costs.access, shape: this.#named(expr) }
      case 'select':
        return this.#select(expr)
      case 'logical':
        return { cost: sum(expr.terms.map((term) => this.visit(term))), shape: scalar }
      case 'list': {
        const elements = expr.elements.map(({ value }) => this.visit(value))
        const shapes = elements.map(({ shape }) => shape)
        return {
          cost: sum(elements) + costs.listLiteral,
          shape: listShape(shapes.length, () => widest(shapes)),
        }
      }
      case 'map': {
        const keys = expr.entries.map(({ key }) => this.visit(key))
        const values = expr.entries.map(({ value }) => this.visit(value))
        const shape = {
          size: keys.length,
          element: () => widest(values.map((value) => value.shape)),
          key: () => widest(keys.map((key) => key.shape)),
        }
        return { cost: sum(keys) + sum(values) + costs.mapLiteral, shape }
      }
      case 'struct': {
        const cost = sum(expr.entries.map(({ value }) => this.visit(value)))
        return { cost: cost + costs.objectLiteral, shape: unknownShape }
      }
      case 'comprehension':
        return this.#comprehension(expr)
      case 'optMap': {
        const target = this.visit(expr.target)
        const body = this.#within(expr, target.shape, [expr.body])
        return { cost: target.cost + 3 + sum(body), shape: widest(body.map(({ shape }) => shape)) }
      }
      case 'call':
        return this.#call(expr)
    }
  }

  #named(expr: Expr): Shape {
    const name = this.#checked.names.get(expr)
    if (name?.kind === 'local') return this.#locals[name.slot] ?? unknownShape
    return shapeOf(this.#checked.types.get(expr))
  }

  #select(expr: Select): Estimate {
    if (this.#checked.names.has(expr)) return { cost: costs.access, shape: this.#named(expr) }
    const operand = this.visit(expr.operand)
    if (expr.mode === 'test') return { cost: operand.cost, shape: scalar }
    const type = this.#checked.types.get(expr.operand)
    const held = type?.kind === 'optional' ? type.element : type
    const shape =
      held?.kind === 'object' ? shapeOf(held.fields.get(expr.field)?.type) : operand.shape.element()
    return { cost: operand.cost + costs.access, shape }
  }

  /** Estimates of what is evaluated with a macro's variable. */
  #within(expr: Expr, variable: Shape, parts: readonly (Expr | undefined)[]): readonly Estimate[] {
    const slot = this.#checked.slots.get(expr) ?? 0
    this.#locals[slot] = variable
    return parts.flatMap((part) => (part === undefined ? [] : [this.visit(part)]))
  }

  #comprehension(expr: Comprehension): Estimate {
    const range = this.visit(expr.range)
    const { kind } = this.#checked.types.get(expr.range) ?? { kind: 'dyn' }
    const { size } = range.shape
    const list = range.shape.element()
    const variable =
      kind === 'list' ? list : kind === 'map' ? range.shape.key() : wider(list, range.shape.key())
    const parts = this.#within(expr, variable, [expr.predicate, expr.transform])
    const each = sum(parts)
    switch (expr.macro) {
      case 'all':
      case 'exists': {
        const { element, stop, end } = expr.macro === 'all' ? costs.all : costs.exists
        return { cost: range.cost + size * (each + element) + stop + end, shape: scalar }
      }
      case 'exists_one':
        return { cost: range.cost + size * (each + costs.existsOne.hit) + costs.existsOne.end, shape: scalar }
      case 'filter':
      case 'map': {
        const { hit, end } = costs[expr.macro]
        const element = expr.macro === 'filter' ? variable : (parts.at(-1)?.shape ?? unknownShape)
        return { cost: range.cost + size * (each + hit) + end, shape: listShape(size, () => element) }
      }
    }
  }

  #call(expr: Call): Estimate {
    const spaced = expr.target === undefined || this.#checked.spaced.has(expr)
    const operands = spaced
      ? expr.args
      : [expr.target, ...expr.args].filter((operand) => operand !== undefined)
    const given = operands.map((operand) => this.visit(operand))
    const shapes = given.map(({ shape }) => shape)
    if (expr.name === '_?_:_') {
      const [condition, ...branches] = given
      const dearest = Math.max(...branches.map(({ cost }) => cost))
      return { cost: (condition?.cost ?? 0) + dearest, shape: widest(shapes.slice(1)) }
    }
    const [first] = operands
    const call = {
      // functions in a name space are told apart from methods of the same name
      name: this.#checked.calls.get(expr)?.[0]?.name ?? expr.name,
      shapes,
      operands,
      receiver: first === undefined ? undefined : this.#checked.types.get(first),
      result: this.#checked.types.get(expr),
      charges: this.#checked.calls.get(expr)?.some(({ cost }) => cost !== undefined) ?? false,
    }
    return { cost: sum(given) + callCost(call), shape: resultShape(call) }
  }
}
