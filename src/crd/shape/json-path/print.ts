/** Values as the original prints them: numbers and texts bare, lists and objects as JSON in the order of their keys. */

import { isJsonObject, type JsonValue } from '../../../json.ts'
import { setOwn } from '../../../own.ts'
import { plainNumber } from '../../../status/plain-values.ts'

export function printedText(value: JsonValue): string {
  if (value === null) return '<no value>'
  if (typeof value === 'number') return plainNumber(value)
  return typeof value === 'object' ? escaped(JSON.stringify(inKeyOrder(value))) : String(value)
}

function inKeyOrder(value: JsonValue): JsonValue {
  if (Array.isArray(value)) return value.map(inKeyOrder)
  if (!isJsonObject(value)) return value
  const sorted: Record<string, JsonValue> = {}
  for (const key of Object.keys(value).sort()) setOwn(sorted, key, inKeyOrder(value[key] ?? null))
  return sorted
}

const escapes: ReadonlyMap<string, string> = new Map(
  ['<', '>', '&', '\u2028', '\u2029'].map((character) => [
    character,
    `\\u${character.charCodeAt(0).toString(16).padStart(4, '0')}`,
  ]),
)

/** What could end a script in a page is written by its code, as in all JSON of the original. */
function escaped(json: string): string {
  return json.replace(/[<>&\u2028\u2029]/g, (character) => escapes.get(character) ?? character)
}
