/** What the status of a workload may count: nothing below zero, no part of more than the whole, no collision undone. */

import { invalidValue } from '../status/causes.ts'
import type { Cause } from '../status/status.ts'
import type { ApiObject } from './object.ts'
import { type Causes, checkNotNegative } from './validation/checks.ts'
import { type Given, jsonOf, numberIn, objectIn } from './validation/read.ts'

interface StatusCounts {
  /** Members of the status that are zero or more. */
  readonly counts: readonly string[]
  /** A part, what it is a part of, and what messages call that. */
  readonly parts?: readonly (readonly [part: string, whole: string, shown: string])[]
}

const statusOf = (object: ApiObject): Given => objectIn(jsonOf(object), 'status')

/** For `validateStatusUpdate`. */
export function countedBy({
  counts,
  parts = [],
}: StatusCounts): (object: ApiObject, old: ApiObject) => readonly Cause[] {
  return (object, old) => {
    const causes: Causes = []
    const status = statusOf(object)
    checkNotNegative(causes, 'status', status, ...counts)
    for (const [part, whole, shown] of parts) {
      const value = numberIn(status, part) ?? 0
      if (value > (numberIn(status, whole) ?? 0))
        causes.push(invalidValue(`status.${part}`, value, `cannot be greater than ${shown}`))
    }
    const collisions = numberIn(status, 'collisionCount') ?? 0
    if (counts.includes('collisionCount') && collisions < (numberIn(statusOf(old), 'collisionCount') ?? 0))
      causes.push(invalidValue('status.collisionCount', collisions, 'cannot be decremented'))
    return causes
  }
}

const ofReplicas = (part: string) => [part, 'replicas', 'status.replicas'] as const

export const deploymentCounts: StatusCounts = {
  counts: [
    'observedGeneration',
    'replicas',
    'updatedReplicas',
    'readyReplicas',
    'availableReplicas',
    'unavailableReplicas',
    'collisionCount',
  ],
  parts: [
    ofReplicas('updatedReplicas'),
    ofReplicas('readyReplicas'),
    ofReplicas('availableReplicas'),
    ['availableReplicas', 'readyReplicas', 'readyReplicas'],
  ],
}

/** Of replica sets, and of replication controllers. */
export const replicaCounts: StatusCounts = {
  counts: ['replicas', 'fullyLabeledReplicas', 'readyReplicas', 'availableReplicas', 'observedGeneration'],
  parts: [
    ofReplicas('fullyLabeledReplicas'),
    ofReplicas('readyReplicas'),
    ofReplicas('availableReplicas'),
    ['availableReplicas', 'readyReplicas', 'readyReplicas'],
  ],
}

export const statefulCounts: StatusCounts = {
  counts: [
    'replicas',
    'readyReplicas',
    'currentReplicas',
    'updatedReplicas',
    'availableReplicas',
    'observedGeneration',
    'collisionCount',
  ],
  parts: [
    ofReplicas('readyReplicas'),
    ofReplicas('currentReplicas'),
    ofReplicas('updatedReplicas'),
    ofReplicas('availableReplicas'),
    ['availableReplicas', 'readyReplicas', 'status.readyReplicas'],
  ],
}

export const daemonCounts: StatusCounts = {
  counts: [
    'currentNumberScheduled',
    'numberMisscheduled',
    'desiredNumberScheduled',
    'numberReady',
    'observedGeneration',
    'updatedNumberScheduled',
    'numberAvailable',
    'numberUnavailable',
    'collisionCount',
  ],
}

export const jobCounts: StatusCounts = { counts: ['active', 'succeeded', 'failed', 'ready', 'terminating'] }

export const autoscalerCounts: StatusCounts = { counts: ['currentReplicas', 'desiredReplicas'] }

export const budgetCounts: StatusCounts = {
  counts: ['disruptionsAllowed', 'currentHealthy', 'desiredHealthy', 'expectedPods'],
}
