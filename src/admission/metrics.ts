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
  /** By plugin ('' = all), phase and operation: texts that are there already, so that none is made to look them up. */
  readonly #labels = new Map<string, Map<Phase, Map<Operation, Labels>>>()

  constructor(nowMs: () => number) {
    this.nowMs = nowMs
  }

  plugin(name: string, phase: Phase, operation: Operation, rejected: boolean, tookMs: number): void {
    this.#plugins.observe(this.#labelsOf(name, phase, operation, rejected), tookMs / 1000)
  }

  step(phase: Phase, operation: Operation, rejected: boolean, tookMs: number): void {
    this.#steps.observe(this.#labelsOf('', phase, operation, rejected), tookMs / 1000)
  }

  readonly text = (): string => this.#steps.text() + this.#plugins.text()

  #labelsOf(name: string, phase: Phase, operation: Operation, rejected: boolean): string {
    let labels = this.#labels.get(name)?.get(phase)?.get(operation)
    if (labels === undefined) {
      labels = makeLabels(name, phase, operation)
      const phases = this.#labels.get(name) ?? new Map<Phase, Map<Operation, Labels>>()
      const operations = phases.get(phase) ?? new Map<Operation, Labels>()
      this.#labels.set(name, phases.set(phase, operations.set(operation, labels)))
    }
    return labels[rejected ? 1 : 0]
  }
}

type Labels = readonly [accepted: string, rejected: string]

function makeLabels(name: string, phase: Phase, operation: Operation): Labels {
  const type = phase === 'mutate' ? 'admit' : 'validate'
  const of = (rejected: string): string =>
    labelText({ ...(name === '' ? {} : { name }), operation, rejected, type })
  return [of('false'), of('true')]
}
