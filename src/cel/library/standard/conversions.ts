/** Conversions between types, `size`, `type` and `dyn`. */

import { sizeOf } from '../../values/compare.ts'
import { checkedInt, intOverflow } from '../../values/int.ts'
import {
  durationOf,
  floorDivide,
  formatDuration,
  formatTimestamp,
  parseDuration,
  parseTimestamp,
  timestampOf,
} from '../../values/time.ts'
import {
  CelDouble,
  CelDuration,
  CelError,
  CelTimestamp,
  CelTypeValue,
  CelUint,
  noSuchOverload,
  typeNameOf,
  type Value,
} from '../../values/value.ts'
import { define, type Overload, traverseFirst } from '../library.ts'

const uintOverflow = new CelError('unsigned integer overflow')
const secondNanos = 1_000_000_000n

function unconvertible(from: string, to: string): CelError {
  return new CelError(`type conversion error from '${from}' to '${to}'`)
}

function truncated(value: number): bigint | undefined {
  return Number.isFinite(value) ? BigInt(Math.trunc(value)) : undefined
}

function toInt(value: Value): Value {
  switch (typeof value) {
    case 'number':
    case 'bigint':
      return value
    case 'string':
      return /^[+-]?\d{1,30}$/.test(value)
        ? asRange(checkedInt(BigInt(value.replace('+', ''))), 'int')
        : unconvertible('string', 'int')
    default:
  }
  if (value instanceof CelUint) return checkedInt(value.value)
  if (value instanceof CelTimestamp) return checkedInt(floorDivide(value.nanos, secondNanos))
  if (!(value instanceof CelDouble)) return noSuchOverload
  // both bounds are excluded: near them a double cannot tell what it was
  return Math.abs(value.value) < 2 ** 63 ? checkedInt(truncated(value.value) ?? 0n) : intOverflow
}

/** A text out of range is a text that is no number of the type. */
function asRange(value: Value, type: string): Value {
  return value instanceof CelError ? unconvertible('string', type) : value
}

function toUint(value: Value): Value {
  if (value instanceof CelUint) return value
  if (typeof value === 'string') {
    return /^\d{1,30}$/.test(value) ? asRange(uintOf(BigInt(value)), 'uint') : unconvertible('string', 'uint')
  }
  if (typeof value === 'number' || typeof value === 'bigint') return uintOf(BigInt(value))
  if (!(value instanceof CelDouble)) return noSuchOverload
  return value.value >= 0 && value.value < 2 ** 64 ? uintOf(truncated(value.value) ?? 0n) : uintOverflow
}

function uintOf(value: bigint): CelUint | CelError {
  return BigInt.asUintN(64, value) === value ? new CelUint(value) : uintOverflow
}

const specialDoubles = new Map([
  ['inf', Number.POSITIVE_INFINITY],
  ['infinity', Number.POSITIVE_INFINITY],
  ['nan', Number.NaN],
])

function toDouble(value: Value): Value {
  if (value instanceof CelDouble) return value
  if (value instanceof CelUint || typeof value === 'bigint' || typeof value === 'number') {
    return new CelDouble(Number(value instanceof CelUint ? value.value : value))
  }
  if (typeof value !== 'string') return noSuchOverload
  const special = specialDoubles.get(value.toLowerCase().replace(/^[+-]/, ''))
  if (special !== undefined) return new CelDouble(value.startsWith('-') ? -special : special)
  const plain = /^[+-]?(\d+(\.\d*)?|\.\d+)([eE][+-]?\d+)?$/.test(value)
  const number = Number(value)
  return plain && Number.isFinite(number) ? new CelDouble(number) : unconvertible('string', 'double')
}

/** As Go writes it in the fewest digits: `1e+06`, `0.0001`, `1e-05`, `+Inf`. */
export function formatDouble(value: number): string {
  if (Number.isNaN(value)) return 'NaN'
  if (!Number.isFinite(value)) return value > 0 ? '+Inf' : '-Inf'
  if (value === 0) return Object.is(value, -0) ? '-0' : '0'
  const [mantissa = '', exponentText = '0'] = value.toExponential().split('e')
  const exponent = Number(exponentText)
  if (exponent >= -4 && exponent < 6) return String(value)
  const sign = exponent < 0 ? '-' : '+'
  return `${mantissa}e${sign}${String(Math.abs(exponent)).padStart(2, '0')}`
}

function toText(value: Value): Value {
  switch (typeof value) {
    case 'string':
      return value
    case 'number':
    case 'bigint':
    case 'boolean':
      return String(value)
    default:
  }
  if (value instanceof CelDouble) return formatDouble(value.value)
  if (value instanceof CelUint) return String(value.value)
  if (value instanceof CelTimestamp) return formatTimestamp(value)
  if (value instanceof CelDuration) return formatDuration(value)
  return value instanceof Uint8Array ? decode(value) : noSuchOverload
}

const strictUtf8 = new TextDecoder('utf-8', { fatal: true, ignoreBOM: true })

function decode(bytes: Uint8Array): Value {
  try {
    return strictUtf8.decode(bytes)
  } catch {
    return new CelError('invalid UTF-8 in bytes, cannot convert to string')
  }
}

const truths = new Map([
  ...['1', 't', 'T', 'true', 'TRUE', 'True'].map((text) => [text, true] as const),
  ...['0', 'f', 'F', 'false', 'FALSE', 'False'].map((text) => [text, false] as const),
])

function toBool(value: Value): Value {
  if (typeof value === 'boolean') return value
  return typeof value === 'string' ? (truths.get(value) ?? unconvertible('string', 'bool')) : noSuchOverload
}

function toBytes(value: Value): Value {
  return typeof value === 'string' ? new TextEncoder().encode(value) : value
}

function toTimestamp(value: Value): Value {
  if (typeof value === 'number' || typeof value === 'bigint') return timestampOf(BigInt(value) * secondNanos)
  if (typeof value !== 'string') return value
  return parseTimestamp(value) ?? unconvertible('string', 'google.protobuf.Timestamp')
}

function toDuration(value: Value): Value {
  if (typeof value === 'number' || typeof value === 'bigint') return durationOf(BigInt(value))
  if (typeof value !== 'string') return value
  return parseDuration(value) ?? unconvertible('string', 'google.protobuf.Duration')
}

function family(
  name: string,
  from: readonly string[],
  to: string,
  convert: (value: Value) => Value,
): Overload[] {
  return from.map((type) => define(`${name}(${type}): ${to}`, convert))
}

const sized = ['string', 'bytes', 'list(A)', 'map(A, B)']

export const conversions: readonly Overload[] = [
  ...family('int', ['int', 'uint', 'double', 'string', 'timestamp'], 'int', toInt),
  ...family('uint', ['uint', 'int', 'double', 'string'], 'uint', toUint),
  ...family('double', ['double', 'int', 'uint', 'string'], 'double', toDouble),
  ...family('bool', ['bool', 'string'], 'bool', toBool),
  ...family('string', ['string', 'bool', 'int', 'uint', 'double', 'timestamp', 'duration'], 'string', toText),
  define('string(bytes): string', toText, traverseFirst),
  define('bytes(bytes): bytes', toBytes),
  define('bytes(string): bytes', toBytes, traverseFirst),
  ...family('timestamp', ['timestamp', 'string', 'int'], 'timestamp', toTimestamp),
  ...family('duration', ['duration', 'string', 'int'], 'duration', toDuration),
  define('dyn(A): dyn', (value) => value),
  define('type(A): type(A)', (value) => new CelTypeValue(typeNameOf(value))),
  ...sized.flatMap((type) => [define(`size(${type}): int`, sizeOf), define(`${type}.size(): int`, sizeOf)]),
]
