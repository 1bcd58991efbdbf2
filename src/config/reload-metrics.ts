/** How often a configuration file was taken over, and when last. Names are those that dashboards of this API know. */

import type { Clock } from '../../store/contract.ts'
import { header, labelText, sample } from '../observe/exposition.ts'

interface ReloadMetrics {
  record(status: 'success' | 'failure'): void
  text(): string
}

interface ReloadMetricsParts {
  readonly subject: 'authentication' | 'authorization'
  readonly clock: Clock
  /** Tells servers apart: the digest of a name that each has for itself. */
  readonly serverIdHash: string
}

export function createReloadMetrics({ subject, clock, serverIdHash }: ReloadMetricsParts): ReloadMetrics {
  const prefix = `apiserver_${subject}_config_controller_automatic_reload`
  const counts = new Map<string, { count: number; lastMs: number }>()
  return {
    record(status) {
      const labels = labelText({ apiserver_id_hash: serverIdHash, status })
      counts.set(labels, { count: (counts.get(labels)?.count ?? 0) + 1, lastMs: clock.wallMs() })
    },
    text() {
      let totals = header(`${prefix}s_total`, `Reloads of the ${subject} configuration.`, 'counter')
      let times = header(
        `${prefix}_last_timestamp_seconds`,
        `Time of the last reload of the ${subject} configuration, by what came of it.`,
        'gauge',
      )
      for (const [labels, { count, lastMs }] of counts) {
        totals += sample(`${prefix}s_total`, labels, count)
        times += sample(`${prefix}_last_timestamp_seconds`, labels, lastMs / 1000)
      }
      return totals + times
    },
  }
}
