/** Operators. Each implementation looks at its arguments itself, whatever overload the checker meant. */

import { compare, costSize, equal } from '../../values/compare.ts'
import { mergeLists } from '../../values/identity.ts'
import {
  addInt,
  divideInt,
  divisionByZero,
  isInt,
  moduloInt,
  modulusByZero,
  multiplyInt,
  negateInt,
  subtractInt,
} from '../../values/int.ts'
import { durationOf, timestampOf } from '../../values/time.ts'
import {
  ArrayList,
  CelDouble,
  CelDuration,
  CelError,
  CelList,
  CelMap,
  CelOptional,
  CelTimestamp,
  CelUint,
  noSuchKey,
  noSuchOverload,
  type Value,
} from '../../values/value.ts'
import { type CostOf, define, type Implementation, type Overload, traversal } from '../library.ts'

const uintOverflow = new CelError('unsigned integer overflow')

function uintOf(value: bigint): CelUint | CelError {
  return BigInt.asUintN(64, value) === value ? new CelUint(value) : uintOverflow
}

const add: Implementation = (a, b) => {
  if (isInt(a)) return isInt(b) ? addInt(a, b) : noSuchOverload
  if (typeof a === 'string') return typeof b === 'string' ? a + b : noSuchOverload
  if (a instanceof CelDouble)
    return b instanceof CelDouble ? new CelDouble(a.value + b.value) : noSuchOverload
  if (a instanceof CelUint) return b instanceof CelUint ? uintOf(a.value + b.value) : noSuchOverload
  if (a instanceof CelList) return b instanceof CelList ? concat(a, b) : noSuchOverload
  if (a instanceof Uint8Array) return b instanceof Uint8Array ? concatBytes(a, b) : noSuchOverload
  return addTimes(a, b)
}

function addTimes(a: Value, b: Value): Value {
  if (a instanceof CelTimestamp) {
    return b instanceof CelDuration ? timestampOf(a.nanos + b.nanos) : noSuchOverload
  }
  if (!(a instanceof CelDuration)) return noSuchOverload
  if (b instanceof CelTimestamp) return timestampOf(a.nanos + b.nanos)
  return b instanceof CelDuration ? durationOf(a.nanos + b.nanos) : noSuchOverload
}

function concat(a: CelList, b: CelList): CelList {
  if (a.identity !== undefined) return mergeLists(a, b, a.identity)
  const items: Value[] = []
  for (const list of [a, b]) for (let index = 0; index < list.size; index++) items.push(list.at(index))
  return new ArrayList(items)
}

function concatBytes(a: Uint8Array, b: Uint8Array): Uint8Array {
  const joined = new Uint8Array(a.length + b.length)
  joined.set(a)
  joined.set(b, a.length)
  return joined
}

const subtract: Implementation = (a, b) => {
  if (isInt(a)) return isInt(b) ? subtractInt(a, b) : noSuchOverload
  if (a instanceof CelDouble)
    return b instanceof CelDouble ? new CelDouble(a.value - b.value) : noSuchOverload
  if (a instanceof CelUint) return b instanceof CelUint ? uintOf(a.value - b.value) : noSuchOverload
  if (a instanceof CelDuration)
    return b instanceof CelDuration ? durationOf(a.nanos - b.nanos) : noSuchOverload
  if (!(a instanceof CelTimestamp)) return noSuchOverload
  if (b instanceof CelTimestamp) return durationOf(a.nanos - b.nanos)
  return b instanceof CelDuration ? timestampOf(a.nanos - b.nanos) : noSuchOverload
}

const multiply: Implementation = (a, b) => {
  if (isInt(a)) return isInt(b) ? multiplyInt(a, b) : noSuchOverload
  if (a instanceof CelDouble)
    return b instanceof CelDouble ? new CelDouble(a.value * b.value) : noSuchOverload
  return a instanceof CelUint && b instanceof CelUint ? uintOf(a.value * b.value) : noSuchOverload
}

const divide: Implementation = (a, b) => {
  if (isInt(a)) return isInt(b) ? divideInt(a, b) : noSuchOverload
  if (a instanceof CelDouble)
    return b instanceof CelDouble ? new CelDouble(a.value / b.value) : noSuchOverload
  if (!(a instanceof CelUint && b instanceof CelUint)) return noSuchOverload
  return b.value === 0n ? divisionByZero : uintOf(a.value / b.value)
}

const modulo: Implementation = (a, b) => {
  if (isInt(a)) return isInt(b) ? moduloInt(a, b) : noSuchOverload
  if (!(a instanceof CelUint && b instanceof CelUint)) return noSuchOverload
  return b.value === 0n ? modulusByZero : uintOf(a.value % b.value)
}

const negate: Implementation = (a) => {
  if (isInt(a)) return negateInt(a)
  return a instanceof CelDouble ? new CelDouble(-a.value) : noSuchOverload
}

const not: Implementation = (a) => (typeof a === 'boolean' ? !a : noSuchOverload)

const equals: Implementation = (a, b) => equal(a, b)
const differs: Implementation = (a, b) => !equal(a, b)

/** `holds` says whether the order, negative, 0 or positive, is what the operator asks for. */
function ordering(holds: (order: number) => boolean): Implementation {
  return (a, b) => {
    if (typeof a === 'number' && typeof b === 'number') return holds(a - b)
    const order = compare(a, b)
    return order === undefined ? noSuchOverload : holds(order)
  }
}

const less = ordering((order) => order < 0)
const lessOrEqual = ordering((order) => order <= 0)
const greater = ordering((order) => order > 0)
const greaterOrEqual = ordering((order) => order >= 0)

const contains: Implementation = (a, b) => {
  if (b instanceof CelMap) return b.get(a) !== undefined
  if (!(b instanceof CelList)) return noSuchOverload
  for (let index = 0; index < b.size; index++) if (equal(a, b.at(index))) return true
  return false
}

function indexOf(value: Value): number | bigint | undefined {
  if (isInt(value)) return value
  if (value instanceof CelUint) return value.value
  return value instanceof CelDouble && Number.isInteger(value.value) ? value.value : undefined
}

function keyText(key: Value): string {
  if (typeof key === 'object' && key !== null && 'value' in key) return String(key.value)
  return String(key)
}

/** An element, or why there is none: `absent` when it is merely not there. */
function lookUp(container: Value, key: Value): Value | { readonly absent: CelError } {
  if (container instanceof CelMap) {
    const value = container.get(key)
    return value === undefined ? { absent: noSuchKey(keyText(key)) } : value
  }
  if (!(container instanceof CelList)) return noSuchOverload
  const index = indexOf(key)
  if (index === undefined) return new CelError(`unsupported index type '${typeof key}' in list`)
  if (index < 0 || index >= container.size) return { absent: new CelError(`index out of bounds: ${index}`) }
  return container.at(Number(index))
}

function isAbsent(found: ReturnType<typeof lookUp>): found is { readonly absent: CelError } {
  return typeof found === 'object' && found !== null && 'absent' in found
}

const at: Implementation = (container, key) => {
  if (container instanceof CelOptional) return atOptional(container, key, null, null)
  const found = lookUp(container, key)
  return isAbsent(found) ? found.absent : found
}

const atOptional: Implementation = (container, key) => {
  const target = container instanceof CelOptional ? container.value : container
  if (target === undefined) return CelOptional.none
  const found = lookUp(target, key)
  if (isAbsent(found)) return CelOptional.none
  return found instanceof CelError ? found : new CelOptional(found)
}

/** Both sides are walked together, until the shorter one ends. */
const comparisonCost: CostOf = (a, b) =>
  typeof a === 'number' ? 1 : traversal(Math.min(costSize(a), costSize(b)))

const scalarComparisonCost: CostOf = (a, b) =>
  typeof a === 'string' || a instanceof Uint8Array ? comparisonCost(a, b, null) : 1

/** Both sides are copied. Numbers and times are not. */
const additionCost: CostOf = (a, b) => {
  if (typeof a === 'string' || a instanceof Uint8Array) return traversal(costSize(a) + costSize(b))
  return a instanceof CelList ? Math.max(1, traversal(a.size + costSize(b))) : 1
}

const membershipCost: CostOf = (_, b) => (b instanceof CelList ? b.size : 1)

function family(
  name: string,
  signatures: readonly string[],
  call: Implementation,
  cost?: CostOf,
): Overload[] {
  return signatures.map((signature) => ({ ...define(`${name}${signature}`, call, cost), checksItself: true }))
}

const numbers = ['int', 'uint', 'double']
const ordered = [
  ...numbers.flatMap((a) => numbers.map((b) => `(${a}, ${b}): bool`)),
  ...['bool', 'string', 'bytes', 'timestamp', 'duration'].map((type) => `(${type}, ${type}): bool`),
]
const arithmetic = numbers.map((type) => `(${type}, ${type}): ${type}`)
const lookups = ['(list(A), int): A', '(map(A, B), A): B']
const optionalLookups = ['(optional(list(A)), int): optional(A)', '(optional(map(A, B)), A): optional(B)']

export const operators: readonly Overload[] = [
  ...family('_==_', ['(A, A): bool'], equals, comparisonCost),
  ...family('_!=_', ['(A, A): bool'], differs, comparisonCost),
  ...family('_<_', ordered, less, scalarComparisonCost),
  ...family('_<=_', ordered, lessOrEqual, scalarComparisonCost),
  ...family('_>_', ordered, greater, scalarComparisonCost),
  ...family('_>=_', ordered, greaterOrEqual, scalarComparisonCost),
  ...family(
    '_+_',
    [
      ...arithmetic,
      '(string, string): string',
      '(bytes, bytes): bytes',
      '(list(A), list(A)): list(A)',
      '(duration, duration): duration',
      '(duration, timestamp): timestamp',
      '(timestamp, duration): timestamp',
    ],
    add,
    additionCost,
  ),
  ...family(
    '_-_',
    [
      ...arithmetic,
      '(duration, duration): duration',
      '(timestamp, timestamp): duration',
      '(timestamp, duration): timestamp',
    ],
    subtract,
  ),
  ...family('_*_', arithmetic, multiply),
  ...family('_/_', arithmetic, divide),
  ...family('_%_', ['(int, int): int', '(uint, uint): uint'], modulo),
  ...family('-_', ['(int): int', '(double): double'], negate),
  ...family('!_', ['(bool): bool'], not),
  ...family('@in', ['(A, list(A)): bool', '(A, map(A, B)): bool'], contains, membershipCost),
  ...family('_[_]', [...lookups, ...optionalLookups], at),
  ...family(
    '_[?_]',
    ['(list(A), int): optional(A)', '(map(A, B), A): optional(B)', ...optionalLookups],
    atOptional,
  ),
  // planned by itself; declared for the checker
  ...family('_?_:_', ['(bool, A, A): A'], () => noSuchOverload),
]
