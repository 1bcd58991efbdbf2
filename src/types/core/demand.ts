/** What containers and pods ask for. Source: core/v1 ResourceRequirements, PodSpec. */

import type { Draft } from '../../schema/defaults.ts'
import { objectAt, objectsAt, textAt } from '../draft.ts'
import { type Amounts, addAmounts, largestAmounts, readAmounts } from './amounts.ts'

export interface Demand {
  readonly requests: Amounts
  readonly limits: Amounts
}

export function containerDemand(container: Draft): Demand {
  return {
    requests: readAmounts(objectAt(container, 'resources', 'requests')),
    limits: readAmounts(objectAt(container, 'resources', 'limits')),
  }
}

/**
 * What the pod needs at its hungriest: containers run together, init containers before them, one by one, beside those of
 * them that stay. Without what running a pod costs by itself.
 */
export function podDemand(spec: Draft): Demand {
  return { requests: neededBy(spec, 'requests'), limits: neededBy(spec, 'limits') }
}

function neededBy(spec: Draft, name: keyof Demand): Amounts {
  let running: Amounts = new Map()
  for (const container of objectsAt(spec, 'containers'))
    running = addAmounts(running, containerDemand(container)[name])
  let starting: Amounts = new Map()
  let staying: Amounts = new Map()
  for (const container of objectsAt(spec, 'initContainers')) {
    const own = containerDemand(container)[name]
    const together = addAmounts(staying, own)
    starting = largestAmounts(starting, together)
    if (textAt(container, 'restartPolicy') !== 'Always') continue
    running = addAmounts(running, own)
    staying = together
  }
  return largestAmounts(running, starting)
}
