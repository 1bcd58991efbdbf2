/**
 * Two reports side by side: how the second's figures stand to the first's; and a report beside that of a reference
 * server, by which goals become shares.
 */

import type { Metric } from '../measure/sample.ts'
import type { Report, Row } from './report.ts'
import { rowOf, serverName } from './report.ts'
import { type Align, formatMetric, formatNumber, formatTable, formatUs, mainMetric } from './table.ts'

/** What both reports have of one scenario on their servers. */
export interface Pair {
  readonly first: Row
  readonly second: Row
  /** What the scenario is about, in both. */
  readonly metric: Metric
  readonly before: number
  readonly after: number
}

/** Scenarios whose main figure both have, in the first's order. */
export function pairsOf(first: Report, second: Report, target = 'server'): readonly Pair[] {
  return first.rows
    .filter((row) => row.target === target)
    .flatMap((row) => {
      const other = rowOf(second, row.scenario, target)
      const metric = mainMetric(row)
      const before = row.summary?.metrics[metric]
      const after = other?.summary?.metrics[metric]
      if (other === undefined || before === undefined || after === undefined || before === 0) return []
      return [{ first: row, second: other, metric, before, after }]
    })
}

const figures: readonly (readonly [title: string, metric: Metric])[] = [
  ['per s', 'operationsPerSecond'],
  ['p50', 'p50Us'],
  ['p99', 'p99Us'],
  ['p99.9', 'p999Us'],
  ['memory', 'serverMiB'],
  ['instructions', 'serverInstructions'],
]

/**
 * A line for each scenario that both have: the main figures and their ratio, second / first, then the ratios of the
 * others. Below 1 is less: better for all but `per s`.
 */
export function formatComparison(first: Report, second: Report): string {
  const pairs = pairsOf(first, second)
  const shown = figures.filter(([, metric]) => pairs.some((pair) => ratioOf(pair, metric) !== undefined))
  const rows = pairs.map((pair) => [
    pair.first.title,
    pair.first.unit,
    formatMetric(pair.metric, pair.before),
    formatMetric(pair.metric, pair.after),
    `${formatNumber(pair.after / pair.before)}×`,
    ...shown.map(([, metric]) => formatRatio(ratioOf(pair, metric))),
  ])
  const header = ['scenario', 'per', 'first', 'second', 'ratio', ...shown.map(([title]) => `${title} ×`)]
  return [
    `first:  ${describe(first)}`,
    `second: ${describe(second)}`,
    ...machineLines(first, second),
    '',
    formatTable(header, rows, alignOf(header)),
  ].join('\n')
}

function describe(report: Report): string {
  const { machine } = report
  return `${serverName(report)}, ${report.at.slice(0, 10)}, ${machine.cpus} × ${machine.cpuModel || 'unknown processor'}, generator on Node ${machine.node}`
}

/** How the bare server, which is the same in both, did in each: what the machine's mood makes of the ratios. */
function machineLines(first: Report, second: Report): readonly string[] {
  const ratios = pairsOf(first, second, 'baseline')
    .filter(({ metric }) => metric === 'serverCpuUs')
    .map(({ before, after }) => after / before)
    .sort((a, b) => a - b)
  if (ratios.length === 0) return []
  const [least, middle, most] = [0, ratios.length >> 1, ratios.length - 1].map((at) =>
    formatRatio(ratios[at]),
  )
  return [`the bare server of each run, second / first: ${middle} in the middle, ${least} to ${most}`]
}

function ratioOf({ first, second, metric: main }: Pair, metric: Metric): number | undefined {
  const a = first.summary?.metrics[metric]
  const b = second.summary?.metrics[metric]
  return metric === main || a === undefined || b === undefined || a === 0 ? undefined : b / a
}

function formatRatio(ratio: number | undefined): string {
  return ratio === undefined ? '' : `${formatNumber(ratio)}×`
}

/** Which part of the reference server's figure the goal is, in the design's table; undefined = the table has none. */
export function goalShare({ goal }: Row): number | undefined {
  return goal?.referenceThere === undefined ? undefined : goal.atMost / goal.referenceThere
}

/** The report's figures as shares of a reference server's, measured here; the goals, too. */
export function formatReference(report: Report, reference: Report): string {
  const rows = pairsOf(reference, report).map(({ second, metric, before, after }) => {
    const share = goalShare(second)
    const ratio = after / before
    return [
      second.title,
      second.unit,
      formatMetric(metric, after),
      formatMetric(metric, before),
      `${formatNumber(ratio)}×`,
      share === undefined ? '' : `≤ ${formatNumber(share)}× ${ratio <= share ? '✓' : '✗'}`,
      share === undefined ? '' : `≤ ${formatMetric(metric, before * share)}`,
      formatUs(second.summary?.metrics.p99Us),
      formatUs(rowOf(reference, second.scenario, 'server')?.summary?.metrics.p99Us),
    ]
  })
  const header = ['scenario', 'per', 'measured', 'reference', 'ratio', 'goal', 'goal here', 'p99', 'its p99']
  return `reference: ${describe(reference)}\n\n${formatTable(header, rows, alignOf(header))}`
}

function alignOf(header: readonly string[]): readonly Align[] {
  return header.map((_, i) => (i < 2 ? 'left' : 'right'))
}
