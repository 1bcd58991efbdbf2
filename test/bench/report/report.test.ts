import t from 'tap'
import { formatComparison, formatReference } from '../../../bench/report/compare.ts'
import { drawPlots } from '../../../bench/report/plots.ts'
import { drawRatios } from '../../../bench/report/ratios.ts'
import type { Report, Row } from '../../../bench/report/report.ts'
import { linearScale, logScale } from '../../../bench/report/svg.ts'
import {
  faultLines,
  formatNumber,
  formatReport,
  formatUs,
  skippedLines,
} from '../../../bench/report/table.ts'

function row(target: string, serverCpuUs: number, more: Partial<Row> = {}): Row {
  return {
    scenario: 'create',
    title: 'create <1 KiB>',
    unit: 'request',
    target,
    goal: { metric: 'serverCpuUs', atMost: 240, baselineThere: 120 },
    summary: {
      metrics: { serverCpuUs, operationsPerSecond: 1000, p50Us: 900, p99Us: 12_000, serverMiB: 100 },
      runs: [],
      latencyCurve: [
        [50, 900],
        [100, 12_000],
      ],
      faults: [],
    },
    ...more,
  }
}

function report(...rows: Row[]): Report {
  const machine = { cpus: 2, cpuModel: '', node: 'v20.15.0' }
  return { format: 1, at: '2024-01-01T00:00:00Z', machine, settings: {}, rows }
}

t.test('numbers have three significant figures', (t) => {
  const table: [number | undefined, string][] = [
    [undefined, '–'],
    [0, '0'],
    [0.01234, '0.0123'],
    [2.71999, '2.72'],
    [1234.5, '1,235'],
  ]
  for (const [value, text] of table) t.equal(formatNumber(value), text)
  t.equal(formatUs(9999), '9,999 µs')
  t.equal(formatUs(30_000), '30.0 ms')
  t.end()
})

t.test('the table sets the baseline and the goal beside each figure', (t) => {
  const text = formatReport(report(row('server', 300), row('baseline', 100)))
  t.match(text, /create <1 KiB> +request +300 µs +≤ 240 µs ✗ +100 µs +3\.00× \(≤ 2\.00×\) ✗/)
  t.match(formatReport(report(row('server', 200), row('baseline', 100))), /≤ 240 µs ✓ .*2\.00×\) ✓/)
  t.end()
})

t.test('failures, faults and skipped scenarios are named', (t) => {
  const { summary: _, ...bare } = row('server', 1)
  const failed: Row = { ...bare, failed: 'refused' }
  const skipped: Row = { ...bare, skipped: 'not there' }
  t.match(formatReport(report(failed)), /FAILED/)
  t.same(faultLines(report(failed)), ['server, create: could not be measured: refused'])
  t.same(faultLines(report(skipped)), [])
  t.same(skippedLines(report(skipped)), ['server, create: skipped, not there'])
  const summary = { metrics: {}, runs: [], latencyCurve: [], faults: ['2 × event missing'] }
  t.same(faultLines(report(row('server', 1, { summary }))), ['server, create: 2 × event missing'])
  t.end()
})

t.test('a comparison sets the second report beside the first, a line for each scenario', (t) => {
  const first = { ...report(row('server', 300), row('baseline', 10)), server: 'another <server>' }
  const second = report(row('server', 150), row('baseline', 11))
  const text = formatComparison(first, second)
  t.match(text, /^first: {2}another <server>, 2024-01-01, 2 × unknown processor/m)
  t.match(text, /^the bare server of each run, second \/ first: 1\.10×/m)
  t.match(text, /^create <1 KiB> +request +300 µs +150 µs +0\.500× +1\.00×/m)
  t.equal(text.match(/^create/gm)?.length, 1)
  const svg = drawRatios(first, second) ?? ''
  t.match(svg, /^<svg xmlns=.*<\/svg>\n$/s)
  t.match(svg, /this server, against another &lt;server&gt;/)
  t.match(svg, /0\.500×<.*>150 µs : 300 µs/s)
  t.notMatch(svg, /NaN|undefined/)
  t.equal(drawRatios(report(), second), undefined, 'nothing in common, nothing drawn')
  t.end()
})

t.test('beside a reference server goals are shares of its figures', (t) => {
  const goal = { metric: 'serverCpuUs', atMost: 240, referenceThere: 1000 } as const
  const reference = { ...report(row('server', 400, { goal })), server: 'another' }
  const line = (us: number) => formatReference(report(row('server', us, { goal })), reference)
  t.match(line(100), /create <1 KiB> +request +100 µs +400 µs +0\.250× +≤ 0\.240× ✗ +≤ 96\.0 µs/)
  t.match(line(90), /0\.225× +≤ 0\.240× ✓/)
  t.end()
})

t.test('plots are well-formed, labelled, and escape what they are told', (t) => {
  const plots = drawPlots(
    report(
      row('server', 300),
      row('server', 4, { scenario: 'fanout-saturated-10', unit: 'event' }),
      row('server', 3, { scenario: 'fanout-saturated-100', unit: 'event' }),
    ),
  )
  t.same(
    plots.map((plot) => plot.file),
    ['goals.svg', 'latency-requests.svg', 'latency-events.svg', 'watchers.svg'],
  )
  for (const { file, svg } of plots) {
    t.match(svg, /^<svg xmlns=.*<\/svg>\n$/s, file)
    t.notMatch(svg, /NaN|undefined|<1 KiB>/, file)
  }
  t.match(plots[0]?.svg, /300 µs per request, goal 240 µs/)
  t.match(plots[1]?.svg, /latency \(logarithmic\)/)
  t.same(drawPlots(report()), [], 'nothing measured, nothing drawn')
  t.end()
})

t.test('scales', (t) => {
  const linear = linearScale(95, 0, 100)
  t.same(linear.ticks, [0, 20, 40, 60, 80, 100])
  t.equal(linear.at(50), 50)
  const log = logScale(10, 5000, 0, 300)
  t.same(log.ticks, [10, 100, 1000, 10_000])
  t.equal(Math.round(log.at(100)), 100)
  t.end()
})
