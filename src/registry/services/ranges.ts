/** The addresses and ports that services get: what is inside, and what to pick next. */

import type { Address, Range } from '../../types/validation/ip.ts'

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
  const bits = (family === 'IPv4' ? 32 : 128) - prefixBits
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
  const behind = BigInt((family === 'IPv4' ? 32 : 128) - range.prefixBits)
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

/** As text: dotted for IPv4; RFC 5952 for IPv6. */
export function formatAddress({ family, value }: Address): string {
  return family === 'IPv4' ? formatV4(Number(value)) : formatV6(value)
}

function formatV4(value: number): string {
  return [24, 16, 8, 0].map((shift) => (value >>> shift) & 255).join('.')
}

/** The longest run of two or more zero groups, the first of equals, becomes `::`. */
function formatV6(value: bigint): string {
  const groups = Array.from({ length: 8 }, (_, i) => Number((value >> BigInt(112 - i * 16)) & 0xffffn))
  let [bestAt, bestLength] = [0, 1]
  for (let at = 0; at < 8; at++) {
    let end = at
    while (end < 8 && groups[end] === 0) end++
    if (end - at > bestLength) [bestAt, bestLength] = [at, end - at]
  }
  const hex = groups.map((group) => group.toString(16))
  if (bestLength < 2) return hex.join(':')
  return `${hex.slice(0, bestAt).join(':')}::${hex.slice(bestAt + bestLength).join(':')}`
}
