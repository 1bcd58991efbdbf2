/** Values within objects that no schema vouches for, and what the original says of those that are of another kind. */

import type { Result } from '../../../store/contract.ts'
import { isJsonObject, type JsonObject, type JsonValue } from '../../json.ts'
import { own } from '../../own.ts'
import { isWhole, plainText, typeText } from '../../status/plain-values.ts'

/** Undefined = there is none. The failure is a sentence. */
export type Nested<T> = Result<T | undefined, string>

/** The whole number at a path. */
export function nestedInteger(object: JsonObject, path: readonly string[]): Nested<number> {
  const found = nestedValue(object, path)
  if (!found.ok || found.value === undefined) return found.ok ? { ok: true, value: undefined } : found
  return typeof found.value === 'number' && isWhole(found.value)
    ? { ok: true, value: found.value }
    : wrongKind(path, found.value, 'int64')
}

/** The text at a path. */
export function nestedText(object: JsonObject, path: readonly string[]): Nested<string> {
  const found = nestedValue(object, path)
  if (!found.ok || found.value === undefined) return found.ok ? { ok: true, value: undefined } : found
  return typeof found.value === 'string'
    ? { ok: true, value: found.value }
    : wrongKind(path, found.value, 'string')
}

function nestedValue(object: JsonObject, path: readonly string[]): Nested<JsonValue> {
  let value: JsonValue = object
  for (const [at, name] of path.entries()) {
    if (value === null) return { ok: true, value: undefined }
    if (!isJsonObject(value)) return wrongKind(path.slice(0, at + 1), value, 'map[string]interface{}')
    const member = own(value, name)
    if (member === undefined) return { ok: true, value: undefined }
    value = member
  }
  return { ok: true, value }
}

function wrongKind(path: readonly string[], value: JsonValue, expected: string): Nested<never> {
  const failure = `.${path.join('.')} accessor error: ${plainText(value)} is of the type ${typeText(value)}, expected ${expected}`
  return { ok: false, failure }
}
