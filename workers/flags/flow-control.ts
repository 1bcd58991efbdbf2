/** The flags of the limits in flight. */

import { defaultFlowControl, type FlowControlOptions } from '../../src/flowcontrol/options.ts'
import type { FlagValues } from './table.ts'

/** @param workers as `--workers`: each has its part of the limits; 0 = everything in one process */
export function flowControlOptions(values: FlagValues, workers: number): FlowControlOptions {
  return {
    maxRequestsInflight: values['max-requests-inflight'] ?? defaultFlowControl.maxRequestsInflight,
    maxMutatingRequestsInflight:
      values['max-mutating-requests-inflight'] ?? defaultFlowControl.maxMutatingRequestsInflight,
    priorityAndFairness: values['enable-priority-and-fairness'] ?? defaultFlowControl.priorityAndFairness,
    processes: Math.max(1, workers),
  }
}

/** Undefined = all is well. */
export function flowControlContradiction(values: FlagValues): string | undefined {
  const options = flowControlOptions(values, 1)
  const { maxRequestsInflight: reads, maxMutatingRequestsInflight: writes, priorityAndFairness } = options
  if (!priorityAndFairness || reads + writes > 0) return undefined
  return '--enable-priority-and-fairness shares out the sum of --max-requests-inflight and --max-mutating-requests-inflight: it must not be 0'
}
