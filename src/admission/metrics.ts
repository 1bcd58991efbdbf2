/** How long plugins take. Names and labels are those that dashboards of this API know. */

import { Histogram, labelText } from '../observe/exposition.ts'
import type { AdmissionObserver, Operation, Phase } from './admission.ts'

const bounds = [0.005, 0.025, 0.1, 0.5, 1, 2.5]

/** @param nowMs monotonic */
export class AdmissionMetrics implements AdmissionObserver {
  readonly nowMs: () => number
  readonly #plugins = new Histogram(
    'apiserver_admission_controller_admission_duration_seconds',
    'Time that a plugin took for a request.',
    bounds,
  )
  readonly #steps = new Histogram(
    'apiserver_admission_step_admission_duration_seconds',
    'Time that all plugins of a step took for a request.',
    bounds,
  )
  readonly #labels = new Map<string, readonly [accepted: string, rejected: string]>()

  constructor(nowMs: () => number) {
    this.nowMs = nowMs
  }

  plugin(name: string, phase: Phase, operation: Operation, rejected: boolean, tookMs: number): void {
    this.#plugins.observe(this.#labelsOf(name, phase, operation, rejected), tookMs / 1000)
  }

  step(phase: Phase, operation: Operation, rejected: boolean, tookMs: number): void {
    this.#steps.observe(this.#labelsOf(undefined, phase, operation, rejected), tookMs / 1000)
  }

  readonly text = (): string => this.#steps.text() + this.#plugins.text()

  #labelsOf(name: string | undefined, phase: Phase, operation: Operation, rejected: boolean): string {
    const key = `${phase} ${operation} ${name ?? ''}`
    let both = this.#labels.get(key)
    if (both === undefined) {
      const of = (value: string): string =>
        labelText({
          ...(name === undefined ? {} : { name }),
          operation,
          rejected: value,
          type: phase === 'mutate' ? 'admit' : 'validate',
        })
      both = [of('false'), of('true')]
      this.#labels.set(key, both)
    }
    return both[rejected ? 1 : 0]
  }
}
