/** The text of an expression, and findings about it in the form of cel-go. Positions are UTF-16 offsets. */

export interface Finding {
  readonly offset: number
  readonly message: string
}

/** Longer lines are not shown. */
const shownLineLengthMax = 16_384
const shownFindingsMax = 100

interface Place {
  /** From 1. */
  readonly line: number
  /** From 1, in code points. */
  readonly column: number
}

function lineStartAt(source: string, offset: number): number {
  return offset === 0 ? 0 : source.lastIndexOf('\n', offset - 1) + 1
}

/** Line and column, from 1, of an offset into the text. */
export function placeOf(source: string, offset: number): Place {
  const start = lineStartAt(source, offset)
  let line = 1
  for (let at = source.indexOf('\n'); at >= 0 && at < start; at = source.indexOf('\n', at + 1)) line++
  return { line, column: [...source.slice(start, offset)].length + 1 }
}

/**
 * One finding with its source line and a caret. Characters outside ASCII are dotted with wide dots, so that the caret
 * stands below its character in most fonts.
 *
 *     ERROR: <input>:1:5: undeclared reference to 'x' (in container '')
 *      | 1 + x
 *      | ....^
 */
function describeFinding(source: string, finding: Finding): string {
  const { line, column } = placeOf(source, finding.offset)
  const start = lineStartAt(source, finding.offset)
  const end = source.indexOf('\n', start)
  const heading = `ERROR: <input>:${line}:${column}: ${finding.message}`
  const text = source.slice(start, end < 0 ? source.length : end).replaceAll('\t', ' ')
  if (text.length > shownLineLengthMax) return heading
  const dots = [...text]
    .slice(0, column - 1)
    .map((character) => (character > '\u007f' ? '．' : '.'))
    .join('')
  const at = source.codePointAt(finding.offset) ?? 0
  return `${heading}\n | ${text}\n | ${dots}${at > 0x7f ? '＾' : '^'}`
}

/** All findings in the order of their places; of very many, the first. */
export function describeFindings(source: string, findings: readonly Finding[]): string {
  const inOrder = [...findings].sort((a, b) => a.offset - b.offset)
  const shown = inOrder.slice(0, shownFindingsMax).map((finding) => describeFinding(source, finding))
  const left = inOrder.length - shown.length
  return [...shown, ...(left > 0 ? [`${left} more errors were truncated`] : [])].join('\n')
}
