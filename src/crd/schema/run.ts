/** One walk of a value by the checks of its schema: where it is, and what it has found. */

import type { JsonValue } from '../../json.ts'
import type { Correlation } from './correlation.ts'
import type { Problem } from './problems.ts'

export interface Run {
  /** The places that lead to the value at hand: as many as its depth, the rest is of before. */
  readonly path: (string | number)[]
  readonly problems: Problem[]
  /** Of a change: what does not offend anew is forgiven. */
  readonly correlation: Correlation | undefined
  /** Problems count, but nobody will read them. */
  quiet: boolean
}

/**
 * `old`: what the value was before; undefined = not known, so nothing is forgiven. Returns how many of the things asked
 * the value met: the alternative that meets most is the one whose problems are told.
 */
export type Check = (value: JsonValue, old: JsonValue | undefined, run: Run, depth: number) => number

/** More are counted, but not told: nobody reads them, and a list may hold a million. */
export const toldMax = 1000

const unsaid: Problem = { cause: { reason: '', message: '' }, said: '' }

/** `tell` is called when the problem will be read. */
export function report(run: Run, depth: number, tell: (path: string) => Problem): void {
  run.problems.push(run.quiet || run.problems.length >= toldMax ? unsaid : tell(pathOf(run.path, depth)))
}

/** `spec.list[0].name`. */
function pathOf(path: readonly (string | number)[], depth: number): string {
  let text = ''
  for (let at = 0; at < depth; at++) {
    const place = path[at]
    text += typeof place === 'number' ? `[${place}]` : at === 0 ? place : `.${place}`
  }
  return text
}
