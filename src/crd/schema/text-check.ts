/** Lengths, patterns and formats of texts. Lengths are counted in Unicode characters. */

import { compilePattern } from '../../cel/library/pattern.ts'
import { CelError } from '../../cel/values/value.ts'
import { formatCheck, servedFormat } from './formats.ts'
import { noMatch, tooLong, tooShort, wrongType } from './problems.ts'
import { type Run, report } from './run.ts'
import type { ValueValidation } from './structural.ts'

/** Returns how much of what was asked was looked at. */
type TextCheck = (value: string, run: Run, depth: number) => number

export function textCheck({ maxLength, minLength, pattern, format: given }: ValueValidation): TextCheck {
  const matches = pattern === undefined ? undefined : lazyPattern(pattern)
  const format = servedFormat(given)
  const isOfFormat = format === undefined ? undefined : formatCheck(format)
  const count = isOfFormat === undefined ? 1 : 2
  return (value, run, depth) => {
    if (maxLength !== undefined && isLonger(value, maxLength))
      report(run, depth, (path) => tooLong(path, maxLength))
    else if (minLength !== undefined && !isLonger(value, minLength - 1))
      report(run, depth, (path) => tooShort(path, value, minLength))
    else if (matches !== undefined && !matches(value))
      report(run, depth, (path) => noMatch(path, value, pattern ?? ''))
    if (isOfFormat !== undefined && !isOfFormat(value))
      report(run, depth, (path) => wrongType(path, format ?? '', value))
    return count
  }
}

/** Whether a text has more characters than `max`. Most answers need no count: a character takes one or two code units. */
function isLonger(text: string, max: number): boolean {
  if (text.length <= max) return false
  if (text.length > 2 * max) return true
  let characters = 0
  for (const _ of text) characters++
  return characters > max
}

/** Compiled when the first text comes. */
function lazyPattern(pattern: string): (text: string) => boolean {
  let compiled: ReturnType<typeof compilePattern> | undefined
  return (text) => {
    compiled ??= compilePattern(pattern)
    return !(compiled instanceof CelError) && compiled.matcher(text).find()
  }
}
