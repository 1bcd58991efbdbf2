/** Addresses and ranges of IP, read without any help of the machine. Sources: RFC 4291, RFC 4632, RFC 5952. */

import type { Problems } from './names.ts'

export interface Address {
  readonly family: 'IPv4' | 'IPv6'
  /** Of 32 or 128 bits. */
  readonly value: bigint
}

export interface Range extends Address {
  readonly prefixBits: number
}

const decimalPart = /^\d{1,3}$/
const hexPart = /^[0-9a-fA-F]{1,4}$/

/** Undefined when `text` is not an address. Zones (`%eth0`) are none of it. */
export function parseAddress(text: string): Address | undefined {
  return text.includes(':') ? parseV6(text) : parseV4(text)
}

function parseV4(text: string): Address | undefined {
  const parts = text.split('.')
  if (parts.length !== 4) return undefined
  let value = 0
  for (const part of parts) {
    const number = Number(part)
    if (!decimalPart.test(part) || number > 255) return undefined
    value = value * 256 + number
  }
  return { family: 'IPv4', value: BigInt(value) }
}

function parseV6(text: string): Address | undefined {
  const halves = text.split('::')
  if (halves.length > 2 || (halves.length === 2 && halves[0]?.includes('.'))) return undefined
  const head = groupsOf(halves[0] ?? '')
  const tail = halves.length === 2 ? groupsOf(halves[1] ?? '') : []
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
function groupsOf(text: string): readonly number[] | undefined {
  if (text === '') return []
  const groups: number[] = []
  const parts = text.split(':')
  for (const [i, part] of parts.entries()) {
    if (part.includes('.')) {
      const embedded = i === parts.length - 1 ? parseV4(part) : undefined
      if (embedded === undefined) return undefined
      groups.push(Number(embedded.value >> 16n), Number(embedded.value & 0xffffn))
    } else if (hexPart.test(part)) groups.push(Number.parseInt(part, 16))
    else return undefined
  }
  return groups
}

/** Undefined when `text` is not a range. Bits behind the prefix are allowed, and cleared. */
export function parseRange(text: string): Range | undefined {
  const slash = text.indexOf('/')
  if (slash < 0) return undefined
  const address = parseAddress(text.slice(0, slash))
  const bits = text.slice(slash + 1)
  if (address === undefined || !decimalPart.test(bits)) return undefined
  const prefixBits = Number(bits)
  const width = address.family === 'IPv4' ? 32 : 128
  if (prefixBits > width) return undefined
  const behind = BigInt(width - prefixBits)
  return { family: address.family, value: (address.value >> behind) << behind, prefixBits }
}

/** Is `inner` a part of `outer`, and smaller than it? */
export function isStrictPart(inner: Range, outer: Range): boolean {
  if (inner.family !== outer.family || inner.prefixBits <= outer.prefixBits) return false
  const behind = BigInt((outer.family === 'IPv4' ? 32 : 128) - outer.prefixBits)
  return inner.value >> behind === outer.value >> behind
}

export const addressText = 'must be a valid IP address, (e.g. 10.9.8.7 or 2001:db8::ffff)'
export const rangeText = 'must be a valid CIDR value, (e.g. 10.9.8.0/24 or 2001:db8::/64)'

const none: Problems = []

export function addressProblems(text: string): Problems {
  return parseAddress(text) === undefined ? [addressText] : none
}

export function rangeProblems(text: string): Problems {
  return parseRange(text) === undefined ? [rangeText] : none
}

/** Addresses that lead nowhere else than to the machine, its link or many at once. */
export function specialAddressProblems(address: Address): Problems {
  if (address.value === 0n) return ['may not be unspecified (0.0.0.0 or ::)']
  const range = (address.family === 'IPv4' ? specialV4 : specialV6)(address.value)
  return range === undefined ? none : [`may not be in the ${range}`]
}

const loopback = 'loopback range (127.0.0.0/8, ::1/128)'
const linkLocal = 'link-local range (169.254.0.0/16, fe80::/10)'
const linkLocalMulticast = 'link-local multicast range (224.0.0.0/24, ff02::/10)'

function specialV4(value: bigint): string | undefined {
  if (value >> 24n === 127n) return loopback
  if (value >> 16n === 0xa9fen) return linkLocal
  return value >> 8n === 0xe00000n ? linkLocalMulticast : undefined
}

function specialV6(value: bigint): string | undefined {
  if (value === 1n) return loopback
  if (value >> 118n === 0x3fan) return linkLocal
  return value >> 112n === 0xff02n ? linkLocalMulticast : undefined
}
