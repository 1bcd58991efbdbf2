/** What literals mean: numbers in range, string and bytes literals with their escapes (CEL specification, "Syntax"). */

import { fail, ok, type Result } from '../../../store/contract.ts'
import { intOf } from '../values/int.ts'
import { CelDouble, CelUint, type Value } from '../values/value.ts'

const int64Min = -(2n ** 63n)
const int64Max = 2n ** 63n - 1n
const uint64Max = 2n ** 64n - 1n

/** Decimal or `0x…`. The failure says that it is out of range. */
export function intLiteral(text: string, negative: boolean): Result<Value, string> {
  const value = negative ? -BigInt(text) : BigInt(text)
  return value < int64Min || value > int64Max ? fail('invalid int literal') : ok(intOf(value))
}

/** `text` without its suffix. */
export function uintLiteral(text: string): Result<Value, string> {
  const value = BigInt(text)
  return value > uint64Max ? fail('invalid uint literal') : ok(new CelUint(value))
}

/** The failure says that it is out of range. */
export function doubleLiteral(text: string, negative: boolean): Result<Value, string> {
  const value = Number(text)
  return Number.isFinite(value)
    ? ok(new CelDouble(negative ? -value : value))
    : fail('invalid double literal')
}

interface Quoted {
  readonly raw: boolean
  readonly body: string
}

/** Strips prefix and quotes: `r"""x"""` is the raw body `x`. Newlines inside are normalized to `\n`. */
function unquote(text: string): Quoted {
  const open = text.search(/['"]/)
  const raw = /r/i.test(text.slice(0, open))
  const quoted = text.slice(open)
  const triple = quoted.length >= 6 && (quoted.startsWith('"""') || quoted.startsWith("'''"))
  const width = triple ? 3 : 1
  return { raw, body: quoted.slice(width, -width).replace(/\r\n?/g, '\n') }
}

const simpleEscapes = new Map<string, number>([
  ['a', 7],
  ['b', 8],
  ['f', 12],
  ['n', 10],
  ['r', 13],
  ['t', 9],
  ['v', 11],
  ['\\', 92],
  ["'", 39],
  ['"', 34],
  ['`', 96],
  ['?', 63],
])

/** Digits after the escape's letter; octal escapes begin with a digit 0–3 themselves. */
const escapeDigits = new Map<string, number>([
  ['x', 2],
  ['X', 2],
  ['u', 4],
  ['U', 8],
])

interface Escape {
  readonly code: number
  /** Characters after the backslash. */
  readonly length: number
  /** `\x` and octal name a byte in bytes literals, a code point in strings. */
  readonly byte: boolean
}

function escapeAt(body: string, at: number): Escape | undefined {
  const letter = body.charAt(at)
  const simple = simpleEscapes.get(letter)
  if (simple !== undefined) return { code: simple, length: 1, byte: false }
  const digits = escapeDigits.get(letter)
  if (digits !== undefined) {
    const hex = body.slice(at + 1, at + 1 + digits)
    if (hex.length !== digits || !/^[0-9a-fA-F]+$/.test(hex)) return undefined
    return { code: Number.parseInt(hex, 16), length: 1 + digits, byte: digits === 2 }
  }
  const octal = /^[0-3][0-7]{2}/.exec(body.slice(at, at + 3))
  return octal === null ? undefined : { code: Number.parseInt(octal[0], 8), length: 3, byte: true }
}

/** A token with its quotes and prefix. The failure names the escape that means nothing. */
export function stringLiteral(text: string): Result<string, string> {
  const { raw, body } = unquote(text)
  if (raw || !body.includes('\\')) return ok(body)
  let value = ''
  for (let at = 0; at < body.length; ) {
    const next = body.indexOf('\\', at)
    if (next < 0) return ok(value + body.slice(at))
    const escaped = escapeAt(body, next + 1)
    if (escaped === undefined) return fail('unable to unescape string')
    if (escaped.code > 0x10ffff || (escaped.code >= 0xd800 && escaped.code <= 0xdfff)) {
      return fail('invalid unicode code point')
    }
    value += body.slice(at, next) + String.fromCodePoint(escaped.code)
    at = next + 1 + escaped.length
  }
  return ok(value)
}

/** `\u` is not an escape of bytes literals; other characters stand for their UTF-8 bytes. */
export function bytesLiteral(text: string): Result<Uint8Array, string> {
  const { raw, body } = unquote(text)
  if (raw || !body.includes('\\')) return ok(new TextEncoder().encode(body))
  const parts: Uint8Array[] = []
  for (let at = 0; at < body.length; ) {
    const found = body.indexOf('\\', at)
    const next = found < 0 ? body.length : found
    if (next > at) parts.push(new TextEncoder().encode(body.slice(at, next)))
    if (found < 0) break
    const escaped = escapeAt(body, next + 1)
    if (escaped === undefined || /[uU]/.test(body.charAt(next + 1))) return fail('unable to unescape string')
    parts.push(Uint8Array.of(escaped.code))
    at = next + 1 + escaped.length
  }
  return ok(Uint8Array.from(parts.flatMap((part) => [...part])))
}
