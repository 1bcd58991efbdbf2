/** Addresses of IP as numbers, read without any help of the machine. Sources: RFC 4291, RFC 5952. */

export interface Address {
  readonly family: 'IPv4' | 'IPv6'
  /** Of 32 or 128 bits. */
  readonly value: bigint
}

/** Bits of an address. */
export function widthOf({ family }: Pick<Address, 'family'>): number {
  return family === 'IPv4' ? 32 : 128
}

/**
 * Undefined when `text` is not an address. Zones (`%eth0`) are none of it.
 * @param leadingZeros whether `010.0.0.1` is an address: older programs took it, in two ways
 */
export function parseAddress(
  text: string,
  leadingZeros: 'allowed' | 'refused' = 'allowed',
): Address | undefined {
  const part = leadingZeros === 'allowed' ? decimalPart : canonicalPart
  return text.includes(':') ? parseV6(text, part) : parseV4(text, part)
}

const decimalPart = /^\d{1,3}$/
const canonicalPart = /^(0|[1-9]\d{0,2})$/
const hexPart = /^[0-9a-fA-F]{1,4}$/

function parseV4(text: string, shape: RegExp): Address | undefined {
  const parts = text.split('.')
  if (parts.length !== 4) return undefined
  let value = 0
  for (const part of parts) {
    const number = Number(part)
    if (!shape.test(part) || number > 255) return undefined
    value = value * 256 + number
  }
  return { family: 'IPv4', value: BigInt(value) }
}

function parseV6(text: string, shape: RegExp): Address | undefined {
  const halves = text.split('::')
  if (halves.length > 2 || (halves.length === 2 && halves[0]?.includes('.'))) return undefined
  const head = groupsOf(halves[0] ?? '', shape)
  const tail = halves.length === 2 ? groupsOf(halves[1] ?? '', shape) : []
  if (head === undefined || tail === undefined) return undefined
  const missing = 8 - head.length - tail.length
  if (halves.length === 2 ? missing < 1 : missing !== 0) return undefined
  let value = 0n
  for (const group of [...head, ...new Array<number>(missing).fill(0), ...tail]) {
    value = (value << 16n) | BigInt(group)
  }
  return { family: 'IPv6', value }
}

/** The last two groups may be written as an IPv4 address. */
function groupsOf(text: string, shape: RegExp): readonly number[] | undefined {
  if (text === '') return []
  const groups: number[] = []
  const parts = text.split(':')
  for (const [i, part] of parts.entries()) {
    if (part.includes('.')) {
      const embedded = i === parts.length - 1 ? parseV4(part, shape) : undefined
      if (embedded === undefined) return undefined
      groups.push(Number(embedded.value >> 16n), Number(embedded.value & 0xffffn))
    } else if (hexPart.test(part)) groups.push(Number.parseInt(part, 16))
    else return undefined
  }
  return groups
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
