/**
 * The plots of a report: figures against goals, distribution of latencies, cost against the number of watchers.
 */

import type { Report, Row } from './report.ts'
import { rowOf } from './report.ts'
import { color, colorsMax, Drawing, linearScale, logScale, type Scale } from './svg.ts'
import { formatMetric, formatNumber, formatUs, mainMetric } from './table.ts'

interface Plot {
  readonly file: string
  readonly svg: string
}

/** Those plots for which the report has figures. */
export function drawPlots(report: Report): readonly Plot[] {
  return [
    { file: 'goals.svg', svg: drawGoals(report) },
    { file: 'latency-requests.svg', svg: drawLatency(report, 'requests and lists') },
    { file: 'latency-events.svg', svg: drawLatency(report, 'events') },
    { file: 'watchers.svg', svg: drawWatchers(report) },
    { file: 'growth.svg', svg: drawGrowth(report) },
    { file: 'others.svg', svg: drawOthers(report) },
    { file: 'workers.svg', svg: drawWorkers(report) },
  ].filter((plot): plot is Plot => plot.svg !== undefined)
}

const gridColor = '#ddd'

interface Measured {
  readonly row: Row
  readonly value: number
  readonly goal: number
  readonly baseline: number | undefined
}

function withGoals(report: Report): readonly Measured[] {
  return report.rows.flatMap((row) => {
    const metric = mainMetric(row)
    const value = row.summary?.metrics[metric]
    if (row.target !== 'server' || row.goal === undefined || value === undefined) return []
    const baseline = rowOf(report, row.scenario, 'baseline')?.summary?.metrics[metric]
    return [{ row, value, goal: row.goal.atMost, baseline }]
  })
}

/** Bars as a share of the goal, since the figures themselves lie four decades apart; the figure is written beside. */
function drawGoals(report: Report): string | undefined {
  const measured = withGoals(report)
  if (measured.length === 0) return undefined
  const rowHeight = 46
  const drawing = new Drawing(
    1080,
    110 + measured.length * rowHeight,
    'Measured, as a share of the goal (shorter is better)',
  )
  const highest = Math.max(
    120,
    ...measured.flatMap((m) => [m.value, m.baseline ?? 0].map((v) => (v / m.goal) * 100)),
  )
  const scale = linearScale(highest, 300, 790)
  const bottom = 60 + measured.length * rowHeight
  drawing.box(600, 18, 12, 12, color(0))
  drawing.text(617, 28, 'server')
  drawing.box(680, 18, 12, 12, '#b9c2cc')
  drawing.text(697, 28, 'bare Node HTTPS server')
  for (const tick of scale.ticks) {
    drawing.line(scale.at(tick), 60, scale.at(tick), bottom, gridColor)
    drawing.text(scale.at(tick), bottom + 18, `${tick} %`, { anchor: 'middle', size: 11 })
  }
  for (const [i, { row, value, goal, baseline }] of measured.entries()) {
    const y = 68 + i * rowHeight
    const end = scale.at((value / goal) * 100)
    drawing.text(290, y + 20, row.title, { anchor: 'end' })
    drawing.box(300, y, end - 300, 16, value <= goal ? color(0) : color(4))
    const metric = mainMetric(row)
    drawing.text(
      end + 6,
      y + 12,
      `${formatMetric(metric, value)} per ${row.unit}, goal ${formatMetric(metric, goal)}`,
      { size: 11 },
    )
    if (baseline === undefined) continue
    const baselineEnd = scale.at((baseline / goal) * 100)
    drawing.box(300, y + 18, baselineEnd - 300, 10, '#b9c2cc')
    drawing.text(baselineEnd + 6, y + 27, formatMetric(metric, baseline), { size: 10, fill: '#666' })
  }
  drawing.line(scale.at(100), 56, scale.at(100), bottom, '#111', 2, '6 3')
  drawing.text(scale.at(100), 52, 'goal', { anchor: 'middle', bold: true })
  drawing.text(545, bottom + 38, 'share of the goal (%)', { anchor: 'middle' })
  return drawing.toString()
}

interface Curve {
  readonly label: string
  readonly points: readonly (readonly [x: number, y: number])[]
  /** SVG dash pattern; '' = a whole line. */
  readonly dash: string
  readonly color: string
}

interface Axes {
  readonly title: string
  readonly xLabel: string
  readonly yLabel: string
  readonly x: Scale
  readonly y: Scale
  readonly xTick: (value: number) => string
  readonly yTick: (value: number) => string
}

const frame = { left: 80, right: 640, top: 60, bottom: 440, width: 960, height: 500 } as const

function drawCurves(curves: readonly Curve[], axes: Axes, dots: boolean): string {
  const drawing = new Drawing(frame.width, Math.max(frame.height, 80 + curves.length * 18), axes.title)
  for (const tick of axes.x.ticks) {
    const x = axes.x.at(tick)
    drawing.line(x, frame.top, x, frame.bottom, gridColor)
    drawing.text(x, frame.bottom + 18, axes.xTick(tick), { anchor: 'middle', size: 11 })
  }
  for (const tick of axes.y.ticks) {
    const y = axes.y.at(tick)
    drawing.line(frame.left, y, frame.right, y, gridColor)
    drawing.text(frame.left - 8, y + 4, axes.yTick(tick), { anchor: 'end', size: 11 })
  }
  drawing.text((frame.left + frame.right) / 2, frame.bottom + 42, axes.xLabel, { anchor: 'middle' })
  const middle = (frame.top + frame.bottom) / 2
  drawing.text(20, middle, axes.yLabel, { anchor: 'middle', rotate: -90 })
  for (const [i, curve] of curves.entries()) {
    const points = curve.points.map(([x, y]) => [axes.x.at(x), axes.y.at(y)] as const)
    drawing.path(points, curve.color, curve.dash)
    if (dots) for (const [x, y] of points) drawing.dot(x, y, curve.color)
    const y = frame.top + 8 + i * 18
    drawing.line(frame.right + 20, y, frame.right + 48, y, curve.color, 2, curve.dash)
    drawing.text(frame.right + 54, y + 4, curve.label, { size: 11 })
  }
  return drawing.toString()
}

type LatencyOf = 'requests and lists' | 'events'

/** Curves of the server; of the baseline only where there is no server: both would crowd the plot. */
function drawLatency(report: Report, what: LatencyOf): string | undefined {
  const measured = report.rows.filter(
    (row) => (row.unit === 'event') === (what === 'events') && (row.summary?.latencyCurve.length ?? 0) > 0,
  )
  const ofServer = measured.filter((row) => row.target === 'server')
  const rows = ofServer.length > 0 ? ofServer : measured
  if (rows.length === 0) return undefined
  const shown = rows.map((row, i): Curve => {
    const curve = row.summary?.latencyCurve ?? []
    return {
      label: row.title,
      points: curve.map(([percentile, us]) => [us, percentile] as const),
      color: color(i),
      dash: i < colorsMax ? '' : '3 3',
    }
  })
  const times = shown.flatMap((curve) => curve.points.map(([us]) => us))
  const axes: Axes = {
    title: `Latency of ${what}: share done within a time`,
    xLabel: 'latency (logarithmic)',
    yLabel: 'share (%)',
    x: logScale(Math.min(...times), Math.max(...times), frame.left, frame.right),
    y: linearScale(100, frame.bottom, frame.top),
    xTick: latencyTick,
    yTick: (value) => `${value} %`,
  }
  return drawCurves(shown, axes, false)
}

function latencyTick(us: number): string {
  if (us < 1000) return `${us} µs`
  return us < 1_000_000 ? `${us / 1000} ms` : `${us / 1_000_000} s`
}

function drawWatchers(report: Report): string | undefined {
  const curves: Curve[] = []
  for (const [i, pace] of ['saturated', 'rate'].entries()) {
    for (const target of ['server', 'baseline']) {
      const points = report.rows
        .filter((row) => row.target === target)
        .flatMap((row) => {
          const count = new RegExp(`^fanout-${pace}-(\\d+)$`).exec(row.scenario)?.[1]
          const cost = row.summary?.metrics.serverCpuUs
          return count === undefined || cost === undefined || cost <= 0
            ? []
            : [[Number(count), cost] as const]
        })
        .sort(([a], [b]) => a - b)
      const label = `${pace === 'saturated' ? 'full speed' : 'fixed rate'}, ${target}`
      if (points.length > 0)
        curves.push({ label, points, dash: target === 'baseline' ? '5 4' : '', color: color(i) })
    }
  }
  if (curves.length === 0) return undefined
  const counts = curves.flatMap((curve) => curve.points.map(([count]) => count))
  const usages = curves.flatMap((curve) => curve.points.map(([, cost]) => cost))
  const axes: Axes = {
    title: 'Server CPU for each event delivered, by number of watchers',
    xLabel: 'watchers (logarithmic)',
    yLabel: 'server CPU per event (logarithmic)',
    x: logScale(Math.min(...counts), Math.max(...counts), frame.left, frame.right),
    y: logScale(Math.min(...usages), Math.max(...usages), frame.bottom, frame.top),
    xTick: formatNumberPlain,
    yTick: formatUs,
  }
  return drawCurves(curves, axes, true)
}

/** Lines that should be flat: what is done costs the same however much is there. */
function drawGrowth(report: Report): string | undefined {
  const curves = ['patch', 'page', 'event'].map((kind, i): Curve => {
    const points = costsBy(report, new RegExp(`^growth-(\\d+)-${kind}$`))
    return { label: growthLabels[kind] ?? kind, points, dash: '', color: color(i) }
  })
  return drawCosts(curves, 'Server CPU, by number of objects of the type', 'objects (logarithmic)')
}

const growthLabels: Readonly<Record<string, string>> = {
  patch: 'merge patch',
  page: 'page of 500',
  event: 'event to a watcher',
}

function drawOthers(report: Report): string | undefined {
  const points = costsBy(report, /^others-(\d+)$/)
  const curves: readonly Curve[] = [{ label: 'event to a watcher', points, dash: '', color: color(0) }]
  const title = 'Server CPU for each event, by number of watchers of other views'
  return drawCosts(curves, title, 'watchers of other views (logarithmic, none at 1)')
}

/** Flat where workers do not get into each other's way; on fewer cores than workers they do. */
function drawWorkers(report: Report): string | undefined {
  const curves = ['create', 'get'].map((kind, i): Curve => {
    const points = costsBy(report, new RegExp(`^workers-(\\d+)-${kind}$`))
    return { label: kind, points, dash: '', color: color(i) }
  })
  return drawCosts(curves, 'Server CPU for each request, by number of workers', 'workers (logarithmic)')
}

/** Costs of the server's rows, by the number in their names. */
function costsBy(report: Report, pattern: RegExp): readonly (readonly [x: number, y: number])[] {
  return report.rows
    .filter((row) => row.target === 'server')
    .flatMap((row) => {
      const count = pattern.exec(row.scenario)?.[1]
      const cost = row.summary?.metrics.serverCpuUs
      return count === undefined || cost === undefined || cost <= 0
        ? []
        : [[Math.max(1, Number(count)), cost] as const]
    })
    .sort(([a], [b]) => a - b)
}

function drawCosts(all: readonly Curve[], title: string, xLabel: string): string | undefined {
  const curves = all.filter(({ points }) => points.length > 0)
  if (curves.length === 0) return undefined
  const counts = curves.flatMap((curve) => curve.points.map(([count]) => count))
  const usages = curves.flatMap((curve) => curve.points.map(([, cost]) => cost))
  const axes: Axes = {
    title,
    xLabel,
    yLabel: 'server CPU (logarithmic)',
    x: logScale(Math.min(...counts), Math.max(...counts), frame.left, frame.right),
    y: logScale(Math.min(...usages), Math.max(...usages), frame.bottom, frame.top),
    xTick: formatNumberPlain,
    yTick: formatUs,
  }
  return drawCurves(curves, axes, true)
}

function formatNumberPlain(value: number): string {
  return value >= 1000 ? `${formatNumber(value / 1000)}k`.replace(/\.0+k/, 'k') : String(value)
}
