/** What authorization webhooks are asked and answer. Names and labels are those that dashboards of this API know. */

import { Histogram, labelText, Numbers } from '../../observe/exposition.ts'
import { DecisionCounts } from '../decision-counts.ts'

const secondBounds = [0.005, 0.025, 0.1, 0.5, 1, 2.5, 10, 15, 25]
const conditionBounds = [0.001, 0.005, 0.01, 0.025, 0.1, 0.2, 0.25]

export class WebhookMetrics {
  readonly decisions = new DecisionCounts()
  readonly #evaluations = new Numbers(
    'apiserver_authorization_webhook_evaluations_total',
    'Round-trips to authorization webhooks.',
    'counter',
  )
  readonly #durations = new Histogram(
    'apiserver_authorization_webhook_duration_seconds',
    'Time until an authorization webhook answered or was given up.',
    secondBounds,
  )
  readonly #failOpen = new Numbers(
    'apiserver_authorization_webhook_evaluations_fail_open_total',
    'Failures of authorization webhooks that left the word to the next authorizer.',
    'counter',
  )
  readonly #conditionErrors = new Numbers(
    'apiserver_authorization_match_condition_evaluation_errors_total',
    'Requests for which a match condition could not be evaluated.',
    'counter',
  )
  readonly #exclusions = new Numbers(
    'apiserver_authorization_match_condition_exclusions_total',
    'Requests that a webhook was not asked about because a match condition did not hold.',
    'counter',
  )
  readonly #conditionSeconds = new Histogram(
    'apiserver_authorization_match_condition_evaluation_seconds',
    'Time that the match conditions of a webhook took.',
    conditionBounds,
  )

  asked(name: string, result: 'success' | 'timeout' | 'error', seconds: number): void {
    const labels = labelText({ name, result })
    this.#evaluations.add(labels, 1)
    this.#durations.observe(labels, seconds)
  }

  failedOpen(name: string, result: 'timeout' | 'error'): void {
    this.#failOpen.add(labelText({ name, result }), 1)
  }

  conditions(name: string, outcome: 'match' | 'excluded' | 'error', seconds: number): void {
    const labels = labelText({ name, type: 'Webhook' })
    this.#conditionSeconds.observe(labels, seconds)
    if (outcome === 'excluded') this.#exclusions.add(labels, 1)
    if (outcome === 'error') this.#conditionErrors.add(labels, 1)
  }

  text(): string {
    return (
      this.decisions.text() +
      this.#evaluations.text() +
      this.#durations.text() +
      this.#failOpen.text() +
      this.#conditionErrors.text() +
      this.#exclusions.text() +
      this.#conditionSeconds.text()
    )
  }
}
