/** Regular expressions of RE2's syntax, matched in time linear in the text. */

import { createRequire } from 'node:module'
import type { RE2JS } from 're2js'
import { CelError, noSuchOverload, type Value } from '../values/value.ts'

const require = createRequire(import.meta.url)
let library: typeof import('re2js') | undefined

/** Loaded with the first pattern: few servers have any. */
function engine(): typeof import('re2js') {
  library ??= require('re2js') as typeof import('re2js') // the library of that name
  return library
}

/** Patterns that are not constant are compiled again when they fall out of here. */
const cachedPatternsMax = 256
/** Longer patterns are not kept. */
const cachedPatternLengthMax = 1024

const cache = new Map<string, RE2JS | CelError>()

function compile(pattern: string): RE2JS | CelError {
  try {
    return engine().RE2JS.compile(pattern)
  } catch (thrown) {
    return new CelError(thrown instanceof Error ? thrown.message : String(thrown))
  }
}

/** The compiled pattern, or RE2's refusal as an error. */
export function compilePattern(pattern: string): RE2JS | CelError {
  const known = cache.get(pattern)
  if (known !== undefined) return known
  const compiled = compile(pattern)
  if (pattern.length > cachedPatternLengthMax) return compiled
  if (cache.size >= cachedPatternsMax) {
    const [oldest] = cache.keys()
    if (oldest !== undefined) cache.delete(oldest)
  }
  cache.set(pattern, compiled)
  return compiled
}

/** Whether the pattern is found anywhere in the text. */
export function matches(text: Value, pattern: Value): Value {
  if (typeof text !== 'string' || typeof pattern !== 'string') return noSuchOverload
  const compiled = compilePattern(pattern)
  return compiled instanceof CelError ? compiled : compiled.matcher(text).find()
}
