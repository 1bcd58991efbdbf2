/** Ranges of IP addresses, and what fields with addresses and ranges may not hold. Source: RFC 4632. */

import { type Address, parseAddress, widthOf } from '../../ip.ts'
import type { Problems } from './names.ts'

export interface Range extends Address {
  readonly prefixBits: number
}

const prefix = /^\d{1,3}$/

/** Undefined when `text` is not a range. Bits behind the prefix are allowed, and cleared. */
export function parseRange(text: string): Range | undefined {
  const slash = text.indexOf('/')
  if (slash < 0) return undefined
  const address = parseAddress(text.slice(0, slash))
  const bits = text.slice(slash + 1)
  if (address === undefined || !prefix.test(bits)) return undefined
  const prefixBits = Number(bits)
  const width = widthOf(address)
  if (prefixBits > width) return undefined
  const behind = BigInt(width - prefixBits)
  return { family: address.family, value: (address.value >> behind) << behind, prefixBits }
}

/** Is `inner` a part of `outer`, and smaller than it? */
export function isStrictPart(inner: Range, outer: Range): boolean {
  if (inner.family !== outer.family || inner.prefixBits <= outer.prefixBits) return false
  const behind = BigInt(widthOf(outer) - outer.prefixBits)
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
