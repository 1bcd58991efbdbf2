/** Leaf values: what JSON may stand for each, and its canonical form. */

import type { JsonValue } from '../json.ts'
import type { ScalarType } from './descriptor.ts'
import { canonicalQuantity } from './quantity.ts'
import { canonicalMicroTime, canonicalTime } from './time.ts'

/** How a value of each type is called in messages: `expected …`. */
export const expectations: Readonly<Record<ScalarType, string>> = {
  string: 'a string',
  bool: 'a boolean',
  int32: 'an integer (int32)',
  int64: 'an integer (int64, within 2^53)',
  double: 'a number',
  bytes: 'a base64 string',
  quantity: 'a quantity such as "100m" or "1Gi"',
  intOrString: 'an integer (int32) or a string',
  time: 'a time (RFC 3339)',
  microTime: 'a time (RFC 3339, with six digits of a second)',
  rawExtension: 'an object',
  json: 'any value',
}

const int32Max = 2 ** 31 - 1
/** Also refuses what is not padded; white space is not ours to forgive. */
const base64 = /^(?:[A-Za-z0-9+/]{4})*(?:[A-Za-z0-9+/]{2}==|[A-Za-z0-9+/]{3}=)?$/

function isInt32(value: unknown): value is number {
  return Number.isInteger(value) && (value as number) >= -int32Max - 1 && (value as number) <= int32Max
}

/** The canonical form of a value that is not null; undefined when it is no such value. */
export const canonicalScalars: Readonly<Record<ScalarType, (value: JsonValue) => JsonValue | undefined>> = {
  string: (value) => (typeof value === 'string' ? value : undefined),
  bool: (value) => (typeof value === 'boolean' ? value : undefined),
  int32: (value) => (isInt32(value) ? value : undefined),
  int64: (value) =>
    // Beyond 2^53 the text of a number and its value part ways: refused rather than stored as another number.
    Number.isSafeInteger(value) ? value : undefined,
  double: (value) => (typeof value === 'number' ? value : undefined),
  bytes: (value) => (typeof value === 'string' && isBase64(value) ? value : undefined),
  quantity: (value) =>
    typeof value === 'string'
      ? canonicalQuantity(value)
      : typeof value === 'number'
        ? canonicalQuantity(String(value))
        : undefined,
  intOrString: (value) => (typeof value === 'string' || isInt32(value) ? value : undefined),
  time: (value) => (typeof value === 'string' ? canonicalTime(value) : undefined),
  microTime: (value) => (typeof value === 'string' ? canonicalMicroTime(value) : undefined),
  rawExtension: (value) => (typeof value === 'object' && !Array.isArray(value) ? value : undefined),
  json: (value) => value,
}

/** Long values in pieces: one regular expression over megabytes would overflow the engine's stack. */
function isBase64(text: string): boolean {
  const piece = 65_536
  if (text.length <= piece) return base64.test(text)
  const last = text.length - (text.length % piece || piece)
  for (let from = 0; from < last; from += piece) {
    const part = text.slice(from, from + piece)
    if (part.endsWith('=') || !base64.test(part)) return false
  }
  return base64.test(text.slice(last))
}

/**
 * What JSON prints for an absent value that is not left out: Go's zero value. `null` for what a pointer, a list, a
 * map or bytes would be.
 */
export const zeroScalars: Readonly<Record<ScalarType, JsonValue>> = {
  string: '',
  bool: false,
  int32: 0,
  int64: 0,
  double: 0,
  bytes: null,
  quantity: '0',
  intOrString: 0,
  time: null,
  microTime: null,
  rawExtension: null,
  json: null,
}

/** Types that are structs in the original: printed even when empty, unless they are pointers. */
export const structScalars: ReadonlySet<ScalarType> = new Set<ScalarType>([
  'quantity',
  'intOrString',
  'time',
  'microTime',
  'rawExtension',
])
