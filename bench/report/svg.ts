/**
 * A small SVG writer: just the shapes that the plots need, on a white ground, readable in a browser and in print.
 */

const palette = [
  '#1f5fa8',
  '#c2571a',
  '#2f7d32',
  '#7b3fa0',
  '#a3262a',
  '#5b6770',
  '#0f8a8a',
  '#8a6d0f',
] as const

/** Colours that can be told apart; beyond them they come again. */
export const colorsMax = palette.length

export function color(index: number): string {
  return palette[index % palette.length] ?? palette[0]
}

function escapeText(text: string): string {
  return text.replace(/&/g, '&amp;').replace(/</g, '&lt;').replace(/>/g, '&gt;')
}

type Anchor = 'start' | 'middle' | 'end'

interface TextStyle {
  readonly anchor?: Anchor
  readonly size?: number
  readonly bold?: boolean
  readonly fill?: string
  /** Degrees, around the text's own place. */
  readonly rotate?: number
}

/** Collects shapes; units are pixels, from the top left. */
export class Drawing {
  readonly #parts: string[] = []
  readonly width: number
  readonly height: number

  /** @param title drawn at the top, and what readers of the screen are told */
  constructor(width: number, height: number, title: string) {
    this.width = width
    this.height = height
    this.#parts.push(`<title>${escapeText(title)}</title>`)
    this.#parts.push(`<rect width="${width}" height="${height}" fill="#fff"/>`)
    this.text(20, 28, title, { size: 16, bold: true })
  }

  text(x: number, y: number, content: string, style: TextStyle = {}): void {
    const { anchor = 'start', size = 12, bold = false, fill = '#222', rotate = 0 } = style
    const turn = rotate === 0 ? '' : ` transform="rotate(${rotate} ${round(x)} ${round(y)})"`
    const weight = bold ? ' font-weight="bold"' : ''
    this.#parts.push(
      `<text x="${round(x)}" y="${round(y)}" text-anchor="${anchor}" font-size="${size}" fill="${fill}"${weight}${turn}>${escapeText(content)}</text>`,
    )
  }

  line(x1: number, y1: number, x2: number, y2: number, stroke: string, width = 1, dash = ''): void {
    const dashes = dash === '' ? '' : ` stroke-dasharray="${dash}"`
    this.#parts.push(
      `<line x1="${round(x1)}" y1="${round(y1)}" x2="${round(x2)}" y2="${round(y2)}" stroke="${stroke}" stroke-width="${width}"${dashes}/>`,
    )
  }

  box(x: number, y: number, width: number, height: number, fill: string): void {
    this.#parts.push(
      `<rect x="${round(x)}" y="${round(y)}" width="${round(Math.max(0, width))}" height="${round(height)}" fill="${fill}"/>`,
    )
  }

  path(points: readonly (readonly [x: number, y: number])[], stroke: string, dash = ''): void {
    if (points.length === 0) return
    const dashes = dash === '' ? '' : ` stroke-dasharray="${dash}"`
    const list = points.map(([x, y]) => `${round(x)},${round(y)}`).join(' ')
    this.#parts.push(`<polyline points="${list}" fill="none" stroke="${stroke}" stroke-width="2"${dashes}/>`)
  }

  dot(x: number, y: number, fill: string): void {
    this.#parts.push(`<circle cx="${round(x)}" cy="${round(y)}" r="3.5" fill="${fill}"/>`)
  }

  toString(): string {
    return [
      `<svg xmlns="http://www.w3.org/2000/svg" width="${this.width}" height="${this.height}" viewBox="0 0 ${this.width} ${this.height}" font-family="system-ui, sans-serif">`,
      ...this.#parts,
      '</svg>\n',
    ].join('\n')
  }
}

/** Maps values to pixels; `log` for values above 0 that spread over decades. */
export interface Scale {
  at(value: number): number
  readonly ticks: readonly number[]
}

export function logScale(low: number, high: number, from: number, to: number): Scale {
  const first = Math.floor(Math.log10(low))
  const last = Math.max(first + 1, Math.ceil(Math.log10(high)))
  const ticks = Array.from({ length: last - first + 1 }, (_, i) => 10 ** (first + i))
  return {
    at: (value) => from + ((Math.log10(value) - first) / (last - first)) * (to - from),
    ticks,
  }
}

export function linearScale(high: number, from: number, to: number): Scale {
  const step = niceStep(high / 5)
  const top = Math.max(step, Math.ceil(high / step) * step)
  const ticks = Array.from({ length: Math.round(top / step) + 1 }, (_, i) => i * step)
  return { at: (value) => from + (value / top) * (to - from), ticks }
}

function niceStep(raw: number): number {
  const decade = 10 ** Math.floor(Math.log10(Math.max(raw, 1e-9)))
  return ([1, 2, 5, 10].find((factor) => factor * decade >= raw) ?? 10) * decade
}

function round(value: number): number {
  return Math.round(value * 10) / 10
}
