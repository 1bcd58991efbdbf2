/** Causes of an invalid object, in the wording of field errors that clients of this API know. */

import { quote } from './quote.ts'
import type { Cause } from './status.ts'

/** A field that must be there and is not. `field` is a path: `spec.ports[0].port`. */
export function required(field: string, detail = ''): Cause {
  return {
    reason: 'FieldValueRequired',
    message: detail === '' ? 'Required value' : `Required value: ${detail}`,
    field,
  }
}

/** A value that is wrong, and why; the value is shown, so it must be no secret. */
export function invalidValue(field: string, value: unknown, detail: string): Cause {
  return {
    reason: 'FieldValueInvalid',
    message: `Invalid value: ${render(value)}${detail === '' ? '' : `: ${detail}`}`,
    field,
  }
}

/** A field that must not be there. */
export function forbiddenField(field: string, detail: string): Cause {
  return { reason: 'FieldValueForbidden', message: `Forbidden: ${detail}`, field }
}

/** A value that is none of those that there are. */
export function notSupported(field: string, value: unknown, supported: readonly string[]): Cause {
  const values = supported.map(quote).join(', ')
  return {
    reason: 'FieldValueNotSupported',
    message: `Unsupported value: ${render(value)}: supported values: ${values}`,
    field,
  }
}

/** More bytes than may be; the value is not shown. */
export function tooLong(field: string, limitBytes: number): Cause {
  return {
    reason: 'FieldValueTooLong',
    message: `Too long: must have at most ${limitBytes} bytes`,
    field,
  }
}

/** A value that stands in a list for the second time. */
export function duplicate(field: string, value: unknown): Cause {
  return { reason: 'FieldValueDuplicate', message: `Duplicate value: ${render(value)}`, field }
}

/** Of a map of texts, shown as `map[string]string{"a":"b"}`; undefined is the map that is not there. */
export function invalidMap(
  field: string,
  map: Readonly<Record<string, unknown>> | undefined,
  detail: string,
): Cause {
  const members = Object.entries(map ?? {}).sort(([a], [b]) => (a < b ? -1 : 1))
  const shown = members.map(([key, value]) => `${quote(key)}:${quote(String(value))}`).join(', ')
  return {
    reason: 'FieldValueInvalid',
    message: `Invalid value: map[string]string${map === undefined ? '(nil)' : `{${shown}}`}: ${detail}`,
    field,
  }
}

/** Texts quoted, nothing as `"null"`, lists of texts as `[]string{"a", "b"}`, all else as JSON. */
function render(value: unknown): string {
  if (value === undefined || value === null) return '"null"'
  if (typeof value === 'string') return quote(value)
  const texts = Array.isArray(value) ? value.filter((one) => typeof one === 'string') : []
  return texts.length > 0 && Array.isArray(value) && texts.length === value.length
    ? `[]string{${texts.map(quote).join(', ')}}`
    : JSON.stringify(value)
}
