/** What can be wrong with a value of a custom resource, in the wording that clients of this API know. */

import type { JsonValue } from '../../json.ts'
import { quote } from '../../status/quote.ts'
import type { Cause } from '../../status/status.ts'
import { renderValue } from './render.ts'

export interface Problem {
  readonly cause: Cause
  /** Problems that say the same are told once. */
  readonly said: string
}

/** What has no place of its own: the object itself, and all that alternatives say. */
const nowhere = '<nil>'

/** `.a` is a member of a root that names none. */
function fieldOf(path: string): string {
  return path === '' ? nowhere : path.startsWith('.') ? path.slice(1) : path
}

function problem(path: string, reason: string, message: string, said: string): Problem {
  return { cause: { reason, message, field: fieldOf(path) }, said }
}

function invalid(path: string, value: JsonValue, said: string): Problem {
  return problem(path, 'FieldValueInvalid', `Invalid value: ${renderValue(value)}: ${said}`, said)
}

/** `found` is the type that was found, or the text that is not of the format `expected`. */
export function wrongType(path: string, expected: string, found: string): Problem {
  const said = `${path} in body must be of type ${expected}: ${quote(found)}`
  return problem(path, 'FieldValueTypeInvalid', `Invalid value: ${quote(found)}: ${said}`, said)
}

/** Clients of other servers know no such bound: there, all integers of 64 bits are exact. */
export function beyondExact(path: string, value: number): Problem {
  return invalid(path, value, `${path} in body must be an integer within 2^53 to be kept as it is`)
}

/** `path` is that of the object, which has no member `name`. */
export function missingMember(path: string, name: string): Problem {
  const whole = `${path}.${name}`
  return problem(whole, 'FieldValueRequired', 'Required value', `${whole} in body is required`)
}

export function notInEnum(path: string, value: JsonValue, allowed: readonly JsonValue[]): Problem {
  const shown = allowed.map((one) => quote(typeof one === 'string' ? one : JSON.stringify(one))).join(', ')
  const message = `Unsupported value: ${renderValue(value)}: supported values: ${shown}`
  return problem(path, 'FieldValueNotSupported', message, `${path} in body should be one of ${shown}`)
}

export function tooLong(path: string, max: number): Problem {
  const said = `${path} in body should be at most ${max} chars long`
  return problem(path, 'FieldValueTooLong', `Too long: may not be longer than ${max}`, said)
}

export function tooShort(path: string, value: string, min: number): Problem {
  return invalid(path, value, `${path} in body should be at least ${min} chars long`)
}

export function noMatch(path: string, value: string, pattern: string): Problem {
  return invalid(path, value, `${path} in body should match '${pattern}'`)
}

/** Of lists and of objects. */
export function tooMany(path: string, count: number, max: number, what: 'items' | 'properties'): Problem {
  const said = `${path} in body should have at most ${max} ${what}`
  return problem(path, 'FieldValueTooMany', `Too many: ${count}: must have at most ${max} items`, said)
}

export function tooFew(path: string, count: number, min: number, what: 'items' | 'properties'): Problem {
  return invalid(path, count, `${path} in body should have at least ${min} ${what}`)
}

export function notUnique(path: string): Problem {
  return invalid(path, '', `${path} in body shouldn't contain duplicates`)
}

/** Bounds are shown as numbers of the kind that the value is. */
export function tooGreat(path: string, value: number, max: string, exclusive: boolean): Problem {
  const bound = exclusive ? 'less than' : 'less than or equal to'
  return invalid(path, value, `${path} in body should be ${bound} ${max}`)
}

export function tooSmall(path: string, value: number, min: string, exclusive: boolean): Problem {
  const bound = exclusive ? 'greater than' : 'greater than or equal to'
  return invalid(path, value, `${path} in body should be ${bound} ${min}`)
}

export function notMultipleOf(path: string, value: number, factor: string): Problem {
  return invalid(path, value, `${path} in body should be a multiple of ${factor}`)
}

export function factorNotPositive(path: string, factor: number): Problem {
  return invalid(path, factor, `factor MultipleOf declared for ${path} must be positive: ${factor}`)
}

/** Of `allOf`, `anyOf`, `oneOf` and `not`: said of the path, but of no field. */
export function failsSchemas(path: string, what: string): Problem {
  const said = `${quote(path)} ${what}`
  return {
    cause: { reason: 'FieldValueInvalid', message: `Invalid value: "": ${said}`, field: nowhere },
    said,
  }
}
