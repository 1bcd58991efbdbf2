/** IP addresses and CIDR blocks as expressions take them: neither with zones nor as IPv4 inside of IPv6. */

import { fail, ok, type Result } from '../../../../store/contract.ts'
import { type Address, parseAddress as parse, widthOf } from '../../../ip.ts'

export interface Block {
  readonly address: Address
  readonly prefixLength: number
}

/** IPv4 or IPv6 in text, without zone and port. The failure is what evaluation reports. */
export function parseAddress(text: string): Result<Address, string> {
  const refuse = (why: string): Result<Address, string> =>
    fail(`IP Address ${JSON.stringify(text)} parse error during conversion from string: ${why}`)
  if (text.includes('%')) return refuse(`IP address with zone value is not allowed`)
  const address = parse(text, 'refused')
  if (address === undefined) return refuse(`ParseAddr(${JSON.stringify(text)}): unable to parse IP`)
  if (address.family === 'IPv6' && address.value >> 32n === 0xffffn)
    return refuse(`IPv4-mapped IPv6 address is not allowed`)
  return ok(address)
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
  return (address.value >> shift) << shift
}

/** Whether the block's network holds all of the other's. */
export function holds(block: Block, other: Block): boolean {
  if (block.address.family !== other.address.family || other.prefixLength < block.prefixLength) return false
  return maskedBits(block) === maskedBits({ address: other.address, prefixLength: block.prefixLength })
}
