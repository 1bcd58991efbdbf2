/** What conversion webhooks cost and how they fail. Names and labels are those that dashboards of this API know. */

import { Histogram, labelText, Numbers } from '../../observe/exposition.ts'

export type FailureType =
  | 'conversion_webhook_call_failure'
  | 'conversion_webhook_malformed_response_failure'
  | 'conversion_webhook_partial_response_failure'
  | 'conversion_webhook_invalid_converted_object_failure'

const callBounds = [0.005, 0.01, 0.02, 0.05, 0.1, 0.2, 0.5, 1, 2, 5, 10, 20, 30, 45, 60]
/** 1 ms and its doubles. */
const definitionBounds = Array.from({ length: 15 }, (_, power) => 2 ** power / 1000)

interface Call {
  /** Name of the definition. */
  readonly definition: string
  /** Versions without their group. */
  readonly from: string
  readonly to: string
  readonly tookMs: number
  /** Undefined = it succeeded. */
  readonly failure: FailureType | undefined
}

export class ConversionMetrics {
  readonly #requests = new Numbers(
    'apiserver_conversion_webhook_request_total',
    'Requests to conversion webhooks, by their outcome and what they failed of.',
    'counter',
  )
  readonly #durations = new Histogram(
    'apiserver_conversion_webhook_duration_seconds',
    'Time that a request to a conversion webhook took.',
    callBounds,
  )
  readonly #byDefinition = new Histogram(
    'apiserver_crd_conversion_webhook_duration_seconds',
    'Time that a conversion through a webhook took, by definition and versions.',
    definitionBounds,
  )

  called({ definition, from, to, tookMs, failure }: Call): void {
    const labels = labelText({
      failure_type: failure ?? '',
      result: failure === undefined ? 'success' : 'failure',
    })
    this.#requests.add(labels, 1)
    this.#durations.observe(labels, tookMs / 1000)
    this.#byDefinition.observe(
      labelText({
        crd_name: definition,
        from_version: from,
        succeeded: String(failure === undefined),
        to_version: to,
      }),
      tookMs / 1000,
    )
  }

  readonly text = (): string => this.#requests.text() + this.#durations.text() + this.#byDefinition.text()
}
