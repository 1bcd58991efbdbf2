/** How the checks of health went when somebody asked: service level indicators. Names and labels are the original's. */

import type { HealthEndpoint } from '../discovery/health.ts'
import type { Names } from '../names/names.ts'
import { labelText, Numbers } from './exposition.ts'

export class HealthMetrics {
  readonly #healthy: Numbers
  readonly #checks: Numbers

  constructor({ product }: Names) {
    this.#healthy = new Numbers(`${product}_healthcheck`, 'How a check went last: 1 = well.', 'gauge')
    this.#checks = new Numbers(
      `${product}_healthchecks_total`,
      'How often a check went well, and not.',
      'counter',
    )
  }

  checked(name: string, type: HealthEndpoint, healthy: boolean): void {
    this.#healthy.set(labelText({ name, type }), healthy ? 1 : 0)
    this.#checks.add(labelText({ name, type, status: healthy ? 'success' : 'error' }), 1)
  }

  readonly text = (): string => this.#healthy.text() + this.#checks.text()
}

/** Families of {@link HealthMetrics}, and the age of the process: what `/metrics/slis` shows. */
export function splitIndicators(
  { product }: Names,
  text: string,
): { readonly metrics: string; readonly indicators: string } {
  const own = new RegExp(`^(?:# (?:HELP|TYPE) )?${product}_healthchecks?(?:_total)?[ {]`)
  const shared = /^(?:# (?:HELP|TYPE) )?process_start_time_seconds[ {]/
  let metrics = ''
  let indicators = ''
  for (const line of text.split('\n')) {
    if (line === '') continue
    if (own.test(line) || shared.test(line)) indicators += `${line}\n`
    if (!own.test(line)) metrics += `${line}\n`
  }
  return { metrics, indicators }
}
