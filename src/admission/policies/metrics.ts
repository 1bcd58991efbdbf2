/** What policies decide. Names and labels are those that dashboards of this API know. */

import { Histogram, labelText, Numbers } from '../../observe/exposition.ts'
import type { Action } from './policy.ts'

const bounds = [0.0000005, 0.001, 0.01, 0.1, 1]

export class PolicyMetrics {
  readonly #checks = new Numbers(
    'apiserver_validating_admission_policy_check_total',
    'Rules of policies that were not kept or could not be evaluated, by what that led to.',
    'counter',
  )
  readonly #durations = new Histogram(
    'apiserver_validating_admission_policy_check_duration_seconds',
    'Time that a policy took for a request for which it had something to say.',
    bounds,
  )

  /** @param action undefined = it was let pass */
  found(policy: string, binding: string, action: Action | undefined, isError: boolean, tookMs: number): void {
    const labels = labelText({
      enforcement_action: (action ?? 'allow').toLowerCase(),
      error_type: isError ? 'invalid_error' : 'no_error',
      policy,
      policy_binding: binding,
    })
    this.#checks.add(labels, 1)
    this.#durations.observe(labels, tookMs / 1000)
  }

  readonly text = (): string => this.#checks.text() + this.#durations.text()
}
