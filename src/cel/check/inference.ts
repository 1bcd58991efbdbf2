/**
 * What the checker has found out about types so far, and what it has to say, in cel-go's words. What it says of an
 * expression has the type `error`, with which everything goes: one mistake is told once.
 */

import type { Expr } from '../syntax/ast.ts'
import type { Finding } from '../syntax/source.ts'
import { type CelType, cel, describeType } from '../types.ts'
import { assignAll, Bindings, mostGeneral, substitute } from './unify.ts'

export class Inference {
  readonly findings: Finding[] = []
  readonly #bindings = new Bindings()
  readonly #homogeneousLiterals: boolean
  #fresh = 0

  constructor({ homogeneousLiterals }: { readonly homogeneousLiterals: boolean }) {
    this.#homogeneousLiterals = homogeneousLiterals
  }

  /** The type as far as it is known; what is not yet may still become anything. */
  known(type: CelType): CelType {
    return substitute(this.#bindings, type, 'keep')
  }

  /** The type when all is done: what nothing has decided is dynamic. */
  settled(type: CelType): CelType {
    return substitute(this.#bindings, type, 'dyn')
  }

  /** Whether a value of one type may stand where the other is asked for; decides what was open. */
  assign(from: CelType, to: CelType): boolean {
    return assignAll(this.#bindings, [from], [to])
  }

  assignAll(from: readonly CelType[], to: readonly CelType[]): boolean {
    return assignAll(this.#bindings, from, to)
  }

  /** A type that something later decides. */
  freshVariable(): CelType {
    return cel.param(`_var${this.#fresh++}`)
  }

  /** Tells the type parameters of one use of a function from those of others. */
  freshSuffix(): string {
    return `_${this.#fresh++}`
  }

  /** One type for another element of a literal beside those before it. `mayDiffer`: whatever the environment says. */
  join(expr: Expr, joined: CelType | undefined, type: CelType, mayDiffer = false): CelType {
    if (joined === undefined) return type
    if (this.assign(joined, type)) return mostGeneral(this.#bindings, joined, type)
    return this.#homogeneousLiterals && !mayDiffer ? this.mismatch(expr.offset, joined, type) : cel.dyn
  }

  /** The type of an optional entry's value, `?key: value`. */
  optionalValue(expr: Expr, type: CelType): CelType {
    const known = this.known(type)
    if (known.kind === 'optional') return known.element
    if (known.kind !== 'dyn' && known.kind !== 'error') this.mismatch(expr.offset, cel.optional(known), known)
    return known
  }

  say(offset: number, message: string): CelType {
    this.findings.push({ offset, message })
    return cel.error
  }

  undeclared(offset: number, name: string): CelType {
    return this.say(offset, `undeclared reference to '${name}' (in container '')`)
  }

  mismatch(offset: number, expected: CelType, found: CelType): CelType {
    const [left, right] = [this.settled(expected), this.settled(found)]
    return this.say(offset, `expected type '${describeType(left)}' but found '${describeType(right)}'`)
  }

  /** `target`: of a call `target.name(args)`. */
  noOverload(offset: number, name: string, target: CelType | undefined, args: readonly CelType[]): CelType {
    const shown = (type: CelType): string => describeType(this.settled(type))
    const receiver = target === undefined ? '' : `${shown(target)}.`
    const signature = `${receiver}(${args.map(shown).join(', ')})`
    return this.say(offset, `found no matching overload for '${name}' applied to '${signature}'`)
  }
}
