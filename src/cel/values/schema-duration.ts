/** Durations as schemas accept them: Go's, and amounts with the names of units, `3 days`, `1 week 2 hr`. */

import { durationOf, parseDuration } from './time.ts'
import type { CelDuration, CelError } from './value.ts'

const amount = /(\d+)\s*([A-Za-zµ]+)/g
/** Longer texts are no durations. */
const lengthMax = 1000

const secondNanos = 1_000_000_000n
const hourNanos = 3600n * secondNanos

/** Names of units; a word that begins with the last of a row means it too. */
const units: readonly (readonly [names: readonly string[], nanos: bigint])[] = [
  [['ns', 'nano'], 1n],
  [['us', 'µs', 'micro'], 1000n],
  [['ms', 'milli'], 1_000_000n],
  [['s', 'sec'], secondNanos],
  [['m', 'min'], 60n * secondNanos],
  [['h', 'hr', 'hour'], hourNanos],
  [['d', 'day'], 24n * hourNanos],
  [['w', 'wk', 'week'], 168n * hourNanos],
]

/** `undefined` when the text is none. Of amounts, those with units that nobody knows do not count. */
export function parseSchemaDuration(text: string): CelDuration | CelError | undefined {
  const parsed = parseDuration(text)
  if (parsed !== undefined || text.length > lengthMax) return parsed
  const nanos = [...text.matchAll(amount)].flatMap(([, count = '0', unit = '']) => {
    const known = unitNanos(unit.toLowerCase())
    return known === undefined ? [] : [BigInt(count) * known]
  })
  return nanos.length === 0 ? undefined : durationOf(nanos.reduce((sum, one) => sum + one))
}

function unitNanos(word: string): bigint | undefined {
  return units.find(([names]) => names.includes(word) || word.startsWith(names.at(-1) ?? word))?.[1]
}
