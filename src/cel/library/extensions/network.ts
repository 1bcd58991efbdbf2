/** Kubernetes' IP and CIDR libraries (1.30). */

import { fail, ok, type Result } from '../../../../store/contract.ts'
import { type Address, formatAddress, widthOf } from '../../../ip.ts'
import { cel, type OpaqueValue } from '../../types.ts'
import { sizeOf } from '../../values/compare.ts'
import { CelError, CelOpaque, noSuchOverload, type Value } from '../../values/value.ts'
import {
  define,
  type Implementation,
  type Library,
  traversal,
  traverseFirst,
  traverseFirstTwice,
} from '../library.ts'
import { type Block, holds, maskedBits, parseAddress, parseBlock } from './address.ts'

class AddressValue implements OpaqueValue {
  readonly celType = { kind: 'opaque', name: cel.ip.name } as const
  readonly address: Address
  constructor(address: Address) {
    this.address = address
  }
  equals(other: OpaqueValue): boolean {
    if (!(other instanceof AddressValue)) return false
    return other.address.family === this.address.family && other.address.value === this.address.value
  }
}

class BlockValue implements OpaqueValue {
  readonly celType = { kind: 'opaque', name: cel.cidr.name } as const
  readonly block: Block
  constructor(block: Block) {
    this.block = block
  }
  equals(other: OpaqueValue): boolean {
    return other instanceof BlockValue && describe(other.block) === describe(this.block)
  }
}

function describe({ address, prefixLength }: Block): string {
  return `${formatAddress(address)}/${prefixLength}`
}

function addressOf(value: Value): Address | undefined {
  return value instanceof CelOpaque && value.host instanceof AddressValue ? value.host.address : undefined
}

function blockOf(value: Value): Block | undefined {
  return value instanceof CelOpaque && value.host instanceof BlockValue ? value.host.block : undefined
}

function onAddress(read: (address: Address) => Value): Implementation {
  return (value) => {
    const address = addressOf(value)
    return address === undefined ? noSuchOverload : read(address)
  }
}

function onBlock(read: (block: Block) => Value): Implementation {
  return (value) => {
    const block = blockOf(value)
    return block === undefined ? noSuchOverload : read(block)
  }
}

function made<T>(parsed: Result<T, string>, make: (value: T) => OpaqueValue): Value {
  return parsed.ok ? new CelOpaque(make(parsed.value)) : new CelError(parsed.failure)
}

function onText(read: (text: string) => Value): Implementation {
  return (text) => (typeof text === 'string' ? read(text) : noSuchOverload)
}

/** Whether the leading bits of the address are these. */
function startsWith(
  { value, family }: Address,
  prefix: bigint,
  length4: number,
  prefix6: bigint,
  length6: number,
): boolean {
  return family === 'IPv4'
    ? value >> BigInt(32 - length4) === prefix
    : value >> BigInt(128 - length6) === prefix6
}

const isLoopback = (address: Address): boolean =>
  address.family === 'IPv4' ? startsWith(address, 127n, 8, 0n, 0) : address.value === 1n
const isMulticast = (address: Address): boolean => startsWith(address, 0xen, 4, 0xffn, 8)
const isLinkLocalMulticast = (address: Address): boolean =>
  address.family === 'IPv4'
    ? startsWith(address, 0xe00000n, 24, 0n, 0)
    : address.value >> 120n === 0xffn && ((address.value >> 112n) & 0xfn) === 2n
const isLinkLocalUnicast = (address: Address): boolean => startsWith(address, 0xa9fen, 16, 0x3fan, 10)

/** Neither unspecified, broadcast, loopback, multicast nor link-local. Private addresses are global in this sense. */
const isGlobalUnicast = (address: Address): boolean =>
  address.value !== 0n &&
  !(address.family === 'IPv4' && address.value === 0xffffffffn) &&
  !isLoopback(address) &&
  !isMulticast(address) &&
  !isLinkLocalUnicast(address)

function isCanonical(text: string): Value {
  const parsed = parseAddress(text)
  return parsed.ok ? formatAddress(parsed.value) === text : new CelError(parsed.failure)
}

/** The other operand as a block: an address is a block of one. */
function operandOf(value: Value, kind: 'ip' | 'cidr'): Result<Block, string> | undefined {
  const address = addressOf(value)
  if (address !== undefined) return ok({ address, prefixLength: widthOf(address) })
  const block = blockOf(value)
  if (block !== undefined) return ok(block)
  if (typeof value !== 'string') return undefined
  if (kind === 'cidr') return parseBlock(value)
  const parsed = parseAddress(value)
  return parsed.ok ? ok({ address: parsed.value, prefixLength: widthOf(parsed.value) }) : fail(parsed.failure)
}

function containment(kind: 'ip' | 'cidr'): Implementation {
  return (value, other) => {
    const block = blockOf(value)
    const operand = operandOf(other, kind)
    if (block === undefined || operand === undefined) return noSuchOverload
    return operand.ok ? holds(block, operand.value) : new CelError(operand.failure)
  }
}

const textCost = (_: Value, other: Value): number =>
  typeof other === 'string' ? 4 + traversal(sizeOf(other)) : 4

const tests: Readonly<Record<string, (address: Address) => boolean>> = {
  isUnspecified: (address) => address.value === 0n,
  isLoopback,
  isLinkLocalMulticast,
  isLinkLocalUnicast,
  isGlobalUnicast,
}

export const networkLibrary: Library = {
  name: 'k8s.ip and k8s.cidr',
  types: [cel.ip, cel.cidr],
  overloads: [
    define(
      'ip(string): IP',
      onText((text) => made(parseAddress(text), (address) => new AddressValue(address))),
      traverseFirst,
    ),
    define(
      'isIP(string): bool',
      onText((text) => parseAddress(text).ok),
      traverseFirst,
    ),
    define('ip.isCanonical(string): bool', onText(isCanonical), traverseFirstTwice),
    define(
      'IP.family(): int',
      onAddress(({ family }) => (family === 'IPv4' ? 4 : 6)),
    ),
    ...Object.entries(tests).map(([name, test]) => define(`IP.${name}(): bool`, onAddress(test))),
    define('string(IP): string', onAddress(formatAddress)),
    define(
      'cidr(string): CIDR',
      onText((text) => made(parseBlock(text), (block) => new BlockValue(block))),
      traverseFirst,
    ),
    define(
      'isCIDR(string): bool',
      onText((text) => parseBlock(text).ok),
      traverseFirst,
    ),
    define(
      'CIDR.ip(): IP',
      onBlock(({ address }) => new CelOpaque(new AddressValue(address))),
    ),
    define(
      'CIDR.prefixLength(): int',
      onBlock(({ prefixLength }) => prefixLength),
    ),
    define(
      'CIDR.masked(): CIDR',
      onBlock((block) => {
        const address = { family: block.address.family, value: maskedBits(block) }
        return new CelOpaque(new BlockValue({ ...block, address }))
      }),
    ),
    define('CIDR.containsIP(string): bool', containment('ip'), textCost),
    define('CIDR.containsIP(IP): bool', containment('ip'), textCost),
    define('CIDR.containsCIDR(string): bool', containment('cidr'), textCost),
    define('CIDR.containsCIDR(CIDR): bool', containment('cidr'), textCost),
    define('string(CIDR): string', onBlock(describe)),
  ],
}
