/** Timestamps (RFC 3339, years 1 to 9999) and durations (`1h30m`, `1.5s`), in nanoseconds. */

import { CelDuration, CelError, CelTimestamp } from './value.ts'

const secondNanos = 1_000_000_000n
/** Of the year 1: the timestamp that counts as none. */
export const earliestNanos = -62_135_596_800n * secondNanos
const maxNanos = 253_402_300_800n * secondNanos - 1n
const int64Min = -(2n ** 63n)
const int64Max = 2n ** 63n - 1n

const timestampOverflow = new CelError('timestamp overflow')
const durationOverflow = new CelError('duration overflow')

/** An error outside of the years 1 to 9999. */
export function timestampOf(nanos: bigint): CelTimestamp | CelError {
  return nanos < earliestNanos || nanos > maxNanos ? timestampOverflow : new CelTimestamp(nanos)
}

/** An error outside of what 64 bits of nanoseconds hold. */
export function durationOf(nanos: bigint): CelDuration | CelError {
  return nanos < int64Min || nanos > int64Max ? durationOverflow : new CelDuration(nanos)
}

const rfc3339 = /^(\d{4})-(\d\d)-(\d\d)[Tt](\d\d):(\d\d):(\d\d)(?:[.,](\d+))?([Zz]|[+-]\d\d:\d\d)$/

function daysInMonth(year: number, month: number): number {
  const leap = (year % 4 === 0 && year % 100 !== 0) || year % 400 === 0
  return month === 2 ? (leap ? 29 : 28) : [4, 6, 9, 11].includes(month) ? 30 : 31
}

/** Days since 1970 of a date of the proleptic Gregorian calendar. */
function daysOf(year: number, month: number, day: number): number {
  const date = new Date(0)
  date.setUTCFullYear(year, month - 1, day)
  return date.getTime() / 86_400_000
}

function offsetSeconds(zone: string): number | undefined {
  if (/^[Zz]$/.test(zone)) return 0
  const hours = Number(zone.slice(1, 3))
  const minutes = Number(zone.slice(4, 6))
  if (hours > 24 || minutes > 59) return undefined
  return (zone.startsWith('-') ? -1 : 1) * (hours * 3600 + minutes * 60)
}

/** `undefined` when the text is no time. */
export function parseTimestamp(text: string): CelTimestamp | CelError | undefined {
  const match = rfc3339.exec(text)
  if (match === null) return undefined
  const [year = 0, month = 0, day = 0, hour = 0, minute = 0, second = 0] = match.slice(1, 7).map(Number)
  const offset = offsetSeconds(match[8] ?? '')
  if (offset === undefined || month < 1 || month > 12 || day < 1 || day > daysInMonth(year, month))
    return undefined
  if (hour > 23 || minute > 59 || second > 59) return undefined
  const seconds = daysOf(year, month, day) * 86_400 + hour * 3600 + minute * 60 + second - offset
  const fraction = (match[7] ?? '').padEnd(9, '0').slice(0, 9)
  return timestampOf(BigInt(seconds) * secondNanos + BigInt(fraction))
}

function fractionText(nanos: bigint): string {
  const digits = nanos.toString().padStart(9, '0').replace(/0+$/, '')
  return digits === '' ? '' : `.${digits}`
}

/** Floor division, for times before 1970. */
export function floorDivide(a: bigint, b: bigint): bigint {
  const quotient = a / b
  return a % b < 0n ? quotient - 1n : quotient
}

/** RFC 3339 in UTC, with as many digits of the second as it has. */
export function formatTimestamp(timestamp: CelTimestamp): string {
  const seconds = floorDivide(timestamp.nanos, secondNanos)
  const date = new Date(Number(seconds) * 1000).toISOString()
  return `${date.slice(0, -5)}${fractionText(timestamp.nanos - seconds * secondNanos)}Z`
}

const unitNanos = new Map([
  ['ns', 1n],
  ['us', 1000n],
  ['µs', 1000n],
  ['μs', 1000n],
  ['ms', 1_000_000n],
  ['s', secondNanos],
  ['m', 60n * secondNanos],
  ['h', 3600n * secondNanos],
])

/** Longer texts are no durations. */
const durationLengthMax = 1000

/** Go's durations: a sign and numbers with units, `-1h2.5s`; `undefined` when the text is none. */
export function parseDuration(text: string): CelDuration | CelError | undefined {
  if (text.length > durationLengthMax) return undefined
  const match = /^([+-]?)((?:(?:\d+(?:\.\d*)?|\.\d+)(?:ns|us|µs|μs|ms|s|m|h))+|0)$/.exec(text)
  if (match === null) return undefined
  let nanos = 0n
  for (const [, number = '', unit = ''] of (match[2] ?? '').matchAll(/([\d.]+)(ns|us|µs|μs|ms|s|m|h)/g)) {
    const [whole = '', fraction = ''] = number.split('.')
    const scale = unitNanos.get(unit) ?? 1n
    nanos += BigInt(whole || '0') * scale
    if (fraction !== '') nanos += (BigInt(fraction) * scale) / 10n ** BigInt(fraction.length)
  }
  return durationOf(match[1] === '-' ? -nanos : nanos)
}

/** As CEL's `string()`: seconds with a fraction, `5400s`, `-0.5s`. */
export function formatDuration(duration: CelDuration): string {
  const negative = duration.nanos < 0n
  const nanos = negative ? -duration.nanos : duration.nanos
  return `${negative ? '-' : ''}${nanos / secondNanos}${fractionText(nanos % secondNanos)}s`
}
