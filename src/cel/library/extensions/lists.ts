/** Kubernetes' list library, and the sets library. */

import { compare, equal, sizeOf } from '../../values/compare.ts'
import {
  CelDouble,
  CelDuration,
  CelError,
  CelList,
  CelUint,
  noSuchOverload,
  type Value,
} from '../../values/value.ts'
import { type CostOf, define, type Implementation, type Library, traversal } from '../library.ts'
import { operators } from '../standard/operators.ts'

const comparable = ['int', 'uint', 'double', 'bool', 'duration', 'timestamp', 'string', 'bytes']

const zeros = new Map<string, Value>([
  ['int', 0],
  ['uint', new CelUint(0n)],
  ['double', new CelDouble(0)],
  ['duration', new CelDuration(0n)],
])

/** One for each element, and what its text is long. */
const elementsCost: CostOf = (list) => {
  if (!(list instanceof CelList)) return 1
  let cost = 0
  for (let index = 0; index < list.size; index++) {
    const item = list.at(index)
    cost += typeof item === 'string' || item instanceof Uint8Array ? traversal(sizeOf(item)) : 1
  }
  return cost
}

const isSorted: Implementation = (list) => {
  if (!(list instanceof CelList)) return noSuchOverload
  for (let index = 1; index < list.size; index++) {
    const order = compare(list.at(index - 1), list.at(index))
    if (order === undefined) return noSuchOverload
    if (order > 0) return false
  }
  return true
}

/** The element that goes before all others by `sign`: 1 = the smallest, -1 = the largest. */
function extreme(name: string, sign: 1 | -1): Implementation {
  return (list) => {
    if (!(list instanceof CelList)) return noSuchOverload
    if (list.size === 0) return new CelError(`${name} called on empty list`)
    let best = list.at(0)
    for (let index = 1; index < list.size; index++) {
      const item = list.at(index)
      const order = compare(item, best)
      if (order === undefined) return item instanceof CelError ? item : noSuchOverload
      if (order * sign < 0) best = item
    }
    return best
  }
}

function sumFrom(zero: Value): Implementation {
  const add = operators.find((overload) => overload.name === '_+_')?.call
  if (add === undefined) throw new TypeError('no addition')
  return (list) => {
    if (!(list instanceof CelList)) return noSuchOverload
    if (list.size === 0) return zero
    let sum = list.at(0)
    for (let index = 1; index < list.size; index++) {
      sum = add(sum, list.at(index), null, null)
      if (sum instanceof CelError) return sum
    }
    return sum
  }
}

const indexOf: Implementation = (list, item) => {
  if (!(list instanceof CelList)) return noSuchOverload
  for (let index = 0; index < list.size; index++) if (equal(list.at(index), item)) return index
  return -1
}

const lastIndexOf: Implementation = (list, item) => {
  if (!(list instanceof CelList)) return noSuchOverload
  for (let index = list.size - 1; index >= 0; index--) if (equal(list.at(index), item)) return index
  return -1
}

const min = extreme('min', 1)
const max = extreme('max', -1)

export const listsLibrary: Library = {
  name: 'k8s.lists',
  overloads: [
    ...comparable.flatMap((type) => [
      define(`list(${type}).isSorted(): bool`, isSorted, elementsCost),
      define(`list(${type}).min(): ${type}`, min, elementsCost),
      define(`list(${type}).max(): ${type}`, max, elementsCost),
    ]),
    ...[...zeros].map(([type, zero]) => define(`list(${type}).sum(): ${type}`, sumFrom(zero), elementsCost)),
    define('list(A).indexOf(A): int', indexOf, elementsCost),
    define('list(A).lastIndexOf(A): int', lastIndexOf, elementsCost),
  ],
}

function includes(list: CelList, item: Value): boolean {
  for (let index = 0; index < list.size; index++) if (equal(item, list.at(index))) return true
  return false
}

function containsAll(a: CelList, b: CelList): boolean {
  for (let index = 0; index < b.size; index++) if (!includes(a, b.at(index))) return false
  return true
}

function intersect(a: CelList, b: CelList): boolean {
  for (let index = 0; index < a.size; index++) if (includes(b, a.at(index))) return true
  return false
}

function onLists(test: (a: CelList, b: CelList) => boolean): Implementation {
  return (a, b) => (a instanceof CelList && b instanceof CelList ? test(a, b) : noSuchOverload)
}

const pairsCost: CostOf = (a, b) => 1 + sizeOf(a) * sizeOf(b)
const pairsTwiceCost: CostOf = (a, b) => 1 + 2 * sizeOf(a) * sizeOf(b)

export const setsLibrary: Library = {
  name: 'sets',
  overloads: [
    define('sets.contains(list(A), list(A)): bool', onLists(containsAll), pairsCost),
    define(
      'sets.equivalent(list(A), list(A)): bool',
      onLists((a, b) => containsAll(a, b) && containsAll(b, a)),
      pairsTwiceCost,
    ),
    define('sets.intersects(list(A), list(A)): bool', onLists(intersect), pairsCost),
  ],
}
