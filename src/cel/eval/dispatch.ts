/** The choice between overloads by the runtime types of the arguments. */

import type { CostOf, Implementation, Overload } from '../library/library.ts'
import type { Expr } from '../syntax/ast.ts'
import type { CelType } from '../types.ts'
import {
  CelDouble,
  CelDuration,
  CelList,
  CelMap,
  CelOpaque,
  CelOptional,
  CelTimestamp,
  CelTypeValue,
  CelUint,
  noSuchOverload,
  type Value,
} from '../values/value.ts'

interface Dispatch {
  readonly call: Implementation
  readonly cost: CostOf | undefined
}

/** The implementation and the cost for whichever of `candidates` the runtime types choose. */
export function dispatch(candidates: readonly Overload[], operands: readonly Expr[]): Dispatch {
  const [first] = candidates
  const same = candidates.every(
    (overload) => overload.checksItself && overload.call === first?.call && overload.cost === first.cost,
  )
  if (first !== undefined && same) return { call: first.call, cost: first.cost }
  const guarded = candidates.map((overload) => ({
    overload,
    fits: fitsAll(overload.args.map((type, index) => guardOf(type, operands[index]))),
  }))
  if (guarded.length === 1 && guarded[0]?.fits === undefined && first !== undefined) {
    return { call: first.call, cost: first.cost }
  }
  const choose = (a: Value, b: Value, c: Value, d: Value): Overload | undefined => {
    for (const { overload, fits } of guarded) if (fits === undefined || fits(a, b, c, d)) return overload
    return undefined
  }
  return {
    call: (a, b, c, d) => choose(a, b, c, d)?.call(a, b, c, d) ?? noSuchOverload,
    cost: candidates.every((overload) => overload.cost === undefined)
      ? undefined
      : (a, b, c) => choose(a, b, c, null)?.cost?.(a, b, c) ?? 1,
  }
}

type Guard = (value: Value) => boolean

function fitsAll(
  guards: readonly (Guard | undefined)[],
): ((a: Value, b: Value, c: Value, d: Value) => boolean) | undefined {
  if (guards.every((guard) => guard === undefined)) return undefined
  const [first, second, third, fourth] = guards
  return (a, b, c, d) =>
    (first === undefined || first(a)) &&
    (second === undefined || second(b)) &&
    (third === undefined || third(c)) &&
    (fourth === undefined || d === null || fourth(d))
}

/** Nothing to look at: the parameter takes everything, or the operand is a literal of the kind. */
function guardOf(type: CelType, operand: Expr | undefined): Guard | undefined {
  if (operand?.kind === 'literal' && operand.value !== null) {
    const literal = operand.value
    const guard = guardByKind(type)
    return guard === undefined || guard(literal) ? undefined : guard
  }
  return guardByKind(type)
}

function guardByKind(type: CelType): Guard | undefined {
  switch (type.kind) {
    case 'bool':
      return (value) => typeof value === 'boolean'
    case 'string':
      return (value) => typeof value === 'string'
    case 'int':
      return (value) => typeof value === 'number' || typeof value === 'bigint'
    case 'uint':
      return (value) => value instanceof CelUint
    case 'double':
      return (value) => value instanceof CelDouble
    case 'bytes':
      return (value) => value instanceof Uint8Array
    case 'null':
      return (value) => value === null
    case 'timestamp':
      return (value) => value instanceof CelTimestamp
    case 'duration':
      return (value) => value instanceof CelDuration
    case 'list':
      return (value) => value instanceof CelList
    case 'map':
    case 'object':
      return (value) => value instanceof CelMap
    case 'optional':
      return (value) => value instanceof CelOptional
    case 'type':
      return (value) => value instanceof CelTypeValue
    case 'opaque':
      return (value) => value instanceof CelOpaque && value.host.celType.name === type.name
    default:
      return undefined
  }
}
