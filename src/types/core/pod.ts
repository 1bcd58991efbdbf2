/** Pods: born pending, with a quality of service that follows from what they ask for; little of them can change. */

import type { JsonObject, JsonValue } from '../../json.ts'
import { compareQuantities, parseQuantity } from '../../schema/quantity.ts'
import { forbiddenField } from '../../status/causes.ts'
import type { Cause } from '../../status/status.ts'
import { objectAt, objectsAt, textAt } from '../draft.ts'
import { semanticallyEqual } from '../equality.ts'
import type { ModuleFactory } from '../module.ts'
import type { ApiObject } from '../object.ts'

export const pod: ModuleFactory = () => ({
  strategy: {
    gracePeriodSeconds: graceOf,
    prepareForCreate(object) {
      const spec = objectAt(object, 'spec') ?? {}
      const gated = objectsAt(spec, 'schedulingGates').length > 0
      object['status'] = {
        phase: 'Pending',
        ...(gated ? { conditions: [gatedCondition] } : {}),
        qosClass: qualityOfService(spec),
      }
    },
    validateUpdate,
    selectableFields,
  },
})

const graceSecondsDefault = 30

/** A pod that is not on a node, or has ended, need not wait for anybody to stop it. */
function graceOf(object: ApiObject): number {
  const spec = objectAt(object, 'spec')
  const phase = textAt(objectAt(object, 'status'), 'phase')
  if (textAt(spec, 'nodeName') === '' || phase === 'Succeeded' || phase === 'Failed') return 0
  const seconds = spec?.['terminationGracePeriodSeconds']
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

const changeable =
  'pod updates may not change fields other than `spec.containers[*].image`, `spec.initContainers[*].image`, `spec.activeDeadlineSeconds`, `spec.tolerations` (only additions to existing tolerations), `spec.terminationGracePeriodSeconds` (allow it to be set to 1 if it was previously negative)'

function validateUpdate(object: ApiObject, old: ApiObject): readonly Cause[] {
  const fixed = fixedSpec(object)
  const before = fixedSpec(old)
  const gates = gateCauses(object, old)
  if (gates.length > 0) return gates
  // A pod that waits behind scheduling gates may still narrow where it can go.
  if (objectsAt(objectAt(old, 'spec'), 'schedulingGates').length > 0) {
    for (const spec of [fixed, before]) {
      delete spec['nodeSelector']
      delete spec['affinity']
    }
  }
  return semanticallyEqual(fixed, before) ? [] : [forbiddenField('spec', changeable)]
}

/** The spec without what an update may change. */
function fixedSpec(object: ApiObject): Record<string, JsonValue> {
  const {
    activeDeadlineSeconds: _deadline,
    tolerations: _tolerations,
    schedulingGates: _gates,
    ...spec
  } = objectAt(object, 'spec') ?? {}
  const seconds = spec['terminationGracePeriodSeconds']
  if (typeof seconds === 'number' && seconds < 0) spec['terminationGracePeriodSeconds'] = 1
  for (const list of ['containers', 'initContainers']) {
    if (spec[list] !== undefined) spec[list] = objectsAt(spec, list).map(({ image: _image, ...rest }) => rest)
  }
  return spec
}

/** Gates can be taken away, never added. */
function gateCauses(object: ApiObject, old: ApiObject): readonly Cause[] {
  const before = new Set(objectsAt(objectAt(old, 'spec'), 'schedulingGates').map((gate) => gate['name']))
  const added = objectsAt(objectAt(object, 'spec'), 'schedulingGates').filter(
    (gate) => !before.has(gate['name']),
  )
  if (added.length === 0) return []
  return [forbiddenField('spec.schedulingGates', 'only deletion is allowed, but found new scheduling gates')]
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
