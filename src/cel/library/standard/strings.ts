/** Tests of strings, and regular expressions in linear time. */

import { sizeOf } from '../../values/compare.ts'
import { CelError, noSuchOverload, type Value } from '../../values/value.ts'
import type { Implementation } from '../library.ts'
import { define, type Overload, regexCost, traversal, traverseFirst } from '../library.ts'
import { compilePattern, matches } from '../pattern.ts'

function test(check: (text: string, other: string) => boolean): Implementation {
  return (text, other) =>
    typeof text === 'string' && typeof other === 'string' ? check(text, other) : noSuchOverload
}

/** With a constant pattern: compiled with the expression. */
function constantMatches(literals: readonly (Value | undefined)[]): Implementation | undefined {
  const [, pattern] = literals
  if (typeof pattern !== 'string') return undefined
  const compiled = compilePattern(pattern)
  return (text) => {
    if (typeof text !== 'string') return noSuchOverload
    return compiled instanceof CelError ? compiled : compiled.matcher(text).find()
  }
}

export const stringTests: readonly Overload[] = [
  define(
    'string.startsWith(string): bool',
    test((text, prefix) => text.startsWith(prefix)),
    (_, prefix) => traversal(sizeOf(prefix)),
  ),
  define(
    'string.endsWith(string): bool',
    test((text, suffix) => text.endsWith(suffix)),
    (_, suffix) => traversal(sizeOf(suffix)),
  ),
  define(
    'string.contains(string): bool',
    test((text, part) => text.includes(part)),
    (text, part) => traverseFirst(text, null, null) * traversal(sizeOf(part)),
  ),
  { ...define('string.matches(string): bool', matches, regexCost), specialize: constantMatches },
  { ...define('matches(string, string): bool', matches, regexCost), specialize: constantMatches },
]
