/**
 * How functions are declared: a signature in words, what it does, what it costs.
 *
 *     define('string.charAt(int): string', (text, at) => …)
 *     define('sets.contains(list(A), list(A)): bool', …)
 *
 * A capital letter is a type parameter, a name in `<>` an opaque type. The receiver of a method stands before the dot.
 */

import assert from 'node:assert/strict'
import { type CelType, cel } from '../types.ts'
import { sizeOf } from '../values/compare.ts'
import type { Value } from '../values/value.ts'

/** Gets values of the declared types, never errors; gives a value or an error. */
export type Implementation = (a: Value, b: Value, c: Value, d: Value) => Value

/** Cost units by the arguments. Absent in an overload = 1. */
export type CostOf = (a: Value, b: Value, c: Value) => number

export interface Overload {
  /** `size`, `_+_`, `sets.contains`. */
  readonly name: string
  readonly member: boolean
  /** The receiver first. At most four. */
  readonly args: readonly CelType[]
  readonly result: CelType
  readonly call: Implementation
  readonly cost?: CostOf
  /** True when `call` answers values of other types with an error itself, so that no one else need look. */
  readonly checksItself?: boolean
  /** Set for methods of optionals whose argument is evaluated only when there is no value; what it gives otherwise. */
  readonly fallback?: 'optional' | 'value'
  /** Works constant operands in (`undefined` = not constant); must answer other types with an error. */
  readonly specialize?: (literals: readonly (Value | undefined)[]) => Implementation | undefined
}

/** Functions and type names that come and go together. */
export interface Library {
  readonly name: string
  readonly overloads: readonly Overload[]
  /** Names of types as values: `net.IP`. */
  readonly types?: readonly CelType[]
}

const named = new Map<string, CelType>([
  ['bool', cel.bool],
  ['int', cel.int],
  ['uint', cel.uint],
  ['double', cel.double],
  ['string', cel.string],
  ['bytes', cel.bytes],
  ['dyn', cel.dyn],
  ['type', cel.type],
  ['timestamp', cel.timestamp],
  ['duration', cel.duration],
  ['URL', cel.url],
  ['Quantity', cel.quantity],
  ['IP', cel.ip],
  ['CIDR', cel.cidr],
])

/** Splits at top-level commas. */
function splitTypes(text: string): string[] {
  const parts: string[] = []
  let depth = 0
  let start = 0
  for (let at = 0; at < text.length; at++) {
    const character = text.charAt(at)
    if (character === '(') depth++
    else if (character === ')') depth--
    else if (character === ',' && depth === 0) {
      parts.push(text.slice(start, at))
      start = at + 1
    }
  }
  return text === '' ? [] : [...parts, text.slice(start)].map((part) => part.trim())
}

function typeOf(text: string): CelType | undefined {
  const simple = named.get(text)
  if (simple !== undefined) return simple
  if (/^[A-Z]$/.test(text)) return cel.param(text)
  const opaque = /^<(.+)>$/.exec(text)?.[1]
  if (opaque !== undefined) return cel.opaque(opaque)
  const open = text.indexOf('(')
  if (open < 0 || !text.endsWith(')')) return undefined
  const inner = splitTypes(text.slice(open + 1, -1)).map(typeOf)
  const [first, second] = inner
  if (first === undefined) return undefined
  switch (text.slice(0, open)) {
    case 'list':
      return cel.list(first)
    case 'map':
      return second === undefined ? undefined : cel.map(first, second)
    case 'optional':
      return cel.optional(first)
    case 'type':
      return cel.typeOf(first)
    default:
      return undefined
  }
}

function mustType(text: string): CelType {
  const type = typeOf(text)
  assert(type !== undefined, `not a type: ${text}`)
  return type
}

/** Index of the bracket that closes at the end of `text`. */
function openingOf(text: string): number {
  let depth = 0
  for (let at = text.length - 1; at >= 0; at--) {
    if (text.charAt(at) === ')') depth++
    if (text.charAt(at) === '(' && --depth === 0) return at
  }
  throw new TypeError(`not a signature: ${text}`)
}

/** A bug (throws) when the signature does not read. */
export function define(signature: string, call: Implementation, cost?: CostOf): Overload {
  const colon = signature.lastIndexOf('): ') + 1
  const head = signature.slice(0, colon)
  const open = openingOf(head)
  const path = head.slice(0, open)
  const dot = path.lastIndexOf('.')
  const receiver = dot < 0 ? undefined : typeOf(path.slice(0, dot))
  const args = splitTypes(head.slice(open + 1, -1)).map(mustType)
  return {
    name: receiver === undefined ? path : path.slice(dot + 1),
    member: receiver !== undefined,
    args: receiver === undefined ? args : [receiver, ...args],
    result: mustType(signature.slice(colon + 2)),
    call,
    ...(cost === undefined ? {} : { cost }),
  }
}

/** Passing over a text once costs a tenth of a unit for each code point. */
export function traversal(size: number): number {
  return Math.ceil(size * 0.1)
}

/** Costs one traversal of the first argument. */
export const traverseFirst: CostOf = (a) => traversal(sizeOf(a))

/** Costs two traversals of the first argument: read and build. */
export const traverseFirstTwice: CostOf = (a) => Math.ceil(sizeOf(a) * 0.2)

/** A pattern has about one state for each four characters, and each is tried at each character of the text. */
export const regexCost: CostOf = (text, pattern) =>
  traversal(1 + sizeOf(text)) * Math.ceil(sizeOf(pattern) * 0.25)
