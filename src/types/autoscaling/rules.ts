/** What autoscalers may be, as v2 says it. Other versions are checked in this form too. */

import type { JsonObject } from '../../json.ts'
import { forbiddenField, invalidValue, notSupported, required } from '../../status/causes.ts'
import {
  type Causes,
  checkName,
  checkNotEmpty,
  checkPositive,
  checkRequiredText,
} from '../validation/checks.ts'
import { pathSegmentProblems } from '../validation/names.ts'
import { compareAmounts } from '../validation/quantities.ts'
import { type Given, has, itemsIn, numberIn, objectIn, present, textIn } from '../validation/read.ts'

/** `minReplicasMin`: 0 where a target may be scaled to nothing, else 1. */
export function checkAutoscalerSpec(
  causes: Causes,
  path: string,
  spec: JsonObject,
  minReplicasMin: number,
): void {
  const min = numberIn(spec, 'minReplicas')
  const max = numberIn(spec, 'maxReplicas') ?? 0
  if (min !== undefined && min < minReplicasMin)
    causes.push(
      invalidValue(`${path}.minReplicas`, min, `must be greater than or equal to ${minReplicasMin}`),
    )
  if (max < 1) causes.push(invalidValue(`${path}.maxReplicas`, max, 'must be greater than 0'))
  if (min !== undefined && max < min)
    causes.push(invalidValue(`${path}.maxReplicas`, max, 'must be greater than or equal to `minReplicas`'))
  checkReference(causes, `${path}.scaleTargetRef`, objectIn(spec, 'scaleTargetRef'))
  const metrics = itemsIn(spec, 'metrics')
  for (const [i, metric] of metrics.entries()) checkMetric(causes, `${path}.metrics[${i}]`, metric)
  if (min === 0 && !metrics.some((metric) => has(metric, 'object') || has(metric, 'external'))) {
    const detail = 'must specify at least one Object or External metric to support scaling to zero replicas'
    causes.push(forbiddenField(`${path}.metrics`, detail))
  }
  const behavior = objectIn(spec, 'behavior')
  for (const name of ['scaleUp', 'scaleDown']) {
    checkScalingRules(causes, `${path}.behavior.${name}`, objectIn(behavior, name))
  }
}

function checkReference(causes: Causes, path: string, reference: Given): void {
  for (const name of ['kind', 'name']) {
    if (textIn(reference, name) === '') causes.push(required(`${path}.${name}`))
    else checkName(causes, path, reference, name, pathSegmentProblems)
  }
}

/** Where a metric is described → its type; in the order in which they are looked for. */
const types: ReadonlyMap<string, string> = new Map([
  ['object', 'Object'],
  ['external', 'External'],
  ['pods', 'Pods'],
  ['resource', 'Resource'],
  ['containerResource', 'ContainerResource'],
])

/** One source is looked at: the first that is there. */
function checkMetric(causes: Causes, path: string, metric: JsonObject): void {
  const type = textIn(metric, 'type')
  const known = [...types.values()].sort()
  if (type === '') causes.push(required(`${path}.type`, 'must specify a metric source type'))
  if (!known.includes(type)) causes.push(notSupported(`${path}.type`, type, known))
  const given = present(metric, [...types.keys()])
  const [first] = given
  if (first !== undefined) checkSource(causes, `${path}.${first}`, objectIn(metric, first) ?? {}, first)
  const [expected] = [...types].find(([, one]) => one === type) ?? []
  if (expected === undefined) causes.push(notSupported(`${path}.type`, type, known))
  else if (!given.includes(expected))
    causes.push(required(`${path}.${expected}`, 'must populate information for the given metric source'))
  if (given.length === 1) return
  for (const name of given) {
    if (name !== expected)
      causes.push(forbiddenField(`${path}.${name}`, 'must populate the given metric source only'))
  }
}

function checkSource(causes: Causes, path: string, source: JsonObject, name: string): void {
  const target = objectIn(source, 'target') ?? {}
  const at = `${path}.target`
  switch (name) {
    case 'resource':
    case 'containerResource':
      checkRequiredText(causes, path, source, 'name', 'must specify a resource name')
      if (name === 'containerResource')
        checkRequiredText(causes, path, source, 'container', 'must specify a container')
      checkTarget(causes, at, target)
      checkEither(causes, at, target, 'averageUtilization', 'averageValue', {
        none: 'must set either a target raw value or a target utilization',
        both: 'may not set both a target raw value and a target utilization',
      })
      break
    case 'pods':
      checkIdentifier(causes, `${path}.metric`, objectIn(source, 'metric'))
      checkTarget(causes, at, target)
      if (!has(target, 'averageValue'))
        causes.push(required(`${at}.averageValue`, 'must specify a positive target averageValue'))
      break
    case 'object':
      checkReference(causes, `${path}.describedObject`, objectIn(source, 'describedObject'))
      checkIdentifier(causes, `${path}.metric`, objectIn(source, 'metric'))
      checkTarget(causes, at, target)
      if (!has(target, 'value') && !has(target, 'averageValue'))
        causes.push(required(`${at}.averageValue`, 'must set either a target value or averageValue'))
      break
    default:
      checkIdentifier(causes, `${path}.metric`, objectIn(source, 'metric'))
      checkTarget(causes, at, target)
      checkEither(causes, at, target, 'averageValue', 'value', {
        none: 'must set either a target value for metric or a per-pod target',
        both: 'may not set both a target value for metric and a per-pod target',
      })
  }
}

function checkIdentifier(causes: Causes, path: string, metric: Given): void {
  if (textIn(metric, 'name') === '') causes.push(required(`${path}.name`, 'must specify a metric name'))
  else checkName(causes, path, metric, 'name', pathSegmentProblems)
}

function checkEither(
  causes: Causes,
  path: string,
  target: JsonObject,
  first: string,
  second: string,
  details: { readonly none: string; readonly both: string },
): void {
  if (!has(target, first) && !has(target, second)) causes.push(required(`${path}.${first}`, details.none))
  if (has(target, first) && has(target, second))
    causes.push(forbiddenField(`${path}.${second}`, details.both))
}

const targetTypes = ['AverageValue', 'Utilization', 'Value']

function checkTarget(causes: Causes, path: string, target: JsonObject): void {
  const type = textIn(target, 'type')
  if (type === '') causes.push(required(`${path}.type`, 'must specify a metric target type'))
  if (!targetTypes.includes(type))
    causes.push(invalidValue(`${path}.type`, type, 'must be either Utilization, Value, or AverageValue'))
  for (const name of ['value', 'averageValue']) {
    const amount = textIn(target, name)
    if (amount !== '' && compareAmounts(amount, '0') <= 0)
      causes.push(invalidValue(`${path}.${name}`, amount, 'must be positive'))
  }
  checkPositive(causes, path, target, 'averageUtilization')
}

const windowSecondsMax = 3600
const periodSecondsMax = 1800

const selectPolicies = ['Disabled', 'Max', 'Min']
const policyTypes = ['Percent', 'Pods']

function checkScalingRules(causes: Causes, path: string, rules: Given): void {
  if (rules === undefined) return
  const window = numberIn(rules, 'stabilizationWindowSeconds')
  const at = `${path}.stabilizationWindowSeconds`
  if (window !== undefined && window < 0)
    causes.push(invalidValue(at, window, 'must be greater than or equal to zero'))
  if (window !== undefined && window > windowSecondsMax)
    causes.push(invalidValue(at, window, `must be less than or equal to ${windowSecondsMax}`))
  const select = textIn(rules, 'selectPolicy')
  if (has(rules, 'selectPolicy') && !selectPolicies.includes(select))
    causes.push(notSupported(`${path}.selectPolicy`, select, selectPolicies))
  checkNotEmpty(causes, path, rules, 'policies', 'must specify at least one Policy')
  for (const [i, policy] of itemsIn(rules, 'policies').entries()) {
    checkPolicy(causes, `${path}.policies[${i}]`, policy)
  }
}

function checkPolicy(causes: Causes, path: string, policy: JsonObject): void {
  const type = textIn(policy, 'type')
  if (!policyTypes.includes(type)) causes.push(notSupported(`${path}.type`, type, policyTypes))
  const value = numberIn(policy, 'value') ?? 0
  const period = numberIn(policy, 'periodSeconds') ?? 0
  if (value <= 0) causes.push(invalidValue(`${path}.value`, value, 'must be greater than zero'))
  if (period <= 0) causes.push(invalidValue(`${path}.periodSeconds`, period, 'must be greater than zero'))
  if (period > periodSecondsMax)
    causes.push(
      invalidValue(`${path}.periodSeconds`, period, `must be less than or equal to ${periodSecondsMax}`),
    )
}
