/** Causes of an invalid object, in the wording of field errors that clients of this API know. */

import { quote } from './quote.ts'
import type { Cause } from './status.ts'

export function required(field: string, detail = ''): Cause {
  return {
    reason: 'FieldValueRequired',
    message: detail === '' ? 'Required value' : `Required value: ${detail}`,
    field,
  }
}

export function invalidValue(field: string, value: unknown, detail: string): Cause {
  return {
    reason: 'FieldValueInvalid',
    message: `Invalid value: ${render(value)}: ${detail}`,
    field,
  }
}

export function forbiddenField(field: string, detail: string): Cause {
  return { reason: 'FieldValueForbidden', message: `Forbidden: ${detail}`, field }
}

export function notSupported(field: string, value: unknown, supported: readonly string[]): Cause {
  const values = supported.map(quote).join(', ')
  return {
    reason: 'FieldValueNotSupported',
    message: `Unsupported value: ${render(value)}: supported values: ${values}`,
    field,
  }
}

export function tooLong(field: string, limitBytes: number): Cause {
  return {
    reason: 'FieldValueTooLong',
    message: `Too long: must have at most ${limitBytes} bytes`,
    field,
  }
}

export function duplicate(field: string, value: unknown): Cause {
  return { reason: 'FieldValueDuplicate', message: `Duplicate value: ${render(value)}`, field }
}

/** `name` as one step of a path: `[a.b/c]`. */
export function member(path: string, name: string | number): string {
  return `${path}[${name}]`
}

/** Texts quoted, lists of texts as `[]string{"a", "b"}`, all else as JSON. */
function render(value: unknown): string {
  if (value === undefined) return 'null'
  if (typeof value === 'string') return quote(value)
  const texts = Array.isArray(value) ? value.filter((one) => typeof one === 'string') : []
  return texts.length > 0 && Array.isArray(value) && texts.length === value.length
    ? `[]string{${texts.map(quote).join(', ')}}`
    : JSON.stringify(value)
}
