/** Amounts of resources by name, added up exactly. Pure. */

import type { JsonObject, JsonValue } from '../../json.ts'
import { formatQuantity, parseQuantity, type Quantity } from '../../schema/quantity.ts'

export type Amounts = ReadonlyMap<string, Quantity>

const none: Quantity = { nanos: 0n, format: 'DecimalSI' }

/** A whole number of things. */
export function count(of: number): Quantity {
  return { nanos: BigInt(of) * 1_000_000_000n, format: 'DecimalSI' }
}

/** A resource list as objects have it; what is no quantity is left out. */
export function readAmounts(list: JsonObject | undefined): Amounts {
  const amounts = new Map<string, Quantity>()
  for (const [name, text] of Object.entries(list ?? {})) {
    const quantity = typeof text === 'string' ? parseQuantity(text) : undefined
    if (quantity !== undefined) amounts.set(name, quantity)
  }
  return amounts
}

/** In the order of their names. */
export function writeAmounts(amounts: Amounts): JsonObject {
  const list: Record<string, JsonValue> = Object.create(null)
  for (const name of [...amounts.keys()].sort()) list[name] = formatQuantity(amounts.get(name) ?? none)
  return list
}

/** The unit of what is there already, of the first that is not nothing. */
function plus(a: Quantity, b: Quantity, sign: 1n | -1n): Quantity {
  return { nanos: a.nanos + sign * b.nanos, format: a.nanos === 0n ? b.format : a.format }
}

export function addAmounts(a: Amounts, b: Amounts): Amounts {
  const sum = new Map(a)
  for (const [name, quantity] of b) sum.set(name, plus(sum.get(name) ?? none, quantity, 1n))
  return sum
}

export function subtractAmounts(a: Amounts, b: Amounts): Amounts {
  const rest = new Map(a)
  for (const [name, quantity] of b) rest.set(name, plus(rest.get(name) ?? none, quantity, -1n))
  return rest
}

/** The larger of both, by name. */
export function largestAmounts(a: Amounts, b: Amounts): Amounts {
  const most = new Map(a)
  for (const [name, quantity] of b) {
    const other = most.get(name)
    if (other === undefined || quantity.nanos > other.nanos) most.set(name, quantity)
  }
  return most
}

/** Those that `isWanted` names. */
export function pickAmounts(
  amounts: Amounts,
  isWanted: (name: string, quantity: Quantity) => boolean,
): Amounts {
  return new Map([...amounts].filter(([name, quantity]) => isWanted(name, quantity)))
}

/** `cpu=1,memory=2Gi`, in the order of the names. */
export function describeAmounts(amounts: Amounts): string {
  return [...amounts.keys()]
    .sort()
    .map((name) => `${name}=${formatQuantity(amounts.get(name) ?? none)}`)
    .join(',')
}
