/** Values of options in `.proto` sources. */

import type { JsonValue } from '../json.ts'

/** Options of one element by name: `(required)`, `json_name`. */
export type Options = ReadonlyMap<string, JsonValue>

/** '' where an option is no text. */
export function textOf(value: JsonValue | undefined): string {
  return typeof value === 'string' ? value : ''
}

/** A list in one text, parted by commas. */
export function words(value: JsonValue | undefined): string[] {
  return textOf(value) === '' ? [] : textOf(value).split(',')
}

/** An option given once or several times inside an aggregate. */
export function listOfOption(value: JsonValue | undefined): readonly JsonValue[] {
  if (value === undefined) return []
  return Array.isArray(value) ? value : [value]
}
