/** Formats of times and of how long they last. Sources: RFC 3339, section 5.6; durations as Go and Scala write them. */

const date = /^(\d{4})-(\d{2})-(\d{2})$/

/** `2006-01-02`, a day that there was or will be. */
export function isDate(text: string): boolean {
  const match = date.exec(text)
  if (match === null) return false
  const [year = 0, month = 0, day = 0] = match.slice(1).map(Number)
  return month >= 1 && month <= 12 && day >= 1 && day <= daysOf(year, month)
}

function daysOf(year: number, month: number): number {
  if (month === 2) return year % 4 === 0 && (year % 100 !== 0 || year % 400 === 0) ? 29 : 28
  return [4, 6, 9, 11].includes(month) ? 30 : 31
}

const time = /^(\d{2}):(\d{2}):(\d{2})(?:.\d+)?(?:z|[+-]\d{2}:\d{2})$/

/** `2014-12-15T19:30:20.000Z`, in capitals or not. There is no second 60. */
export function isDateTime(text: string): boolean {
  const [day = '', clock] = text.toLowerCase().split('t')
  if (clock === undefined || !isDate(day)) return false
  const [, hour = '', minute = '', second = ''] = time.exec(clock) ?? []
  return hour !== '' && hour <= '23' && minute <= '59' && second <= '59'
}

const goDuration = /^[-+]?(?:0|(?:(?:\d+(?:\.\d*)?|\.\d+)(?:ns|us|µs|μs|ms|s|m|h))+)$/
/** A number that 64 bits may not hold. */
const long = /\d{19}/
const amount = /(?<!\d)(\d+)[\t\n\f\r ]*([A-Za-zµ]+)/g

/** Names of units; a word that begins with the last of a row means it too. */
const units: readonly (readonly string[])[] = [
  ['ns', 'nano'],
  ['us', 'µs', 'micro'],
  ['ms', 'milli'],
  ['s', 'sec'],
  ['m', 'min'],
  ['h', 'hr', 'hour'],
  ['d', 'day'],
  ['w', 'wk', 'week'],
]

/** `1h30m`, `22 ns`, `3 days`: one amount with a unit is enough. */
export function isDuration(text: string): boolean {
  if (goDuration.test(text) && !long.test(text)) return true
  let isKnown = false
  for (const [, count = '', unit = ''] of text.matchAll(amount)) {
    if (isBeyondBound(count)) return false
    isKnown ||= isUnit(unit.toLowerCase())
  }
  return isKnown
}

const bound = 2n ** 63n

function isBeyondBound(digits: string): boolean {
  const significant = digits.replace(/^0+/, '')
  return significant.length > 19 || BigInt(significant) >= bound
}

function isUnit(word: string): boolean {
  return units.some((names) => names.includes(word) || word.startsWith(names.at(-1) ?? word))
}
