/**
 * Counters, gauges and histograms in the Prometheus text format, made for hot paths: the caller keeps the labels as
 * ready text, so counting is one look-up and one addition.
 *
 * Source: Prometheus text exposition format, version 0.0.4.
 */

import { helpPrefix } from './stability.ts'

type MetricType = 'counter' | 'gauge' | 'histogram'

/** `name="value"` pairs, sorted as given: the text between the braces. */
export function labelText(labels: Readonly<Record<string, string>>): string {
  return Object.entries(labels)
    .map(([name, value]) => `${name}="${escapeValue(value)}"`)
    .join(',')
}

function escapeValue(value: string): string {
  return value.replaceAll('\\', '\\\\').replaceAll('"', '\\"').replaceAll('\n', '\\n')
}

/** `help` without the level of stability: that comes from the name. */
export function header(name: string, help: string, type: MetricType): string {
  return `# HELP ${name} ${helpPrefix(name)}${help}\n# TYPE ${name} ${type}\n`
}

export function sample(name: string, labels: string, value: number): string {
  return labels === '' ? `${name} ${value}\n` : `${name}{${labels}} ${value}\n`
}

/** A counter or gauge with any number of label sets. */
export class Numbers {
  readonly #name: string
  readonly #help: string
  readonly #type: MetricType
  readonly #values = new Map<string, number>()

  constructor(name: string, help: string, type: 'counter' | 'gauge') {
    this.#name = name
    this.#help = help
    this.#type = type
  }

  set(labels: string, value: number): void {
    this.#values.set(labels, value)
  }

  add(labels: string, amount: number): void {
    this.#values.set(labels, (this.#values.get(labels) ?? 0) + amount)
  }

  text(): string {
    let text = header(this.#name, this.#help, this.#type)
    for (const [labels, value] of this.#values) text += sample(this.#name, labels, value)
    return text
  }
}

/** What a histogram has counted under one set of labels. */
export class Series {
  /** Not cumulative; the last one is beyond the largest bound. */
  readonly counts: number[]
  sum = 0
  readonly #bounds: readonly number[]

  constructor(bounds: readonly number[]) {
    this.#bounds = bounds
    this.counts = bounds.map(() => 0)
    this.counts.push(0)
  }

  observe(value: number): void {
    let at = 0
    while (at < this.#bounds.length && value > (this.#bounds[at] ?? 0)) at++
    this.counts[at] = (this.counts[at] ?? 0) + 1
    this.sum += value
  }
}

/** As Prometheus servers and their clients write numbers in labels: `2.592e+06`. Undefined = beyond all bounds. */
export function boundText(bound: number | undefined): string {
  if (bound === undefined) return '+Inf'
  if (bound < 1e6) return String(bound)
  return bound.toExponential().replace(/\+(\d)$/, '+0$1')
}

/** A histogram with any number of label sets. */
export class Histogram {
  readonly #name: string
  readonly #help: string
  readonly #bounds: readonly number[]
  readonly #values = new Map<string, Series>()

  constructor(name: string, help: string, bounds: readonly number[]) {
    this.#name = name
    this.#help = help
    this.#bounds = bounds
  }

  observe(labels: string, value: number): void {
    this.series(labels).observe(value)
  }

  /** For one that is told of often: to find it once. It is printed from here on. */
  series(labels: string): Series {
    let series = this.#values.get(labels)
    if (series === undefined) {
      series = new Series(this.#bounds)
      this.#values.set(labels, series)
    }
    return series
  }

  text(): string {
    let text = header(this.#name, this.#help, 'histogram')
    for (const [labels, { counts, sum }] of this.#values) {
      const prefix = labels === '' ? '' : `${labels},`
      let total = 0
      for (const [index, count] of counts.entries()) {
        total += count
        text += sample(`${this.#name}_bucket`, `${prefix}le="${boundText(this.#bounds[index])}"`, total)
      }
      text += sample(`${this.#name}_sum`, labels, sum) + sample(`${this.#name}_count`, labels, total)
    }
    return text
  }
}
