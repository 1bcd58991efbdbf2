/** Kubernetes' regular expression library: the texts that a pattern finds. */

import { ArrayList, CelError, noSuchOverload, type Value } from '../../values/value.ts'
import { define, type Library, regexCost } from '../library.ts'
import { compilePattern } from '../pattern.ts'

/** Most characters looked at: each search may have to look at all that is left, however short what it finds. */
const charactersMax = 50_000_000
const tooMuch = new CelError('findAll: too many matches in too long a text')

/** Up to `limit` texts, from left to right; negative = all. */
function findTexts(text: Value, pattern: Value, limit: number): readonly string[] | CelError {
  if (typeof text !== 'string' || typeof pattern !== 'string') return noSuchOverload
  const compiled = compilePattern(pattern)
  if (compiled instanceof CelError) return compiled
  const matcher = compiled.matcher(text)
  const found: string[] = []
  while ((limit < 0 || found.length < limit) && matcher.find()) {
    if (found.length * text.length > charactersMax) return tooMuch
    found.push(matcher.group() ?? '')
  }
  return found
}

function findAll(text: Value, pattern: Value, limit: Value): Value {
  const most = typeof limit === 'number' || typeof limit === 'bigint' ? Number(limit) : -1
  const found = findTexts(text, pattern, most)
  return found instanceof CelError ? found : new ArrayList(found)
}

/** The first text found, or an empty one. */
function find(text: Value, pattern: Value): Value {
  const found = findTexts(text, pattern, 1)
  return found instanceof CelError ? found : (found[0] ?? '')
}

export const regexLibrary: Library = {
  name: 'k8s.regex',
  overloads: [
    define('string.find(string): string', find, regexCost),
    define('string.findAll(string): list(string)', findAll, regexCost),
    define('string.findAll(string, int): list(string)', findAll, regexCost),
  ],
}
