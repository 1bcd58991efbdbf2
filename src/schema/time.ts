/**
 * Times as the API writes them: RFC 3339 in UTC, with whole seconds (`time`) or six digits (`microTime`).
 * Any offset is taken on input, and any fraction where whole seconds are kept; six digits must be six digits.
 */

const rfc3339 = /^(\d{4})-(\d{2})-(\d{2})T(\d{2}):(\d{2}):(\d{2})(?:[.,](\d+))?(Z|[+-]\d{2}:\d{2})$/

/** Whole seconds, cut; undefined when `text` is not an RFC 3339 time. */
export function canonicalTime(text: string): string | undefined {
  // The usual case: written by this server or by a client of it.
  if (text.length === 20 && text.endsWith('Z') && isDate(text)) return text
  const parsed = parse(text)
  return parsed === undefined ? undefined : `${parsed.seconds}Z`
}

/** Undefined when `text` is not an RFC 3339 time with six digits behind the point. */
export function canonicalMicroTime(text: string): string | undefined {
  const parsed = parse(text)
  return parsed?.fraction.length === 6 ? `${parsed.seconds}.${parsed.fraction}Z` : undefined
}

/** `2024-01-01T00:00:00` in UTC and the digits behind the point. */
function parse(text: string): { seconds: string; fraction: string } | undefined {
  const match = rfc3339.exec(text)
  if (match === null) return undefined
  const [, year, month, day, hour, minute, second, fraction = '', offset = 'Z'] = match
  const local = `${year}-${month}-${day}T${hour}:${minute}:${second}`
  if (!isDate(`${local}Z`)) return undefined
  if (offset === 'Z') return { seconds: local, fraction }
  const hours = Number(offset.slice(1, 3))
  const minutes = Number(offset.slice(4, 6))
  if (hours > 24 || minutes > 59) return undefined
  const shiftMs = (offset.startsWith('-') ? 1 : -1) * (hours * 60 + minutes) * 60_000
  const shifted = new Date(Date.parse(`${local}Z`) + shiftMs)
  const written = shifted.toISOString()
  // Years beyond four digits have another form that nobody could read back.
  return /^\d{4}-/.test(written) ? { seconds: written.slice(0, 19), fraction } : undefined
}

/** Is this `YYYY-MM-DDTHH:MM:SSZ` a moment that exists (no 31 February, no 25 o'clock)? */
function isDate(text: string): boolean {
  if (!/^\d{4}-\d{2}-\d{2}T\d{2}:\d{2}:\d{2}Z$/.test(text)) return false
  const month = twoDigits(text, 5)
  const day = twoDigits(text, 8)
  if (month < 1 || month > 12 || day < 1) return false
  if (twoDigits(text, 11) > 23 || twoDigits(text, 14) > 59 || twoDigits(text, 17) > 59) return false
  return day <= daysOf(twoDigits(text, 0) * 100 + twoDigits(text, 2), month)
}

const digitZero = 0x30

function twoDigits(text: string, at: number): number {
  return (text.charCodeAt(at) - digitZero) * 10 + text.charCodeAt(at + 1) - digitZero
}

/** Of a month in the Gregorian calendar, also before there was one. */
function daysOf(year: number, month: number): number {
  if (month !== 2) return month === 4 || month === 6 || month === 9 || month === 11 ? 30 : 31
  return year % 4 === 0 && (year % 100 !== 0 || year % 400 === 0) ? 29 : 28
}
