/** Checks of single values. Each adds what is wrong to `causes`; an absent value is nothing to check. */

import type { JsonValue } from '../../json.ts'
import { duplicate, invalidValue, notSupported, required } from '../../status/causes.ts'
import type { Cause } from '../../status/status.ts'
import type { NameCheck } from './names.ts'
import { type Given, has, numberIn, present, textIn, textsIn } from './read.ts'

export type Causes = Cause[]

/** The text, when it is given, must be a name of this kind. */
export function checkName(causes: Causes, path: string, object: Given, name: string, check: NameCheck): void {
  const value = textIn(object, name)
  if (value === '') return
  checkText(causes, fieldOf(path, name), value, check)
}

/** The text, when it is there at all, must be a name of this kind: one that is there and empty is none. */
export function checkGiven(
  causes: Causes,
  path: string,
  object: Given,
  name: string,
  check: NameCheck,
): void {
  if (has(object, name)) checkText(causes, fieldOf(path, name), textIn(object, name), check)
}

export function checkText(causes: Causes, path: string, value: string, check: NameCheck): void {
  for (const problem of check(value)) causes.push(invalidValue(path, value, problem))
}

export function checkRequiredText(
  causes: Causes,
  path: string,
  object: Given,
  name: string,
  detail = '',
): void {
  if (textIn(object, name) === '') causes.push(required(fieldOf(path, name), detail))
}

/** A list that is given may not be empty. (The schema sees to lists that must be given.) */
export function checkNotEmpty(causes: Causes, path: string, object: Given, name: string, detail = ''): void {
  const list = object?.[name]
  if (Array.isArray(list) && list.length === 0) causes.push(required(fieldOf(path, name), detail))
}

export function checkNotNegative(causes: Causes, path: string, object: Given, ...names: readonly string[]) {
  for (const name of names) {
    const value = numberIn(object, name)
    if (value !== undefined && value < 0)
      causes.push(invalidValue(fieldOf(path, name), value, 'must be greater than or equal to 0'))
  }
}

export function checkPositive(causes: Causes, path: string, object: Given, ...names: readonly string[]) {
  for (const name of names) {
    const value = numberIn(object, name)
    if (value !== undefined && value <= 0)
      causes.push(invalidValue(fieldOf(path, name), value, 'must be greater than 0'))
  }
}

export function checkBetween(
  causes: Causes,
  path: string,
  object: Given,
  name: string,
  min: number,
  max: number,
): void {
  const value = numberIn(object, name)
  if (value !== undefined && (value < min || value > max))
    causes.push(invalidValue(fieldOf(path, name), value, `must be between ${min} and ${max}, inclusive`))
}

const portMax = 65_535
export const portText = `must be between 1 and ${portMax}, inclusive`

export function isPort(value: JsonValue | undefined): boolean {
  return typeof value === 'number' && value >= 1 && value <= portMax
}

/** The text, when it is given, must be one of these. */
export function checkOneOf(
  causes: Causes,
  path: string,
  object: Given,
  name: string,
  values: readonly string[],
): void {
  const value = textIn(object, name)
  if (value !== '' && !values.includes(value))
    causes.push(notSupported(fieldOf(path, name), value, [...values].sort()))
}

/** No text of the list may come twice. */
export function checkDistinct(causes: Causes, path: string, object: Given, name: string): void {
  const list = textsIn(object, name)
  if (list.length < 2) return
  const seen = new Set<string>()
  for (const [i, one] of list.entries()) {
    if (seen.has(one)) causes.push(duplicate(`${path}.${name}[${i}]`, one))
    seen.add(one)
  }
}

/** Remembers names, and says which come again. */
export function createUnique(causes: Causes): (path: string, name: string) => void {
  const seen = new Set<string>()
  return (path, name) => {
    if (name === '') return
    if (seen.has(name)) causes.push(duplicate(path, name))
    else seen.add(name)
  }
}

/**
 * At most one of these members, of which one must be there unless `optional`. Gives the first that is.
 * `what` completes "must specify …" and "may not specify more than 1 …".
 */
export function checkAlternatives(
  causes: Causes,
  path: string,
  object: Given,
  names: readonly string[],
  what: string,
): string | undefined {
  const given = present(object, names)
  if (given.length === 0) causes.push(required(path, `must specify ${what}`))
  for (const name of given.slice(1)) {
    causes.push({
      reason: 'FieldValueForbidden',
      message: `Forbidden: may not specify more than 1 ${what.replace(/^(a|an|one of) /, '')}`,
      field: fieldOf(path, name),
    })
  }
  return given[0]
}

const percentShape = /^[0-9]+%$/
const percentText =
  "a valid percent string must be a numeric string followed by an ending '%' (e.g. '1%',  or '93%', regex used for validation is '[0-9]+%')"

/** A whole number from zero, or a percentage; `atMost100` where more than all makes no sense. */
export function checkIntOrPercent(
  causes: Causes,
  path: string,
  object: Given,
  name: string,
  atMost100 = false,
): void {
  if (!has(object, name)) return
  const field = fieldOf(path, name)
  const text = textIn(object, name)
  if (typeof object?.[name] === 'number') checkNotNegative(causes, path, object, name)
  else if (!percentShape.test(text)) causes.push(invalidValue(field, text, percentText))
  else if (atMost100 && Number(text.slice(0, -1)) > 100)
    causes.push(invalidValue(field, text, 'must not be greater than 100%'))
}

/** Zero, as a number or as `0%`. */
export function isZeroIntOrPercent(value: JsonValue | undefined): boolean {
  return value === 0 || value === '0%' || value === '0'
}

/** A member of what is at `path`; '' is the object itself. */
export function fieldOf(path: string, name: string): string {
  return path === '' ? name : `${path}.${name}`
}
