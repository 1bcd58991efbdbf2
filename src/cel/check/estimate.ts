/**
 * What an expression of a schema may cost at most, told from its tree and the sizes that the schema allows, without
 * evaluating it: so that what is stored can be refused before it is too slow.
 *
 * It must refuse and accept the same expressions as Kubernetes 1.30, so it reckons as cel-go 0.17 does with the size
 * estimates of a CustomResourceDefinition, oddities included: sizes are known of what a path from `self` reaches
 * (`self.names[0]`), of literals and of what functions make of them; of nothing else (`optional.of(self).value()`); numbers and
 * objects that a path reaches have the size 0; a path that begins nowhere (an element of what `map` made) is taken for
 * one from `self`. A list literal counts 10, although evaluating it costs more here.
 */

import { costs } from '../eval/frame.ts'
import type { Call, Comprehension, Expr, OptionalMap, Select } from '../syntax/ast.ts'
import type { CelType } from '../types.ts'
import { sizeOf } from '../values/compare.ts'
import type { Checked } from './checker.ts'
import { type CallEstimate, estimateOverload } from './estimate-calls.ts'
import { declaredSize, type Estimate, type PathStep, type Place, within } from './estimate-places.ts'
import { anySize, eitherSize, exactly, one, plus, type Size, times } from './estimate-sizes.ts'

const listLiteralCost = 10

/**
 * Units of cost.
 * @param self the type of `self`, and of `oldSelf`, with its sizes
 */
export function estimateCost(expr: Expr, checked: Checked, self: CelType): number {
  return new Estimator(checked, self).visit(expr).cost
}

function sum(estimates: readonly Estimate[]): number {
  return estimates.reduce((total, { cost }) => plus(total, cost), 0)
}

const scalars: ReadonlySet<string> = new Set(['bool', 'double', 'duration', 'int', 'timestamp', 'uint'])

function sizeIn(estimate: Estimate): Size {
  return declaredSize(estimate) ?? (scalars.has(estimate.type?.kind ?? '') ? one : anySize)
}

class Estimator {
  readonly #checked: Checked
  readonly #root: Place
  /** Of macros' variables, by slot. */
  readonly #locals: (Place | undefined)[] = []

  constructor(checked: Checked, self: CelType) {
    this.#checked = checked
    this.#root = { type: self }
  }

  visit(expr: Expr): Estimate {
    const type = this.#checked.types.get(expr)
    switch (expr.kind) {
      case 'literal':
        return { cost: 0, size: exactly(sizeOf(expr.value)), type }
      case 'ident':
        return this.#name(expr, type)
      case 'select':
        return this.#select(expr, type)
      case 'logical':
        return { cost: sum(expr.terms.map((term) => this.visit(term))), type }
      case 'list': {
        const elements = expr.elements.map(({ value }) => this.visit(value))
        return { cost: plus(sum(elements), listLiteralCost), size: exactly(elements.length), type }
      }
      case 'map': {
        const parts = expr.entries.flatMap(({ key, value }) => [this.visit(key), this.visit(value)])
        return { cost: plus(sum(parts), costs.mapLiteral), size: exactly(expr.entries.length), type }
      }
      case 'struct': {
        const cost = sum(expr.entries.map(({ value }) => this.visit(value)))
        return { cost: plus(cost, costs.objectLiteral), type }
      }
      case 'comprehension':
        return this.#comprehension(expr, type)
      case 'optMap':
        return this.#optionalMap(expr, type)
      case 'call':
        return this.#call(expr, type)
    }
  }

  #name(expr: Expr, type: CelType | undefined): Estimate {
    const name = this.#checked.names.get(expr)
    const place = name?.kind === 'local' ? this.#locals[name.slot] : this.#root
    return { cost: costs.access, type, ...(place === undefined ? {} : { place }) }
  }

  #select(expr: Select, type: CelType | undefined): Estimate {
    if (this.#checked.names.has(expr)) return this.#name(expr, type)
    const operand = this.visit(expr.operand)
    if (expr.mode === 'test') return { cost: operand.cost, type }
    if (expr.mode === 'optional') return { cost: plus(operand.cost, 1), type }
    const kind = operand.type?.kind
    const access = kind === 'map' || kind === 'object' ? costs.access : 0
    return {
      cost: plus(operand.cost, access),
      place: this.#step(operand, { field: expr.field }),
      type,
    }
  }

  #step({ place }: Estimate, step: PathStep): Place {
    return place === undefined ? this.#root : within(place, step)
  }

  /** Estimates of what is evaluated with a macro's variable. */
  #with(expr: Expr, variable: Place | undefined, parts: readonly (Expr | undefined)[]): readonly Estimate[] {
    this.#locals[this.#checked.slots.get(expr) ?? 0] = variable
    return parts.flatMap((part) => (part === undefined ? [] : [this.visit(part)]))
  }

  #comprehension(expr: Comprehension, type: CelType | undefined): Estimate {
    const range = this.visit(expr.range)
    const size = sizeIn(range)
    const kind = range.type?.kind
    const variable =
      kind === 'list' || kind === 'map' ? this.#step(range, kind === 'list' ? 'elements' : 'keys') : undefined
    const body = sum(this.#with(expr, variable, [expr.predicate, expr.transform]))
    const { before, each, after } = loopCosts[expr.macro]
    const cost = plus(plus(range.cost, before + after), times(size.max, plus(body, each)))
    return { cost, size, type }
  }

  /** What the target is, is evaluated twice: whether it is there, and its value. */
  #optionalMap(expr: OptionalMap, type: CelType | undefined): Estimate {
    const target = plus(this.visit(expr.target).cost, 1)
    const body = sum(this.#with(expr, this.#root, [expr.body]))
    const present = plus(target + listLiteralCost + (expr.flat ? 0 : 1), body)
    return { cost: plus(target, present), type }
  }

  #call(expr: Call, type: CelType | undefined): Estimate {
    const spaced = expr.target === undefined || this.#checked.spaced.has(expr)
    const operands = spaced
      ? expr.args
      : [expr.target, ...expr.args].filter((operand) => operand !== undefined)
    const given = operands.map((operand) => this.visit(operand))
    if (expr.name === '_?_:_') return conditional(given, type)
    const sizes = given.map(sizeIn)
    let own: CallEstimate = { cost: 0 }
    for (const overload of this.#checked.calls.get(expr) ?? []) {
      const { cost, size } = estimateOverload({
        overload,
        operands,
        given,
        sizes,
        elementOf: this.#elementOf,
      })
      own = { cost: Math.max(own.cost, cost), ...eitherResult(own.size, size) }
    }
    const place = this.#indexed(expr, given[0])
    const cost = plus(sum(given), own.cost)
    return {
      cost,
      type,
      ...(own.size === undefined ? {} : { size: own.size }),
      ...(place === undefined ? {} : { place }),
    }
  }

  /** A path goes on through an element of a list or a map; not of an optional one. */
  #indexed(expr: Call, container: Estimate | undefined): Place | undefined {
    if (expr.name !== '_[_]' || container === undefined || container.type?.kind === 'optional')
      return undefined
    return this.#step(container, 'elements')
  }

  /** Sizes of a list's elements, where a path leads to the list. */
  readonly #elementOf = (list: Estimate): Size =>
    list.place === undefined ? anySize : (declaredSize({ place: within(list.place, 'elements') }) ?? anySize)
}

function eitherResult(a: Size | undefined, b: Size | undefined): Pick<CallEstimate, 'size'> {
  const size = a === undefined ? b : b === undefined ? a : eitherSize(a, b)
  return size === undefined ? {} : { size }
}

function conditional(given: readonly Estimate[], type: CelType | undefined): Estimate {
  const [condition, ...branches] = given
  const dearest = Math.max(...branches.map(({ cost }) => cost))
  const size = branches.map(sizeIn).reduce(eitherSize)
  return { cost: plus(condition?.cost ?? 0, dearest), size, type }
}

/** What a macro spends before it begins, on each element beyond what stands in it, and at its end. */
const loopCosts = {
  all: { before: 0, each: 3, after: 1 },
  exists: { before: 0, each: 4, after: 1 },
  exists_one: { before: 0, each: 2, after: 2 },
  map: { before: listLiteralCost, each: 12, after: 1 },
  filter: { before: listLiteralCost, each: 13, after: 1 },
} as const
