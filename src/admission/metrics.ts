/** How long plugins take. Names and labels are those that dashboards of this API know. */

import { Histogram, labelText, type Series } from '../observe/exposition.ts'
import type { AdmissionObserver, Operation, Phase, Times } from './admission.ts'

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

  constructor(nowMs: () => number) {
    this.nowMs = nowMs
  }

  timesOf(name: string, phase: Phase): Times {
    const histogram = name === '' ? this.#steps : this.#plugins
    return new SeriesTimes((operation, rejected) =>
      histogram.series(labelsOf(name, phase, operation, rejected)),
    )
  }

  readonly text = (): string => this.#steps.text() + this.#plugins.text()
}

type SeriesByOperation = Partial<Record<Operation, Series>>

/** A request that many plugins see looks nothing up by labels: each series is found once, when it is first needed. */
class SeriesTimes implements Times {
  readonly #find: (operation: Operation, rejected: boolean) => Series
  readonly #accepted: SeriesByOperation = {}
  readonly #rejected: SeriesByOperation = {}

  constructor(find: (operation: Operation, rejected: boolean) => Series) {
    this.#find = find
  }

  took(operation: Operation, rejected: boolean, tookMs: number): void {
    const known = rejected ? this.#rejected : this.#accepted
    let series = known[operation]
    if (series === undefined) {
      series = this.#find(operation, rejected)
      known[operation] = series
    }
    series.observe(tookMs / 1000)
  }
}

function labelsOf(name: string, phase: Phase, operation: Operation, rejected: boolean): string {
  const type = phase === 'mutate' ? 'admit' : 'validate'
  return labelText({ ...(name === '' ? {} : { name }), operation, rejected: String(rejected), type })
}
