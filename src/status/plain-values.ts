/** Values in messages and cells, as clients of this API know them: printed plainly, as source text, or by their type. */

import { isJsonObject, type JsonValue } from '../json.ts'
import { quote } from './quote.ts'

/** `text`, `1.5`, `[a b]`, `map[a:1 b:<nil>]`. */
export function plainText(value: JsonValue): string {
  if (value === null) return '<nil>'
  if (typeof value === 'number') return plainNumber(value)
  if (Array.isArray(value)) return `[${value.map(plainText).join(' ')}]`
  if (!isJsonObject(value)) return String(value)
  return `map[${membersOf(value, (name, member) => `${name}:${plainText(member)}`).join(' ')}]`
}

/** `"text"`, `1.5`, `[]interface {}{"a"}`, `map[string]interface {}{"a":1}`. */
export function sourceText(value: JsonValue): string {
  if (value === null) return 'interface {}(nil)'
  if (typeof value === 'string') return quote(value)
  if (typeof value === 'number') return plainNumber(value)
  if (Array.isArray(value)) return `[]interface {}{${value.map(sourceText).join(', ')}}`
  if (!isJsonObject(value)) return String(value)
  const members = membersOf(value, (name, member) => `${quote(name)}:${sourceText(member)}`)
  return `map[string]interface {}{${members.join(', ')}}`
}

/** `string`, `int64`, `map[string]interface {}`. */
export function typeText(value: JsonValue): string {
  if (value === null) return '<nil>'
  if (Array.isArray(value)) return '[]interface {}'
  switch (typeof value) {
    case 'object':
      return 'map[string]interface {}'
    case 'number':
      return isWhole(value) ? 'int64' : 'float64'
    case 'boolean':
      return 'bool'
    default:
      return 'string'
  }
}

/** In the order of the names. */
function membersOf(
  value: { readonly [name: string]: JsonValue | undefined },
  text: (name: string, member: JsonValue) => string,
): readonly string[] {
  return Object.keys(value)
    .sort()
    .map((name) => text(name, value[name] ?? null))
}

const int64Bound = 2 ** 63

/** Whether JSON's number counts as an integer: it has no fraction and 64 bits hold it. */
export function isWhole(value: number): boolean {
  return Number.isInteger(value) && value >= -int64Bound && value < int64Bound
}

/** Whole numbers in digits, others with an exponent from a million on, and below a ten-thousandth: `1.5e+06`, `1e-05`. */
export function plainNumber(value: number): string {
  const magnitude = Math.abs(value)
  if (isWhole(value) || (magnitude >= 1e-4 && magnitude < 1e6)) return String(value)
  return value.toExponential().replace(/e([+-])(\d)$/, 'e$10$2')
}
