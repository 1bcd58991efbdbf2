/**
 * Names of properties as expressions spell them: what a name of CEL cannot be is escaped.
 *
 *     kubernetes.io/name → kubernetes__dot__io__slash__name     my-field → my__dash__field
 *     a__b → a__underscores__b                                  namespace → __namespace__
 *
 * Specification: "Expression language", property names.
 */

import { reservedWords } from './syntax/parser.ts'

const accessible = /^[a-zA-Z_.\-/][a-zA-Z0-9_.\-/]*$/

const escapes = new Map([
  ['__', '__underscores__'],
  ['.', '__dot__'],
  ['-', '__dash__'],
  ['/', '__slash__'],
])

/** `undefined` when expressions cannot name the property at all. */
export function escapePropertyName(name: string): string | undefined {
  if (!accessible.test(name)) return undefined
  if (reservedWords.has(name)) return `__${name}__`
  return name.replace(/__|[.\-/]/g, (part) => escapes.get(part) ?? part)
}
