/** When the failure of a pod counts against its job, and when enough has succeeded. */

import type { JsonObject } from '../../json.ts'
import { duplicate, invalidValue, required } from '../../status/causes.ts'
import { type Causes, checkName, checkOneOf } from '../validation/checks.ts'
import { invalidObject, tooMany } from '../validation/more-causes.ts'
import { qualifiedNameProblems } from '../validation/names.ts'
import { has, itemsIn, numberIn, numbersIn, objectIn, textIn } from '../validation/read.ts'

const rulesMax = 20
const conditionsMax = 20
const exitCodesMax = 255

export function checkFailurePolicy(causes: Causes, path: string, job: JsonObject): void {
  const policy = objectIn(job, 'podFailurePolicy')
  if (policy === undefined) return
  const rules = itemsIn(policy, 'rules')
  if (rules.length > rulesMax) causes.push(tooMany(`${path}.rules`, rules.length, rulesMax))
  const names = containerNames(job)
  for (const [i, rule] of rules.entries()) {
    const at = `${path}.rules[${i}]`
    if (textIn(rule, 'action') === 'FailIndex' && !has(job, 'backoffLimitPerIndex'))
      causes.push(invalidValue(`${at}.action`, 'FailIndex', 'requires the backoffLimitPerIndex to be set'))
    checkRule(causes, at, rule, names)
  }
}

function containerNames(job: JsonObject): ReadonlySet<string> {
  const spec = objectIn(objectIn(job, 'template'), 'spec')
  const containers = [...itemsIn(spec, 'containers'), ...itemsIn(spec, 'initContainers')]
  return new Set(containers.map((container) => textIn(container, 'name')))
}

function checkRule(causes: Causes, path: string, rule: JsonObject, names: ReadonlySet<string>): void {
  const codes = objectIn(rule, 'onExitCodes')
  const conditions = itemsIn(rule, 'onPodConditions')
  if (codes !== undefined && conditions.length > 0)
    causes.push(invalidObject(path, 'specifying both OnExitCodes and OnPodConditions is not supported'))
  if (codes === undefined && conditions.length === 0)
    causes.push(invalidObject(path, 'specifying one of OnExitCodes and OnPodConditions is required'))
  if (codes !== undefined) checkExitCodes(causes, `${path}.onExitCodes`, codes, names)
  if (conditions.length > conditionsMax)
    causes.push(tooMany(`${path}.onPodConditions`, conditions.length, conditionsMax))
  for (const [i, condition] of conditions.entries()) {
    const at = `${path}.onPodConditions[${i}]`
    checkName(causes, at, condition, 'type', qualifiedNameProblems)
    checkOneOf(causes, at, condition, 'status', ['False', 'True', 'Unknown'])
  }
}

function checkExitCodes(causes: Causes, path: string, codes: JsonObject, names: ReadonlySet<string>): void {
  const container = textIn(codes, 'containerName')
  if (has(codes, 'containerName') && !names.has(container))
    causes.push(
      invalidValue(
        `${path}.containerName`,
        container,
        'must be one of the container or initContainer names in the pod template',
      ),
    )
  const values = numbersIn(codes, 'values')
  const at = `${path}.values`
  if (has(codes, 'values') && values.length === 0)
    causes.push(invalidValue(at, values, 'at least one value is required'))
  if (values.length > exitCodesMax) causes.push(tooMany(at, values.length, exitCodesMax))
  for (const [i, value] of values.entries()) {
    if (value === 0 && textIn(codes, 'operator') === 'In')
      causes.push(invalidValue(`${at}[${i}]`, value, 'must not be 0 for the In operator'))
    if (values.indexOf(value) < i) causes.push(duplicate(`${at}[${i}]`, value))
  }
  if (values.some((value, i) => i > 0 && value < (values[i - 1] ?? value)))
    causes.push(invalidValue(at, values, 'must be ordered'))
}

export function checkSuccessPolicy(causes: Causes, path: string, job: JsonObject): void {
  const policy = objectIn(job, 'successPolicy')
  if (policy === undefined) return
  if (textIn(job, 'completionMode') !== 'Indexed')
    causes.push(invalidValue(path, policy, 'requires indexed completion mode'))
  const rules = itemsIn(policy, 'rules')
  if (has(policy, 'rules') && rules.length === 0)
    causes.push(
      required(`${path}.rules`, 'at least one rules must be specified when the successPolicy is specified'),
    )
  if (rules.length > rulesMax) causes.push(tooMany(`${path}.rules`, rules.length, rulesMax))
  for (const [i, rule] of rules.entries()) {
    const at = `${path}.rules[${i}]`
    const count = numberIn(rule, 'succeededCount')
    if (count === undefined && textIn(rule, 'succeededIndexes') === '')
      causes.push(required(at, 'at least one of succeededCount or succeededIndexes must be specified'))
    if (count !== undefined && count <= 0)
      causes.push(invalidValue(`${at}.succeededCount`, count, 'must be greater than 0'))
  }
}
