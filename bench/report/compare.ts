/**
 * Two reports side by side: how the second's figures stand to the first's.
 */

import type { Metric } from '../measure/sample.ts'
import type { Report } from './report.ts'
import { rowOf } from './report.ts'
import { formatMetric, formatNumber, formatTable } from './table.ts'

const compared: readonly Metric[] = [
  'serverCpuUs',
  'serverInstructions',
  'operationsPerSecond',
  'p50Us',
  'p99Us',
  'serverMiB',
  'eachKiB',
  'readyMs',
]

const labels: Readonly<Partial<Record<Metric, string>>> = {
  serverCpuUs: 'server CPU',
  serverInstructions: 'instructions',
  operationsPerSecond: 'rate',
  p50Us: 'p50',
  p99Us: 'p99',
  serverMiB: 'memory',
  eachKiB: 'memory each',
  readyMs: 'ready',
}

/** A line for each scenario and figure that both have. Ratio = second / first. */
export function formatComparison(first: Report, second: Report): string {
  const rows = first.rows.flatMap((row) => {
    const before = row.summary?.metrics
    const after = rowOf(second, row.scenario, row.target)?.summary?.metrics
    if (before === undefined || after === undefined) return []
    return compared.flatMap((metric) => {
      const a = before[metric]
      const b = after[metric]
      if (a === undefined || b === undefined) return []
      const where = [row.scenario, row.target, labels[metric] ?? metric]
      return [[...where, formatMetric(metric, a), formatMetric(metric, b), `${formatNumber(b / a)}×`]]
    })
  })
  const header = ['scenario', 'target', 'figure', 'first', 'second', 'ratio']
  return formatTable(header, rows, ['left', 'left', 'left', 'right', 'right', 'right'])
}
