/** Pods: born pending, with a quality of service that follows from what they ask for; little of them can change. */

import type { JsonObject, JsonValue } from '../../json.ts'
import { compareQuantities, parseQuantity } from '../../schema/quantity.ts'
import { objectAt, objectsAt, textAt } from '../draft.ts'
import type { ModuleFactory, StrategyRules } from '../module.ts'
import type { ApiObject } from '../object.ts'
import { jsonOf, objectIn, specOf } from '../validation/read.ts'
import { validates } from '../validation/validator.ts'
import { checkNewPod, checkPodAlone, createPodRules, type PodRules } from './pod-rules.ts'
import { podUpdateCauses } from './pod-update.ts'
import { podWarnings, templateWarnings } from './pod-warnings.ts'

export const pod: ModuleFactory = ({ names }) => {
  const rules = createPodRules(names.labelDomain)
  return { strategy: strategyOf(rules, names.labelDomain) }
}

export const podTemplate: ModuleFactory = ({ names }) => {
  const rules = createPodRules(names.labelDomain)
  return {
    strategy: {
      validate: validates((causes, object) =>
        rules.checkTemplate(causes, 'template', objectIn(jsonOf(object), 'template')),
      ),
      warnings: templateWarnings(names.labelDomain, ['template'], false),
    },
  }
}

function strategyOf(rules: PodRules, labelDomain: string): StrategyRules {
  return {
    gracePeriodSeconds: graceOf,
    endsAtOnce,
    prepareForCreate(object) {
      const spec = objectAt(object, 'spec') ?? {}
      const gated = objectsAt(spec, 'schedulingGates').length > 0
      object['status'] = {
        phase: 'Pending',
        ...(gated ? { conditions: [gatedCondition] } : {}),
        qosClass: qualityOfService(spec),
      }
    },
    keptByStatus: ['ownerReferences'],
    validate: validates((causes, object) => {
      rules.annotations.check(
        causes,
        'metadata.annotations',
        objectIn(jsonOf(object), 'metadata'),
        specOf(object),
      )
      rules.checkSpec(causes, 'spec', specOf(object))
      checkPodAlone(causes, specOf(object))
    }),
    validateCreate: validates((causes, object) => {
      checkNewPod(causes, specOf(object))
      rules.annotations.checkNew(causes, objectIn(jsonOf(object), 'metadata'), specOf(object))
    }),
    validateUpdate: podUpdateCauses,
    warnings: podWarnings(labelDomain),
    selectableFields,
  }
}

const graceSecondsDefault = 30

/** A pod that is not on a node, or has ended, need not wait for anybody to stop it. */
/** It runs nowhere: no node has it, or it has ended. */
function endsAtOnce(object: ApiObject): boolean {
  const phase = textAt(objectAt(object, 'status'), 'phase')
  return textAt(objectAt(object, 'spec'), 'nodeName') === '' || phase === 'Succeeded' || phase === 'Failed'
}

function graceOf(object: ApiObject): number {
  if (endsAtOnce(object)) return 0
  const seconds = objectAt(object, 'spec')?.['terminationGracePeriodSeconds']
  if (typeof seconds !== 'number') return graceSecondsDefault
  return seconds < 0 ? 1 : seconds
}

const gatedCondition: JsonObject = {
  type: 'PodScheduled',
  status: 'False',
  lastProbeTime: null,
  lastTransitionTime: null,
  reason: 'SchedulingGated',
  message: 'Scheduling is blocked due to non-empty scheduling gates',
}

const computeResources = ['cpu', 'memory'] as const

/** Guaranteed: every container limits CPU and memory, and asks for just that. BestEffort: none says anything. */
export function qualityOfService(spec: JsonObject): 'Guaranteed' | 'Burstable' | 'BestEffort' {
  const containers = [...objectsAt(spec, 'containers'), ...objectsAt(spec, 'initContainers')]
  let anything = false
  let guaranteed = true
  for (const container of containers) {
    const limits = objectAt(container, 'resources', 'limits') ?? {}
    const requests = objectAt(container, 'resources', 'requests') ?? {}
    for (const name of computeResources) {
      const limited = isPositive(limits[name])
      const requested = isPositive(requests[name])
      anything ||= limited || requested
      guaranteed &&= limited && (!requested || isSame(limits[name], requests[name]))
    }
  }
  if (!anything) return 'BestEffort'
  return guaranteed ? 'Guaranteed' : 'Burstable'
}

function amountOf(value: JsonValue | undefined) {
  return typeof value === 'string' ? parseQuantity(value) : undefined
}

function isPositive(value: JsonValue | undefined): boolean {
  return (amountOf(value)?.nanos ?? 0n) > 0n
}

function isSame(a: JsonValue | undefined, b: JsonValue | undefined): boolean {
  const [left, right] = [amountOf(a), amountOf(b)]
  return left !== undefined && right !== undefined && compareQuantities(left, right) === 0
}

/** `spec.host` is an old name of `spec.nodeName`; `status.podIPs` can be asked for, but never matches. */
function selectableFields(object: ApiObject): Record<string, string> {
  const spec = objectAt(object, 'spec')
  const status = objectAt(object, 'status')
  const nodeName = textAt(spec, 'nodeName')
  return {
    'spec.nodeName': nodeName,
    'spec.host': nodeName,
    'spec.restartPolicy': textAt(spec, 'restartPolicy'),
    'spec.schedulerName': textAt(spec, 'schedulerName'),
    'spec.serviceAccountName': textAt(spec, 'serviceAccountName'),
    'spec.hostNetwork': String(spec?.['hostNetwork'] === true),
    'status.phase': textAt(status, 'phase'),
    'status.podIP': textAt(objectsAt(status, 'podIPs')[0], 'ip'),
    'status.podIPs': '',
    'status.nominatedNodeName': textAt(status, 'nominatedNodeName'),
  }
}
