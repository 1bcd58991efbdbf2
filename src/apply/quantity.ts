/**
 * Do two spellings mean the same quantity? `1`, `1000m` and `1e0` do, `1Ki` and `1k` do not.
 *
 * Source: Kubernetes API, resource.Quantity: decimal digits, then a binary suffix (Ki…Ei), a decimal suffix (n…E)
 * or a decimal exponent.
 */

import type { JsonValue } from '../json.ts'

const decimalExponents: ReadonlyMap<string, number> = new Map([
  ['n', -9],
  ['u', -6],
  ['m', -3],
  ['', 0],
  ['k', 3],
  ['M', 6],
  ['G', 9],
  ['T', 12],
  ['P', 15],
  ['E', 18],
])

const binaryShifts: ReadonlyMap<string, number> = new Map([
  ['Ki', 10],
  ['Mi', 20],
  ['Gi', 30],
  ['Ti', 40],
  ['Pi', 50],
  ['Ei', 60],
])

/** Longest text that is looked into; a longer one equals only itself. */
const charactersMax = 64
const exponentMax = 64

const form = /^([+-]?)(\d*)(?:\.(\d*))?([eE][+-]?\d{1,3}|[KMGTPE]i|[numkMGTPE]?)$/

export function sameQuantity(a: JsonValue, b: JsonValue): boolean {
  const left = amount(a)
  const right = amount(b)
  if (left === undefined || right === undefined) return false
  const shared = Math.min(left.exponent, right.exponent)
  return scaled(left, shared) === scaled(right, shared)
}

interface Amount {
  readonly digits: bigint
  /** Power of ten. */
  readonly exponent: number
}

function scaled({ digits, exponent }: Amount, to: number): bigint {
  return digits * 10n ** BigInt(exponent - to)
}

function amount(value: JsonValue): Amount | undefined {
  const text = typeof value === 'number' ? String(value) : value
  if (typeof text !== 'string' || text.length > charactersMax) return undefined
  const match = form.exec(text)
  if (match === null) return undefined
  const [, sign = '', whole = '', fraction = '', suffix = ''] = match
  if (whole.length + fraction.length === 0) return undefined
  let digits = BigInt(whole + fraction)
  if (sign === '-') digits = -digits
  let exponent = -fraction.length
  const shift = binaryShifts.get(suffix)
  if (shift !== undefined) digits <<= BigInt(shift)
  else exponent += decimalExponents.get(suffix) ?? Number(suffix.slice(1))
  return Math.abs(exponent) > exponentMax + charactersMax ? undefined : { digits, exponent }
}
