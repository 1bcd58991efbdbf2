/** What webhooks cost and decide. Names and labels are those that dashboards of this API know. */

import { Histogram, labelText, Numbers } from '../../observe/exposition.ts'
import type { Operation } from '../admission.ts'
import type { Hook } from './hook.ts'

const bounds = [0.005, 0.025, 0.1, 0.5, 1, 2.5, 10, 25]

type RejectionCause = 'calling_webhook_error' | 'apiserver_internal_error' | 'no_error'

export class HookMetrics {
  readonly #durations = new Histogram(
    'apiserver_admission_webhook_admission_duration_seconds',
    'Time that a webhook took for a request.',
    bounds,
  )
  readonly #requests = new Numbers(
    'apiserver_admission_webhook_request_total',
    'Requests that a webhook was asked about, by its answer.',
    'counter',
  )
  readonly #rejections = new Numbers(
    'apiserver_admission_webhook_rejection_count',
    'Requests that were refused because of a webhook, by the cause.',
    'counter',
  )
  readonly #failedOpen = new Numbers(
    'apiserver_admission_webhook_fail_open_count',
    'Requests that went on although a webhook gave no answer.',
    'counter',
  )

  /** @param code of the answer to the client, as far as this webhook decides it: 200, or that of its refusal */
  asked(hook: Hook, operation: Operation, rejected: boolean, code: number, tookMs: number): void {
    const type = typeOf(hook)
    const labels = { name: hook.name, operation, rejected: String(rejected), type }
    this.#durations.observe(labelText(labels), tookMs / 1000)
    this.#requests.add(labelText({ code: String(code), ...labels }), 1)
  }

  rejected(hook: Hook, operation: Operation, cause: RejectionCause, code: number): void {
    this.#rejections.add(
      labelText({
        error_type: cause,
        name: hook.name,
        operation,
        rejection_code: String(code),
        type: typeOf(hook),
      }),
      1,
    )
  }

  failedOpen(hook: Hook): void {
    this.#failedOpen.add(labelText({ name: hook.name, type: typeOf(hook) }), 1)
  }

  readonly text = (): string =>
    this.#durations.text() + this.#requests.text() + this.#rejections.text() + this.#failedOpen.text()
}

function typeOf({ kind }: Hook): string {
  return kind === 'mutating' ? 'admit' : 'validating'
}
