/** Quotas and limit ranges: bounds on what a namespace, and each thing in it, may use. */

import type { JsonObject } from '../../json.ts'
import { duplicate, forbiddenField, invalidValue, required } from '../../status/causes.ts'
import { type Causes, checkText, createUnique } from '../validation/checks.ts'
import { qualifiedNameProblems } from '../validation/names.ts'
import {
  compareAmounts,
  containerResourceProblems,
  isCounted,
  isNegative,
  isWhole,
  notNegativeText,
  quotaResourceProblems,
  type ResourceNames,
  resourceNameProblems,
} from '../validation/quantities.ts'
import { entriesIn, has, itemsIn, objectIn, textIn } from '../validation/read.ts'
import { checkScopes } from './quota-scopes.ts'

export function checkQuotaSpec(causes: Causes, path: string, spec: JsonObject, names: ResourceNames): void {
  checkHard(causes, path, spec, names)
  checkScopes(causes, path, spec)
}

/** What there may be of each resource. */
function checkHard(causes: Causes, path: string, spec: JsonObject, names: ResourceNames): void {
  for (const [name, amount] of entriesIn(spec, 'hard')) {
    const at = `${path}.hard[${name}]`
    for (const problem of quotaResourceProblems(name)) causes.push(invalidValue(at, name, problem))
    const text = String(amount)
    if (isNegative(text)) causes.push(invalidValue(at, text, notNegativeText))
    else if (isCounted(name, names) && !isWhole(text))
      causes.push(invalidValue(at, text, 'must be an integer'))
  }
}

const boundNames = ['max', 'min', 'default', 'defaultRequest', 'maxLimitRequestRatio'] as const
const knownTypes = ['Pod', 'Container', 'PersistentVolumeClaim']

export function checkLimitRangeSpec(
  causes: Causes,
  path: string,
  spec: JsonObject,
  names: ResourceNames,
): void {
  const unique = createUnique(causes)
  for (const [i, limit] of itemsIn(spec, 'limits').entries()) {
    const at = `${path}.limits[${i}]`
    const type = textIn(limit, 'type')
    if (!knownTypes.includes(type)) checkLimitType(causes, `${at}.type`, type)
    unique(`${at}.type`, type)
    const problemsOf = (name: string) =>
      type === 'Pod' || type === 'Container'
        ? containerResourceProblems(name, names)
        : resourceNameProblems(name)
    // Pods have no defaults at all: what these are called does not matter then.
    const used = type === 'Pod' ? ['max', 'min', 'maxLimitRequestRatio'] : boundNames
    for (const bound of used) {
      for (const [name] of entriesIn(limit, bound)) {
        for (const problem of problemsOf(name))
          causes.push(invalidValue(`${at}.${bound}[${name}]`, name, problem))
      }
    }
    checkTypeRules(causes, at, limit, type)
    checkOrder(causes, at, limit)
  }
}

/** Types that others have named: with a domain. */
function checkLimitType(causes: Causes, path: string, type: string): void {
  checkText(causes, path, type, qualifiedNameProblems)
  if (qualifiedNameProblems(type).length === 0 && !type.includes('/'))
    causes.push(invalidValue(path, type, 'must be a standard limit type or fully qualified'))
}

function checkTypeRules(causes: Causes, path: string, limit: JsonObject, type: string): void {
  if (type === 'Pod') {
    for (const name of ['default', 'defaultRequest']) {
      if (entriesIn(limit, name).length > 0)
        causes.push(forbiddenField(`${path}.${name}`, "may not be specified when `type` is 'Pod'"))
    }
  }
  if (type !== 'PersistentVolumeClaim') return
  const bounded = ['min', 'max'].some((name) => has(objectIn(limit, name), 'storage'))
  if (!bounded)
    causes.push(
      required(
        `${path}.limits`,
        'either minimum or maximum storage value is required, but neither was provided',
      ),
    )
}

/** What is least may not be more than what is usual, nor that more than what is most. */
const orders: readonly (readonly [lower: string, lowerText: string, upper: string, upperText: string])[] = [
  ['min', 'min', 'max', 'max'],
  ['min', 'min', 'default', 'default'],
  ['min', 'min', 'defaultRequest', 'default request'],
  ['defaultRequest', 'default request', 'max', 'max'],
  ['defaultRequest', 'default request', 'default', 'default limit'],
  ['default', 'default', 'max', 'max'],
]

function checkOrder(causes: Causes, path: string, limit: JsonObject): void {
  for (const [lower, lowerText, upper, upperText] of orders) {
    const above = objectIn(limit, upper)
    if (above === undefined) continue
    for (const [name, amount] of entriesIn(limit, lower)) {
      const [low, high] = [String(amount), textIn(above, name)]
      if (high !== '' && compareAmounts(low, high) > 0) {
        const detail = `${lowerText} value ${low} is greater than ${upperText} value ${high}`
        causes.push(invalidValue(`${path}.${lower}[${name}]`, low, detail))
      }
    }
  }
  for (const [name, amount] of entriesIn(limit, 'maxLimitRequestRatio')) {
    const ratio = String(amount)
    if (compareAmounts(ratio, '1') < 0)
      causes.push(
        invalidValue(`${path}.maxLimitRequestRatio[${name}]`, ratio, `ratio ${ratio} is less than 1`),
      )
  }
}

/** The same taint cannot be put on a node twice. */
export function checkDuplicateTaint(
  causes: Causes,
  path: string,
  taint: JsonObject,
  seen: Set<string>,
): void {
  const id = `${textIn(taint, 'key')}:${textIn(taint, 'effect')}`
  if (seen.has(id)) causes.push(duplicate(path, taint))
  seen.add(id)
}
