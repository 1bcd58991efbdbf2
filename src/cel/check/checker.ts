/**
 * The type checker: gives every node a type, every name a meaning and every call the overloads it may mean, or says
 * what is wrong in cel-go's words. Recursion is bounded by the parser's depth limit.
 */

import type { Overload } from '../library/library.ts'
import type {
  Call,
  Comprehension,
  Expr,
  Ident,
  ListLiteral,
  MapLiteral,
  OptionalMap,
  Select,
  StructLiteral,
} from '../syntax/ast.ts'
import { qualifiedName } from '../syntax/ast.ts'
import type { Finding } from '../syntax/source.ts'
import { type CelType, cel, describeType, type ObjectType, sameType } from '../types.ts'
import { CelDouble, CelUint, type Value } from '../values/value.ts'
import { Inference } from './inference.ts'
import { type Binding, findLocal, type Locals, type Vocabulary } from './scope.ts'
import { renamed, TypesTooComplex } from './unify.ts'

interface CheckOptions {
  readonly variables: ReadonlyMap<string, CelType>
  readonly objects: ReadonlyMap<string, ObjectType>
  readonly vocabulary: Vocabulary
  /** True: the elements of a list literal, the keys and the values of a map literal must have one type. */
  readonly homogeneousLiterals: boolean
}

/** What the planner needs to know of the tree. */
export interface Checked {
  readonly type: CelType
  readonly findings: readonly Finding[]
  /** Type of each node. */
  readonly types: ReadonlyMap<Expr, CelType>
  /** Meaning of identifiers, and of selections that spell a dotted name. */
  readonly names: ReadonlyMap<Expr, Binding>
  /** Candidates of each call, in the order of declaration; chosen among by the arguments' types at run time. */
  readonly calls: ReadonlyMap<Expr, readonly Overload[]>
  /** Calls whose target is a name space: `sets.contains(a, b)`. */
  readonly spaced: ReadonlySet<Expr>
  /** Slots of macros' variables. */
  readonly slots: ReadonlyMap<Expr, number>
}

/** Never throws: what is wrong stands in `findings`, and the type is then `error`. */
export function check(expr: Expr, options: CheckOptions): Checked {
  const checker = new Checker(options)
  try {
    return checker.finish(checker.visit(expr, undefined))
  } catch (thrown) {
    if (thrown instanceof TypesTooComplex)
      return checker.refuse({ offset: expr.offset, message: thrown.message })
    throw thrown
  }
}

class Checker {
  readonly #options: CheckOptions
  readonly #types = new Map<Expr, CelType>()
  readonly #names = new Map<Expr, Binding>()
  readonly #calls = new Map<Expr, readonly Overload[]>()
  readonly #spaced = new Set<Expr>()
  readonly #slots = new Map<Expr, number>()
  /** Literals whose elements may have different types: what a text is to be filled with. */
  readonly #mixed = new Set<Expr>()
  readonly #inference: Inference

  constructor(options: CheckOptions) {
    this.#options = options
    this.#inference = new Inference(options)
  }

  finish(type: CelType): Checked {
    for (const [expr, inferred] of this.#types) this.#types.set(expr, this.#inference.settled(inferred))
    return this.#result(this.#inference.settled(type))
  }

  #result(type: CelType): Checked {
    return {
      type,
      findings: this.#inference.findings,
      types: this.#types,
      names: this.#names,
      calls: this.#calls,
      spaced: this.#spaced,
      slots: this.#slots,
    }
  }

  /** Without a result, whatever was found so far. */
  refuse(finding: Finding): Checked {
    this.#inference.findings.push(finding)
    return this.#result(cel.error)
  }

  visit(expr: Expr, locals: Locals | undefined): CelType {
    const type = this.#infer(expr, locals)
    this.#types.set(expr, type)
    return type
  }

  #infer(expr: Expr, locals: Locals | undefined): CelType {
    switch (expr.kind) {
      case 'literal':
        return literalType(expr.value)
      case 'ident':
        return this.#ident(expr, locals)
      case 'select':
        return this.#select(expr, locals)
      case 'call':
        return this.#call(expr, locals)
      case 'logical': {
        for (const term of expr.terms) this.#expectBool(term, locals)
        return cel.bool
      }
      case 'list':
        return this.#list(expr, locals)
      case 'map':
        return this.#map(expr, locals)
      case 'struct':
        return this.#struct(expr, locals)
      case 'comprehension':
        return this.#comprehension(expr, locals)
      case 'optMap':
        return this.#optionalMap(expr, locals)
    }
  }

  #expectBool(expr: Expr, locals: Locals | undefined): void {
    const type = this.visit(expr, locals)
    if (!this.#inference.assign(type, cel.bool)) this.#inference.mismatch(expr.offset, cel.bool, type)
  }

  /** A name's meaning; locals hide everything, unless the name begins with a dot. */
  #meaning(name: string, locals: Locals | undefined): Binding | undefined {
    const absolute = name.startsWith('.')
    const plain = absolute ? name.slice(1) : name
    const local = absolute ? undefined : findLocal(locals, plain)
    if (local !== undefined) return { kind: 'local', slot: local.slot, type: local.type }
    const variable = this.#options.variables.get(plain)
    if (variable !== undefined) return { kind: 'variable', name: plain, type: variable }
    const type = this.#options.vocabulary.types.get(plain) ?? this.#options.objects.get(plain)
    return type === undefined ? undefined : { kind: 'type', name: plain, type: cel.typeOf(type) }
  }

  #ident(expr: Ident, locals: Locals | undefined): CelType {
    const meaning = this.#meaning(expr.name, locals)
    if (meaning === undefined) return this.#inference.undeclared(expr.offset, expr.name)
    this.#names.set(expr, meaning)
    return meaning.type
  }

  #select(expr: Select, locals: Locals | undefined): CelType {
    const name = expr.mode === 'plain' ? qualifiedName(expr) : undefined
    const meaning = name === undefined ? undefined : this.#meaning(name, locals)
    if (meaning !== undefined) {
      this.#names.set(expr, meaning)
      return meaning.type
    }
    const operand = this.#inference.known(this.visit(expr.operand, locals))
    const type = this.#field(expr, operand.kind === 'optional' ? operand.element : operand)
    if (expr.mode === 'test') return cel.bool
    return operand.kind === 'optional' || expr.mode === 'optional' ? cel.optional(type) : type
  }

  #field(expr: Select, target: CelType): CelType {
    switch (target.kind) {
      case 'map':
        return target.value
      case 'object':
        return (
          target.fields.get(expr.field)?.type ??
          this.#inference.say(expr.offset, `undefined field '${expr.field}'`)
        )
      case 'param':
        this.#inference.assign(cel.dyn, target)
        return cel.dyn
      case 'dyn':
      case 'error':
        return cel.dyn
      default:
        this.#inference.say(expr.offset, `type '${describeType(target)}' does not support field selection`)
        return cel.dyn
    }
  }

  #call(expr: Call, locals: Locals | undefined): CelType {
    for (const arg of expr.args) if (expr.name === 'format' && arg.kind === 'list') this.#mixed.add(arg)
    const args = expr.args.map((arg) => this.visit(arg, locals))
    const functions = this.#options.vocabulary.functions
    if (expr.target === undefined) {
      return this.#resolve(expr, expr.name.replace(/^\./, ''), undefined, args)
    }
    const prefix = qualifiedName(expr.target)?.replace(/^\./, '')
    const spacedName = `${prefix}.${expr.name}`
    if (prefix !== undefined && functions.has(spacedName)) {
      this.#spaced.add(expr)
      return this.#resolve(expr, spacedName, undefined, args)
    }
    const target = this.visit(expr.target, locals)
    return this.#resolve(expr, expr.name, target, args)
  }

  #resolve(expr: Call, name: string, target: CelType | undefined, args: readonly CelType[]): CelType {
    const overloads = this.#options.vocabulary.functions.get(name)
    if (overloads === undefined) return this.#inference.undeclared(expr.offset, name)
    const given = target === undefined ? args : [target, ...args]
    const candidates: Overload[] = []
    let result: CelType | undefined
    for (const overload of overloads) {
      if (overload.member !== (target !== undefined) || overload.args.length !== given.length) continue
      const suffix = this.#inference.freshSuffix()
      const parameters = overload.args.map((arg) => renamed(arg, suffix))
      if (!this.#inference.assignAll(given, parameters)) continue
      candidates.push(overload)
      const type = this.#inference.known(renamed(overload.result, suffix))
      result = result === undefined || sameType(result, type) ? type : cel.dyn
    }
    if (result === undefined) return this.#inference.noOverload(expr.offset, name, target, args)
    this.#calls.set(expr, candidates)
    return result
  }

  #list(expr: ListLiteral, locals: Locals | undefined): CelType {
    let element: CelType | undefined
    for (const { value, optional } of expr.elements) {
      const type = this.visit(value, locals)
      element = this.#inference.join(
        value,
        element,
        optional ? this.#inference.optionalValue(value, type) : type,
        this.#mixed.has(expr),
      )
    }
    return cel.list(element ?? this.#inference.freshVariable())
  }

  #map(expr: MapLiteral, locals: Locals | undefined): CelType {
    let keys: CelType | undefined
    let values: CelType | undefined
    for (const { key, value, optional } of expr.entries) {
      keys = this.#inference.join(key, keys, this.visit(key, locals))
      const type = this.visit(value, locals)
      values = this.#inference.join(
        value,
        values,
        optional ? this.#inference.optionalValue(value, type) : type,
      )
    }
    return cel.map(keys ?? this.#inference.freshVariable(), values ?? this.#inference.freshVariable())
  }

  #struct(expr: StructLiteral, locals: Locals | undefined): CelType {
    const name = expr.name.replace(/^\./, '')
    const object = this.#options.objects.get(name)
    if (object === undefined) {
      const meaning = this.#meaning(expr.name, locals)
      if (meaning === undefined) this.#inference.undeclared(expr.offset, expr.name)
      else
        this.#inference.say(
          expr.offset,
          `'${name}' is not a ${meaning.kind === 'type' ? 'message ' : ''}type`,
        )
    }
    for (const { field, value, optional, offset } of expr.entries) {
      const type = this.visit(value, locals)
      const given = optional ? this.#inference.optionalValue(value, type) : type
      if (object === undefined) continue
      const declared =
        object.fields.get(field)?.type ?? this.#inference.say(offset, `undefined field '${field}'`)
      if (this.#inference.assign(declared, given)) continue
      const [expected, found] = [describeType(declared), describeType(this.#inference.settled(given))]
      this.#inference.say(
        offset,
        `expected type of field '${field}' is '${expected}' but provided type is '${found}'`,
      )
    }
    return object ?? cel.error
  }

  #elementOf(range: Expr, type: CelType): CelType {
    switch (type.kind) {
      case 'list':
        return type.element
      case 'map':
        return type.key
      case 'param':
      case 'dyn':
      case 'error':
        this.#inference.assign(cel.dyn, type)
        return cel.dyn
      default:
        return this.#inference.say(
          range.offset,
          `expression of type '${describeType(type)}' cannot be range of a comprehension (must be list, map, or dynamic)`,
        )
    }
  }

  #comprehension(expr: Comprehension, locals: Locals | undefined): CelType {
    const range = this.#inference.known(this.visit(expr.range, locals))
    const element = this.#elementOf(expr.range, range)
    const inner = this.#declare(expr, expr.variable, element, locals)
    if (expr.predicate !== undefined) this.#expectBool(expr.predicate, inner)
    if (expr.macro === 'filter') return cel.list(element)
    return expr.transform === undefined ? cel.bool : cel.list(this.visit(expr.transform, inner))
  }

  #optionalMap(expr: OptionalMap, locals: Locals | undefined): CelType {
    const target = this.#inference.known(this.visit(expr.target, locals))
    const dynamic = target.kind === 'dyn' || target.kind === 'error' || target.kind === 'param'
    if (!dynamic && target.kind !== 'optional') {
      this.#inference.noOverload(expr.offset, 'hasValue', target, [])
    }
    const element = target.kind === 'optional' ? target.element : cel.dyn
    const body = this.#inference.known(
      this.visit(expr.body, this.#declare(expr, expr.variable, element, locals)),
    )
    if (!expr.flat) return cel.optional(body)
    if (body.kind === 'optional' || body.kind === 'dyn' || body.kind === 'error') return body
    return this.#inference.noOverload(expr.offset, '_?_:_', undefined, [
      cel.bool,
      body,
      cel.optional(this.#inference.freshVariable()),
    ])
  }

  #declare(expr: Expr, name: string, type: CelType, outer: Locals | undefined): Locals {
    const slot = outer === undefined ? 0 : outer.slot + 1
    this.#slots.set(expr, slot)
    return { name, type, slot, outer }
  }
}

function literalType(value: Value): CelType {
  switch (typeof value) {
    case 'string':
      return cel.string
    case 'boolean':
      return cel.bool
    case 'number':
    case 'bigint':
      return cel.int
    default:
      if (value === null) return cel.null
      if (value instanceof CelDouble) return cel.double
      return value instanceof CelUint ? cel.uint : cel.bytes
  }
}
