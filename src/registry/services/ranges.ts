/** The addresses and ports that services get: what is inside, and what to pick next. */

import { type Address, formatAddress, widthOf } from '../../ip.ts'
import type { Range } from '../../types/validation/ip.ts'

/** Whole numbers from `first` on; `size` ≥ 1. */
export interface Span {
  readonly first: bigint
  readonly size: number
  /** What people ask for by number comes first: picks leave the first so many alone while there are others. */
  readonly reserved: number
}

/** More addresses than these are never looked at: as many as the largest IPv4 range has. */
const addressesMax = 2 ** 20

/** Without the address of the network itself, the first ({@link selfAddress}) and, for IPv4, the broadcast address. */
export function addressSpan({ family, value, prefixBits }: Range): Span {
  const bits = widthOf({ family }) - prefixBits
  const all = bits >= 20 ? addressesMax : 2 ** bits
  const size = all - (family === 'IPv4' ? 3 : 2)
  return { first: value + 2n, size, reserved: reservedOf(size, 16, 16, 256) }
}

export function portSpan({ first, last }: PortRange): Span {
  const size = last - first + 1
  return { first: BigInt(first), size, reserved: reservedOf(size, 32, 16, 128) }
}

/** Both inclusive, 1 ≤ first ≤ last ≤ 65535. */
export interface PortRange {
  readonly first: number
  readonly last: number
}

/** A share of the range within bounds; none of a range that is too small for it. */
function reservedOf(size: number, share: number, min: number, max: number): number {
  if (size <= min) return 0
  return Math.min(Math.max(min, Math.floor(size / share)), max)
}

/** A range contains its own first and last address too, though nobody gets them. */
export function contains(range: Range, { family, value }: Address): boolean {
  const behind = BigInt(widthOf({ family }) - range.prefixBits)
  return family === range.family && value >> behind === range.value >> behind
}

export function isIn({ first, size }: Span, value: bigint): boolean {
  return value >= first && value < first + BigInt(size)
}

const drawsMax = 16

/**
 * One that is not avoided, at random; when that is hard, the first there is. Undefined = there is none.
 * `fraction`: 0 ≤ x < 1.
 */
export function pick(
  { first, size, reserved }: Span,
  isAvoided: (value: bigint) => boolean,
  fraction: () => number,
): bigint | undefined {
  for (let draw = 0; draw < drawsMax; draw++) {
    const value = first + BigInt(reserved + Math.floor(fraction() * (size - reserved)))
    if (!isAvoided(value)) return value
  }
  for (let step = 0; step < size; step++) {
    const value = first + BigInt((step + reserved) % size)
    if (!isAvoided(value)) return value
  }
  return undefined
}

/** The address of the service of the API servers themselves: the first of the range. */
export function selfAddress({ family, value }: Range): string {
  return formatAddress({ family, value: value + 1n })
}
