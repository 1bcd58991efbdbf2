/** The plot of a comparison: what one server's figures are of another's, scenario by scenario. */

import { goalShare, type Pair, pairsOf } from './compare.ts'
import { type Report, serverName } from './report.ts'
import { color, Drawing, logScale } from './svg.ts'
import { formatMetric, formatNumber } from './table.ts'

const left = 330
const right = 830
const width = 1120
const rowHeight = 24
const top = 92

/** Undefined = the reports have no scenario in common. */
export function drawRatios(first: Report, second: Report): string | undefined {
  const pairs = pairsOf(first, second).filter(({ after }) => after > 0)
  if (pairs.length === 0) return undefined
  const ratios = pairs.map(({ before, after }) => after / before)
  const scale = logScale(Math.min(0.5, ...ratios), Math.max(1, ...ratios), left, right)
  const bottom = top + pairs.length * rowHeight
  const drawing = new Drawing(width, bottom + 60, `${serverName(second)}, against ${serverName(first)}`)
  drawing.text(
    20,
    50,
    'Ratios of server processor time for each operation, or of memory: the further left, the better',
    {
      fill: '#555',
    },
  )
  drawLegend(drawing, serverName(first))
  drawGrid(drawing, scale, bottom)
  for (const [i, pair] of pairs.entries()) drawPair(drawing, pair, top + i * rowHeight, scale)
  drawing.line(scale.at(1), top - 8, scale.at(1), bottom, '#111', 2)
  drawing.text((left + right) / 2, bottom + 44, 'ratio (logarithmic)', { anchor: 'middle' })
  return drawing.toString()
}

function drawLegend(drawing: Drawing, first: string): void {
  const y = 72
  drawing.box(20, y - 10, 12, 12, color(0))
  drawing.text(38, y, `less than ${first}`, { size: 11 })
  drawing.box(330, y - 10, 12, 12, color(4))
  drawing.text(348, y, 'more', { size: 11 })
  drawing.line(410, y - 12, 410, y + 4, '#111', 3)
  drawing.text(418, y, 'goal, as the share of kube-apiserver that it is in the table of goals', { size: 11 })
}

function drawGrid(drawing: Drawing, scale: ReturnType<typeof logScale>, bottom: number): void {
  for (const decade of scale.ticks) {
    for (const step of [1, 2, 5]) {
      const x = scale.at(decade * step)
      if (x > right + 1) continue
      drawing.line(x, top - 8, x, bottom, '#ddd')
      drawing.text(x, bottom + 18, `${decade * step >= 1 ? decade * step : trimmed(decade * step)}×`, {
        anchor: 'middle',
        size: 11,
      })
    }
  }
}

function trimmed(value: number): string {
  return String(Number(value.toPrecision(2)))
}

function drawPair(
  drawing: Drawing,
  { second, metric, before, after }: Pair,
  y: number,
  scale: ReturnType<typeof logScale>,
): void {
  const ratio = after / before
  const [from, to] = ratio < 1 ? [scale.at(ratio), scale.at(1)] : [scale.at(1), scale.at(ratio)]
  drawing.text(left - 12, y + 15, second.title, { anchor: 'end', size: 11 })
  drawing.box(from, y + 4, Math.max(2, to - from), rowHeight - 9, color(ratio < 1 ? 0 : 4))
  const share = goalShare(second)
  if (share !== undefined) drawing.line(scale.at(share), y + 1, scale.at(share), y + rowHeight - 2, '#111', 3)
  drawing.text(right + 70, y + 15, `${formatNumber(ratio)}×`, { size: 11, anchor: 'end', bold: true })
  const figures = `${formatMetric(metric, after)} : ${formatMetric(metric, before)}`
  drawing.text(right + 84, y + 15, figures, { size: 11 })
}
