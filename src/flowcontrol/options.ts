/** How many requests one node works on at a time, and who decides whose turn it is. */
export interface FlowControlOptions {
  /** Reads at a time (`--max-requests-inflight`), of the whole node. 0 = no limit, without priority and fairness. */
  readonly maxRequestsInflight: number
  /** Writes at a time (`--max-mutating-requests-inflight`), of the whole node. 0 as above. */
  readonly maxMutatingRequestsInflight: number
  /** Flow schemas and priority levels share out the sum of both (`--enable-priority-and-fairness`). */
  readonly priorityAndFairness: boolean
  /** Processes of the node that serve clients: each has its part of the limits. At least 1. */
  readonly processes: number
}

export const defaultFlowControl: FlowControlOptions = {
  maxRequestsInflight: 400,
  maxMutatingRequestsInflight: 200,
  priorityAndFairness: true,
  processes: 1,
}

/** The part of one process: rounded up, so that nobody is left without. */
export function partOf(limit: number, { processes }: Pick<FlowControlOptions, 'processes'>): number {
  return Math.ceil(limit / processes)
}
