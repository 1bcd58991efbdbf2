/**
 * Tables for the terminal: aligned columns, figures beside the baseline's and the goal.
 */

import { floorsOf } from '../floors.ts'
import type { Metric, Metrics } from '../measure/sample.ts'
import { type Report, type Row, rowOf } from './report.ts'

export type Align = 'left' | 'right'

/** Lines of a table whose columns are as wide as their widest cell. */
export function formatTable(
  header: readonly string[],
  rows: readonly (readonly string[])[],
  align: readonly Align[],
): string {
  const widths = header.map((title, i) => Math.max(title.length, ...rows.map((row) => row[i]?.length ?? 0)))
  const line = (cells: readonly string[]) =>
    cells
      .map((cell, i) => (align[i] === 'left' ? cell.padEnd(widths[i] ?? 0) : cell.padStart(widths[i] ?? 0)))
      .join('  ')
      .trimEnd()
  const rule = widths.map((width) => '─'.repeat(width))
  return [line(header), line(rule), ...rows.map(line)].join('\n')
}

/** Three significant figures, thousands apart. `undefined` = a dash. */
export function formatNumber(value: number | undefined): string {
  if (value === undefined || !Number.isFinite(value)) return '–'
  const digits = value === 0 ? 0 : Math.max(0, 2 - Math.floor(Math.log10(Math.abs(value))))
  return value.toLocaleString('en-US', { minimumFractionDigits: digits, maximumFractionDigits: digits })
}

/** Microseconds as people read them. */
export function formatUs(us: number | undefined): string {
  if (us === undefined) return '–'
  return us < 10_000 ? `${formatNumber(us)} µs` : `${formatNumber(us / 1000)} ms`
}

/** In thousands; empty where they were not counted. */
function formatInstructions(count: number | undefined): string {
  return count === undefined ? '' : `${formatNumber(count / 1000)} k`
}

const memoryScenario = (metrics: Metrics) => metrics.serverCpuUs === undefined

/** The figure that a scenario is about: that of its goal, else a time to be ready, else the server's cost or memory. */
export function mainMetric(row: Row): Metric {
  const { readyMs, serverCpuUs, serverMiB } = row.summary?.metrics ?? {}
  if (row.goal !== undefined) return row.goal.metric
  if (readyMs !== undefined) return 'readyMs'
  return serverCpuUs === undefined && serverMiB !== undefined ? 'serverMiB' : 'serverCpuUs'
}

export function formatMetric(metric: Metric, value: number | undefined): string {
  if (value === undefined) return '–'
  if (metric === 'serverInstructions') return formatInstructions(value)
  if (metric.endsWith('Us')) return formatUs(value)
  if (metric.endsWith('MiB')) return `${formatNumber(value)} MiB`
  if (metric.endsWith('KiB')) return `${formatNumber(value)} KiB`
  if (metric.endsWith('Ms')) return `${formatNumber(value)} ms`
  if (metric === 'megabytesPerSecond') return `${formatNumber(value)} MB/s`
  return `${formatNumber(value)}/s`
}

const header = [
  'scenario',
  'per',
  'measured',
  'goal',
  'baseline',
  'ratio',
  'per s',
  'p50',
  'p99',
  'p99.9',
  'instructions',
  'client CPU',
  'memory',
]
const align: readonly Align[] = ['left', 'left', ...header.slice(2).map(() => 'right' as const)]

/** The server's rows; the baseline's main figure beside each, and the ratio of the two. */
export function formatReport(report: Report): string {
  const targets = new Set(report.rows.map((row) => row.target))
  const measured = targets.has('server') ? 'server' : 'baseline'
  const rows = report.rows
    .filter((row) => row.target === measured)
    .map((row) => cells(row, measured === 'server' ? rowOf(report, row.scenario, 'baseline') : undefined))
  return formatTable(header, rows, align)
}

function cells(row: Row, baseline: Row | undefined): readonly string[] {
  const metrics = row.summary?.metrics
  if (metrics === undefined) return [row.title, row.unit, row.skipped === undefined ? 'FAILED' : 'skipped']
  const metric = mainMetric(row)
  const value = metrics[metric]
  const base = baseline?.summary?.metrics[metric]
  const goal = row.goal?.atMost
  const verdict = goal === undefined || value === undefined ? '' : value <= goal ? ' ✓' : ' ✗'
  return [
    row.title,
    row.unit,
    formatMetric(metric, value),
    goal === undefined ? '' : `≤ ${formatMetric(metric, goal)}${verdict}`,
    formatMetric(metric, base),
    value === undefined || base === undefined ? '–' : formatRatio(value / base, row),
    formatNumber(metrics.operationsPerSecond),
    formatUs(metrics.p50Us),
    formatUs(metrics.p99Us),
    formatUs(metrics.p999Us),
    formatInstructions(metrics.serverInstructions),
    formatUs(metrics.clientCpuUs),
    memoryScenario(metrics) && metrics.emptyMiB !== undefined
      ? `${formatMetric('serverMiB', metrics.serverMiB)} (empty ${formatMetric('emptyMiB', metrics.emptyMiB)})`
      : formatMetric('serverMiB', metrics.serverMiB),
  ]
}

/** The ratio to the baseline, beside the one that the design's table has. */
function formatRatio(ratio: number, { goal }: Row): string {
  const there = goal?.baselineThere
  if (goal === undefined || there === undefined) return `${formatNumber(ratio)}×`
  const atMost = goal.atMost / there
  return `${formatNumber(ratio)}× (≤ ${formatNumber(atMost)}×) ${ratio <= atMost ? '✓' : '✗'}`
}

export function isFloor({ target }: Row): boolean {
  return target.startsWith('floor: ')
}

/** What durability, or TLS, alone costs, beside the server. */
export function formatFloors(report: Report): string {
  const rows = report.rows
    .filter((row) => isFloor(row) && floorsOf(row.scenario).some((floor) => row.target === `floor: ${floor}`))
    .map((row) => {
      const cost = row.summary?.metrics.serverCpuUs
      const bare = rowOf(report, row.scenario, 'baseline')?.summary?.metrics.serverCpuUs
      const server = rowOf(report, row.scenario, 'server')?.summary?.metrics.serverCpuUs
      return [
        `${row.title}, ${row.target}`,
        formatUs(cost),
        cost === undefined || bare === undefined ? '–' : `${formatNumber(cost / bare)}×`,
        cost === undefined || server === undefined ? '–' : `${formatNumber(server / cost)}×`,
        formatInstructions(row.summary?.metrics.serverInstructions),
        formatUs(row.summary?.metrics.p50Us),
        formatUs(row.summary?.metrics.p99Us),
      ]
    })
  const titles = ['floor', 'server CPU', 'of the bare server', 'the server is', 'instructions', 'p50', 'p99']
  return formatTable(titles, rows, ['left', ...titles.slice(1).map(() => 'right' as const)])
}

/** Everything that went wrong, one line each; none = all was well. */
export function faultLines(report: Report): readonly string[] {
  return report.rows.flatMap((row) => {
    const where = `${row.target}, ${row.scenario}`
    const failed = row.failed === undefined ? [] : [`${where}: could not be measured: ${row.failed}`]
    return [...failed, ...(row.summary?.faults ?? []).map((fault) => `${where}: ${fault}`)]
  })
}

export function skippedLines(report: Report): readonly string[] {
  return report.rows.flatMap((row) =>
    row.skipped === undefined ? [] : [`${row.target}, ${row.scenario}: skipped, ${row.skipped}`],
  )
}
