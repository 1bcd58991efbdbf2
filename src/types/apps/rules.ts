/** What deployments, replica sets, stateful sets and daemon sets may be. */

import type { JsonObject } from '../../json.ts'
import { forbiddenField, invalidMap, invalidValue, notSupported, required } from '../../status/causes.ts'
import type { PodRules } from '../core/pod-rules.ts'
import { selectorMatches } from '../label-selector.ts'
import {
  type Causes,
  checkIntOrPercent,
  checkNotNegative,
  checkOneOf,
  isZeroIntOrPercent,
} from '../validation/checks.ts'
import { isEmptySelector, isValidSelector } from '../validation/labels.ts'
import { entriesIn, type Given, has, numberIn, objectIn, textIn } from '../validation/read.ts'

/** The selector, and the template that it must select. `what`: as messages call the type. */
function checkSelected(
  causes: Causes,
  path: string,
  spec: JsonObject,
  rules: PodRules,
  what: {
    readonly selected: string
    readonly kind: string
    /** Said beside what is wrong with a selector; undefined = nothing. */
    readonly invalid?: string
  },
): void {
  const selector = objectIn(spec, 'selector')
  const template = objectIn(spec, 'template')
  const labels = objectIn(objectIn(template, 'metadata'), 'labels')
  const isValid = isValidSelector(causes, `${path}.selector`, selector)
  if (selector !== undefined) {
    if (isEmptySelector(selector))
      causes.push(
        invalidValue(`${path}.selector`, selector, `empty selector is invalid for ${what.selected}`),
      )
  }
  // What is not there selects nothing, and what is empty everything.
  if (!isValid) {
    if (what.invalid !== undefined) causes.push(invalidValue(`${path}.selector`, selector, what.invalid))
  } else if (selector === undefined || (!isEmptySelector(selector) && !selectorMatches(selector, labels)))
    causes.push(mismatch(`${path}.template.metadata.labels`, labels))
  rules.checkTemplate(causes, `${path}.template`, template, ['Always'])
  if (has(objectIn(template, 'spec'), 'activeDeadlineSeconds'))
    causes.push(
      forbiddenField(
        `${path}.template.spec.activeDeadlineSeconds`,
        `activeDeadlineSeconds in ${what.kind} is not Supported`,
      ),
    )
}

export function mismatch(path: string, labels: Given) {
  return invalidMap(path, labels, '`selector` does not match template `labels`')
}

const replicated = { selected: 'deployment', kind: 'ReplicaSet', invalid: 'invalid label selector' }

export function checkDeploymentSpec(causes: Causes, path: string, spec: JsonObject, rules: PodRules): void {
  checkNotNegative(causes, path, spec, 'replicas', 'minReadySeconds', 'revisionHistoryLimit')
  checkNotNegative(causes, path, spec, 'progressDeadlineSeconds')
  checkSelected(causes, path, spec, rules, replicated)
  const deadline = numberIn(spec, 'progressDeadlineSeconds')
  if (deadline !== undefined && deadline <= (numberIn(spec, 'minReadySeconds') ?? 0))
    causes.push(
      invalidValue(`${path}.progressDeadlineSeconds`, deadline, 'must be greater than minReadySeconds'),
    )
  checkDeploymentStrategy(causes, `${path}.strategy`, objectIn(spec, 'strategy') ?? {})
}

const deploymentTypes = ['Recreate', 'RollingUpdate']

function checkDeploymentStrategy(causes: Causes, path: string, strategy: JsonObject): void {
  const type = textIn(strategy, 'type')
  if (!deploymentTypes.includes(type)) {
    // The whole strategy is what is not supported.
    causes.push(notSupported(path, strategy, deploymentTypes))
    return
  }
  const rolling = objectIn(strategy, 'rollingUpdate')
  if (rolling === undefined) return
  const at = `${path}.rollingUpdate`
  if (type === 'Recreate') {
    causes.push(forbiddenField(at, "may not be specified when strategy `type` is 'Recreate'"))
    return
  }
  checkIntOrPercent(causes, at, rolling, 'maxUnavailable', true)
  checkIntOrPercent(causes, at, rolling, 'maxSurge')
  if (isZeroIntOrPercent(rolling['maxUnavailable']) && isZeroIntOrPercent(rolling['maxSurge']))
    causes.push(
      invalidValue(`${at}.maxUnavailable`, rolling['maxUnavailable'], 'may not be 0 when `maxSurge` is 0'),
    )
}

export function checkReplicaSetSpec(causes: Causes, path: string, spec: JsonObject, rules: PodRules): void {
  checkNotNegative(causes, path, spec, 'replicas', 'minReadySeconds')
  checkSelected(causes, path, spec, rules, replicated)
}

const updateTypes = ['RollingUpdate', 'OnDelete']

export function checkStatefulSetSpec(causes: Causes, path: string, spec: JsonObject, rules: PodRules): void {
  checkNotNegative(causes, path, spec, 'replicas', 'minReadySeconds')
  checkNotNegative(causes, `${path}.ordinals`, objectIn(spec, 'ordinals'), 'start')
  checkSelected(causes, path, spec, rules, { selected: 'statefulset', kind: 'StatefulSet', invalid: '' })
  const management = textIn(spec, 'podManagementPolicy')
  if (management !== 'OrderedReady' && management !== 'Parallel')
    causes.push(
      invalidValue(`${path}.podManagementPolicy`, management, "must be 'OrderedReady' or 'Parallel'"),
    )
  const strategy = objectIn(spec, 'updateStrategy') ?? {}
  const rolling = objectIn(strategy, 'rollingUpdate')
  const at = `${path}.updateStrategy.rollingUpdate`
  if (!updateTypes.includes(textIn(strategy, 'type')))
    causes.push(invalidValue(`${path}.updateStrategy`, strategy, "must be 'RollingUpdate' or 'OnDelete'"))
  if (rolling !== undefined && textIn(strategy, 'type') === 'OnDelete')
    causes.push(invalidValue(at, rolling, "only allowed for updateStrategy 'RollingUpdate'"))
  checkNotNegative(causes, at, rolling, 'partition')
  checkIntOrPercent(causes, at, rolling, 'maxUnavailable', true)
  const retention = objectIn(spec, 'persistentVolumeClaimRetentionPolicy')
  for (const name of ['whenDeleted', 'whenScaled']) {
    checkOneOf(causes, `${path}.persistentVolumeClaimRetentionPolicy`, retention, name, ['Retain', 'Delete'])
  }
}

export function checkDaemonSetSpec(causes: Causes, path: string, spec: JsonObject, rules: PodRules): void {
  checkNotNegative(causes, path, spec, 'minReadySeconds', 'revisionHistoryLimit')
  checkSelected(causes, path, spec, rules, { selected: 'daemonset', kind: 'DaemonSet' })
  const strategy = objectIn(spec, 'updateStrategy') ?? {}
  const type = textIn(strategy, 'type')
  if (!updateTypes.includes(type)) causes.push(notSupported(`${path}.updateStrategy`, strategy, updateTypes))
  const rolling = objectIn(strategy, 'rollingUpdate')
  if (rolling === undefined || type !== 'RollingUpdate') return
  const at = `${path}.updateStrategy.rollingUpdate`
  checkIntOrPercent(causes, at, rolling, 'maxUnavailable', true)
  checkIntOrPercent(causes, at, rolling, 'maxSurge', true)
  const waits = isZeroIntOrPercent(rolling['maxUnavailable'] ?? 0)
  const stacks = !isZeroIntOrPercent(rolling['maxSurge'] ?? 0)
  if (waits && !stacks) causes.push(required(`${at}.maxUnavailable`, 'cannot be 0 when maxSurge is 0'))
  else if (!waits && stacks)
    causes.push(
      invalidValue(`${at}.maxSurge`, rolling['maxSurge'], 'may not be set when maxUnavailable is non-zero'),
    )
}

/** The old form of a replica set: a plain map and the template may be missing on the wire. */
export function checkReplicationControllerSpec(
  causes: Causes,
  path: string,
  spec: JsonObject,
  rules: PodRules,
): void {
  checkNotNegative(causes, path, spec, 'replicas', 'minReadySeconds')
  const template = objectIn(spec, 'template')
  const selector = entriesIn(spec, 'selector')
  if (selector.length === 0) causes.push(required(`${path}.selector`))
  if (template === undefined) {
    causes.push(required(`${path}.template`))
    return
  }
  const labels = objectIn(objectIn(template, 'metadata'), 'labels')
  if (!selector.every(([key, value]) => labels?.[key] === value))
    causes.push(mismatch(`${path}.template.metadata.labels`, labels))
  rules.checkTemplate(causes, `${path}.template`, template, ['Always'])
}
