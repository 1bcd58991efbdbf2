/** Spans of time as people read them: at most two units, coarser the longer they are. */

import type { JsonValue } from '../../json.ts'

const minuteSeconds = 60
const hourSeconds = 60 * minuteSeconds
const daySeconds = 24 * hourSeconds
const yearSeconds = 365 * daySeconds

/**
 * `90s`, `5m30s`, `42m`, `3h5m`, `12h`, `4d2h`, `100d`, `3y40d`, `9y`. Clocks differ a little: what began less than two
 * seconds in the future began now, what began later is `<invalid>`.
 */
export function humanDuration(milliseconds: number): string {
  const seconds = Math.trunc(milliseconds / 1000)
  if (seconds < -1) return '<invalid>'
  if (seconds < 0) return '0s'
  if (seconds < 2 * minuteSeconds) return `${seconds}s`
  if (seconds < 10 * minuteSeconds) return twoUnits(seconds, minuteSeconds, 'm', 1, 's')
  if (seconds < 3 * hourSeconds) return oneUnit(seconds, minuteSeconds, 'm')
  if (seconds < 8 * hourSeconds) return twoUnits(seconds, hourSeconds, 'h', minuteSeconds, 'm')
  if (seconds < 2 * daySeconds) return oneUnit(seconds, hourSeconds, 'h')
  if (seconds < 8 * daySeconds) return twoUnits(seconds, daySeconds, 'd', hourSeconds, 'h')
  if (seconds < 2 * yearSeconds) return oneUnit(seconds, daySeconds, 'd')
  if (seconds < 8 * yearSeconds) return twoUnits(seconds, yearSeconds, 'y', daySeconds, 'd')
  return oneUnit(seconds, yearSeconds, 'y')
}

function oneUnit(seconds: number, unitSeconds: number, unit: string): string {
  return `${Math.floor(seconds / unitSeconds)}${unit}`
}

/** The smaller unit is left out when there are none of it. */
function twoUnits(seconds: number, largeSeconds: number, large: string, smallSeconds: number, small: string) {
  const rest = Math.floor((seconds % largeSeconds) / smallSeconds)
  return rest === 0
    ? oneUnit(seconds, largeSeconds, large)
    : `${oneUnit(seconds, largeSeconds, large)}${rest}${small}`
}

/** Milliseconds since 1970 of an RFC 3339 time; undefined when it is unset. */
export function timeMs(value: JsonValue | undefined): number | undefined {
  if (typeof value !== 'string') return undefined
  const parsed = Date.parse(value)
  return Number.isNaN(parsed) ? undefined : parsed
}

/** How long ago that was; `<unknown>` when it is unset. */
export function age(value: JsonValue | undefined, nowMs: number): string {
  const then = timeMs(value)
  return then === undefined ? '<unknown>' : humanDuration(nowMs - then)
}
