/** Values in messages as clients of this API know them: `"text"`, `1e+06`, `map[string]interface {}{"a":1}`. */

import { formatDouble } from '../../cel/library/standard/conversions.ts'
import { isJsonObject, type JsonValue } from '../../json.ts'
import { own } from '../../own.ts'
import { quote } from '../../status/quote.ts'

/** A value as the one that is wrong. Nothing is `"null"`. */
export function renderValue(value: JsonValue | undefined): string {
  return value === undefined || value === null ? '"null"' : renderInside(value)
}

/** A value within another. */
function renderInside(value: JsonValue): string {
  if (value === null) return 'interface {}(nil)'
  if (typeof value === 'string') return quote(value)
  if (typeof value === 'number') return renderNumber(value)
  if (typeof value === 'boolean') return String(value)
  if (!isJsonObject(value)) return `[]interface {}{${value.map(renderInside).join(', ')}}`
  const members = Object.keys(value)
    .sort()
    .map((name) => `${quote(name)}:${renderInside(own(value, name) ?? null)}`)
  return `map[string]interface {}{${members.join(', ')}}`
}

/** Whole numbers in digits, others as floating point numbers are written. */
function renderNumber(value: number): string {
  return isWhole(value) ? String(value) : formatDouble(value)
}

const int64Bound = 2 ** 63

/** Whether JSON's number counts as an integer: it has no fraction and 64 bits hold it. */
export function isWhole(value: number): boolean {
  return Number.isInteger(value) && value >= -int64Bound && value < int64Bound
}
