/**
 * Inference: which type variables must be what, for one type to be assignable to another. `dyn` fits everything, and
 * so does what was refused already. A variable that meets two types takes the more general.
 */

import { type CelType, cel, sameType } from '../types.ts'

/** Most steps of one check: expressions can be written whose types are exponentially larger than they are. */
const stepsMax = 1_000_000

/** Thrown when the steps are used up; `check` turns it into a finding. */
export class TypesTooComplex {
  readonly message = 'types of the expression are too complex'
}

/** Type variables by name, and how to take back those that a failed trial bound. */
export class Bindings {
  readonly #types = new Map<string, CelType>()
  readonly #trail: (readonly [string, CelType | undefined])[] = []
  #steps = 0

  get(name: string): CelType | undefined {
    return this.#types.get(name)
  }

  set(name: string, type: CelType): void {
    this.#trail.push([name, this.#types.get(name)])
    this.#types.set(name, type)
  }

  mark(): number {
    return this.#trail.length
  }

  undo(mark: number): void {
    while (this.#trail.length > mark) {
      const [name, type] = this.#trail.pop() ?? ['', undefined]
      if (type === undefined) this.#types.delete(name)
      else this.#types.set(name, type)
    }
  }

  /** Counts a step of inference. */
  step(): void {
    if (++this.#steps > stepsMax) throw new TypesTooComplex()
  }
}

function isDynamic(type: CelType): boolean {
  return type.kind === 'dyn' || type.kind === 'error'
}

/** Kinds whose values may be null although they do not say so (messages of the protocol that CEL comes from). */
function isNullable(type: CelType): boolean {
  switch (type.kind) {
    case 'null':
    case 'opaque':
    case 'optional':
    case 'object':
    case 'timestamp':
    case 'duration':
      return true
    default:
      return false
  }
}

/** Whether a value of type `from` may stand where `to` is asked for; binds variables of both, also when it fails. */
function unify(bindings: Bindings, from: CelType, to: CelType): boolean {
  bindings.step()
  if (to.kind === 'param') {
    const bound = bind(bindings, to.name, from)
    if (bound !== 'circular') return bound === 'yes'
  }
  if (from.kind === 'param') return bind(bindings, from.name, to) === 'yes'
  if (isDynamic(from) || isDynamic(to)) return true
  if (from.kind === 'null') return isNullable(to)
  if (to.kind === 'null') return isNullable(from)
  switch (from.kind) {
    case 'list':
      return to.kind === 'list' && unify(bindings, from.element, to.element)
    case 'map':
      return to.kind === 'map' && unify(bindings, from.key, to.key) && unify(bindings, from.value, to.value)
    case 'optional':
      return to.kind === 'optional' && unify(bindings, from.element, to.element)
    case 'type':
      return to.kind === 'type'
    default:
      return sameType(from, to)
  }
}

/** `conflict` = it is bound to something else; `circular` = it would contain itself. */
function bind(bindings: Bindings, name: string, type: CelType): 'yes' | 'circular' | 'conflict' {
  if (type.kind === 'param' && type.name === name) return 'yes'
  const bound = bindings.get(name)
  if (bound === undefined) {
    if (occurs(bindings, name, type)) return 'circular'
    bindings.set(name, type)
    return 'yes'
  }
  if (bound === type) return 'yes'
  if (!unify(bindings, type, bound)) return 'conflict'
  const general = mostGeneral(bindings, type, bound)
  if (!occurs(bindings, name, general)) bindings.set(name, general)
  return 'yes'
}

function occurs(bindings: Bindings, name: string, type: CelType): boolean {
  bindings.step()
  switch (type.kind) {
    case 'param': {
      if (type.name === name) return true
      const bound = bindings.get(type.name)
      return bound !== undefined && occurs(bindings, name, bound)
    }
    case 'list':
    case 'optional':
      return occurs(bindings, name, type.element)
    case 'map':
      return occurs(bindings, name, type.key) || occurs(bindings, name, type.value)
    case 'type':
      return type.of !== undefined && occurs(bindings, name, type.of)
    default:
      return false
  }
}

function isLessSpecific(bindings: Bindings, a: CelType, b: CelType): boolean {
  bindings.step()
  if (isDynamic(a) || a.kind === 'param') return true
  if (isDynamic(b) || b.kind === 'param' || a.kind !== b.kind) return false
  if (a.kind === 'list' && b.kind === 'list') return isLessSpecific(bindings, a.element, b.element)
  if (a.kind === 'optional' && b.kind === 'optional') return isLessSpecific(bindings, a.element, b.element)
  if (a.kind === 'map' && b.kind === 'map') {
    return isLessSpecific(bindings, a.key, b.key) && isLessSpecific(bindings, a.value, b.value)
  }
  return a.kind === 'type' || sameType(a, b)
}

/** Of two types that unify. */
export function mostGeneral(bindings: Bindings, a: CelType, b: CelType): CelType {
  return isLessSpecific(bindings, a, b) ? a : b
}

/** Whether each of `from` may stand in its place in `to`; binds variables only when all may. */
export function assignAll(bindings: Bindings, from: readonly CelType[], to: readonly CelType[]): boolean {
  const mark = bindings.mark()
  const fits =
    from.length === to.length && from.every((type, index) => unify(bindings, type, to[index] ?? cel.error))
  if (!fits) bindings.undo(mark)
  return fits
}

/** `type` with its variables replaced; `free` says what unbound ones become. */
export function substitute(bindings: Bindings, type: CelType, free: 'keep' | 'dyn'): CelType {
  bindings.step()
  switch (type.kind) {
    case 'param': {
      const bound = bindings.get(type.name)
      if (bound !== undefined) return substitute(bindings, bound, free)
      return free === 'dyn' ? cel.dyn : type
    }
    case 'list': {
      const element = substitute(bindings, type.element, free)
      return element === type.element ? type : cel.list(element, type.set)
    }
    case 'map': {
      const key = substitute(bindings, type.key, free)
      const value = substitute(bindings, type.value, free)
      return key === type.key && value === type.value ? type : cel.map(key, value)
    }
    case 'optional':
      return cel.optional(substitute(bindings, type.element, free))
    case 'type':
      return type.of === undefined ? type : cel.typeOf(substitute(bindings, type.of, free))
    default:
      return type
  }
}

/** The signature's own letters as fresh variables: `A` of one call is not `A` of another. */
export function renamed(type: CelType, suffix: string): CelType {
  switch (type.kind) {
    case 'param':
      return cel.param(type.name + suffix)
    case 'list':
      return cel.list(renamed(type.element, suffix))
    case 'map':
      return cel.map(renamed(type.key, suffix), renamed(type.value, suffix))
    case 'optional':
      return cel.optional(renamed(type.element, suffix))
    case 'type':
      return type.of === undefined ? type : cel.typeOf(renamed(type.of, suffix))
    default:
      return type
  }
}
