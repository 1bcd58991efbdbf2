/** IP addresses and CIDR blocks as numbers. Neither zones nor IPv4 inside of IPv6 are taken. */

import { fail, ok, type Result } from '../../../../store/contract.ts'

export interface Address {
  readonly family: 4 | 6
  readonly bits: bigint
}

export interface Block {
  readonly address: Address
  readonly prefixLength: number
}

/** Bits of an address: 32 or 128. */
export function widthOf({ family }: Address): number {
  return family === 4 ? 32 : 128
}

function parse4(text: string): bigint | undefined {
  const parts = text.split('.')
  if (parts.length !== 4 || !parts.every((part) => /^(0|[1-9]\d{0,2})$/.test(part) && Number(part) < 256)) {
    return undefined
  }
  return parts.reduce((bits, part) => (bits << 8n) | BigInt(part), 0n)
}

function groupsOf(text: string): readonly string[] | undefined {
  const groups = text === '' ? [] : text.split(':')
  return groups.every((group) => /^[0-9a-fA-F]{1,4}$/.test(group)) ? groups : undefined
}

function parse6(text: string): bigint | undefined {
  const dotted = /^(.*:)(\d+\.\d+\.\d+\.\d+)$/.exec(text)
  const tail = dotted === null ? undefined : parse4(dotted[2] ?? '')
  if (dotted !== null && tail === undefined) return undefined
  const low = tail ?? 0n
  const plain =
    dotted === null ? text : `${dotted[1]}${(low >> 16n).toString(16)}:${(low & 0xffffn).toString(16)}`
  const halves = plain.split('::')
  const [left, right] = halves.map(groupsOf)
  if (left === undefined || halves.length > 2 || (halves.length === 2 && right === undefined))
    return undefined
  const count = left.length + (right?.length ?? 0)
  if (halves.length === 1 ? count !== 8 : count > 7) return undefined
  const groups = [...left, ...Array<string>(8 - count).fill('0'), ...(right ?? [])]
  return groups.reduce((bits, group) => (bits << 16n) | BigInt(`0x${group}`), 0n)
}

/** IPv4 or IPv6 in text, without zone and port. The failure is what evaluation reports. */
export function parseAddress(text: string): Result<Address, string> {
  const refuse = (why: string): Result<Address, string> =>
    fail(`IP Address ${JSON.stringify(text)} parse error during conversion from string: ${why}`)
  const bits4 = parse4(text)
  if (bits4 !== undefined) return ok({ family: 4, bits: bits4 })
  if (text.includes('%')) return refuse(`IP address with zone value is not allowed`)
  const bits6 = text.includes(':') ? parse6(text) : undefined
  if (bits6 === undefined) return refuse(`ParseAddr(${JSON.stringify(text)}): unable to parse IP`)
  if (bits6 >> 32n === 0xffffn) return refuse(`IPv4-mapped IPv6 address is not allowed`)
  return ok({ family: 6, bits: bits6 })
}

/** `10.0.0.0/8`. The failure is what evaluation reports. */
export function parseBlock(text: string): Result<Block, string> {
  const refuse = (why: string): Result<Block, string> =>
    fail(`network address parse error during conversion from string: ${why}`)
  const slash = text.lastIndexOf('/')
  const address = parseAddress(text.slice(0, Math.max(0, slash)))
  const length = text.slice(slash + 1)
  if (slash < 0) return refuse(`netip.ParsePrefix(${JSON.stringify(text)}): no '/'`)
  if (!address.ok) return refuse(address.failure)
  if (!/^(0|[1-9]\d{0,2})$/.test(length) || Number(length) > widthOf(address.value)) {
    return refuse(
      `netip.ParsePrefix(${JSON.stringify(text)}): bad bits after slash: ${JSON.stringify(length)}`,
    )
  }
  return ok({ address: address.value, prefixLength: Number(length) })
}

/** The address with the bits behind the prefix cleared. */
export function maskedBits({ address, prefixLength }: Block): bigint {
  const shift = BigInt(widthOf(address) - prefixLength)
  return (address.bits >> shift) << shift
}

/** Whether the block's network holds all of the other's. */
export function holds(block: Block, other: Block): boolean {
  if (block.address.family !== other.address.family || other.prefixLength < block.prefixLength) return false
  return maskedBits(block) === maskedBits({ address: other.address, prefixLength: block.prefixLength })
}

/** The canonical text (RFC 5952). */
export function formatAddress({ family, bits }: Address): string {
  if (family === 4) return [24n, 16n, 8n, 0n].map((shift) => (bits >> shift) & 255n).join('.')
  const groups = Array.from({ length: 8 }, (_, index) =>
    ((bits >> BigInt(112 - 16 * index)) & 0xffffn).toString(16),
  )
  const { start, length } = longestZeros(groups)
  if (length < 2) return groups.join(':')
  return `${groups.slice(0, start).join(':')}::${groups.slice(start + length).join(':')}`
}

function longestZeros(groups: readonly string[]): { start: number; length: number } {
  let best = { start: 0, length: 0 }
  for (let start = 0; start < groups.length; start++) {
    let end = start
    while (groups[end] === '0') end++
    if (end - start > best.length) best = { start, length: end - start }
  }
  return best
}
