/** `"%s is %d".format([a, b])`: the clauses of the strings library. */

import { formatDuration, formatTimestamp } from '../../values/time.ts'
import {
  CelDouble,
  CelDuration,
  CelError,
  CelList,
  CelMap,
  CelTimestamp,
  CelTypeValue,
  CelUint,
  noSuchOverload,
  typeNameOf,
  type Value,
} from '../../values/value.ts'
import { formatDouble } from '../standard/conversions.ts'

/** Longest text that lists and maps inside of one another may spell. */
const nestedLengthMax = 1_000_000

/** `template.format(args)`: a string, or the error that clauses and arguments do not fit. */
export function format(template: Value, args: Value): Value {
  if (typeof template !== 'string' || !(args instanceof CelList)) return noSuchOverload
  let text = ''
  let used = 0
  for (let at = 0; at < template.length; ) {
    const percent = template.indexOf('%', at)
    if (percent < 0) return text + template.slice(at)
    text += template.slice(at, percent)
    const clause = /^%(?:%|(?:\.(\d+))?([a-zA-Z]))/.exec(template.slice(percent, percent + 24))
    if (clause === null) return unrecognized(template.slice(percent + 1, percent + 2))
    at = percent + clause[0].length
    if (clause[0] === '%%') {
      text += '%'
      continue
    }
    if (used >= args.size) return new CelError(`index ${used} out of range`)
    const filled = fill(clause[2] ?? '', clause[1], args.at(used++))
    if (filled instanceof CelError) return filled
    text += filled
  }
  return text
}

function unrecognized(clause: string): CelError {
  return new CelError(`could not parse formatting clause: unrecognized formatting clause "${clause}"`)
}

function fill(clause: string, precisionText: string | undefined, value: Value): string | CelError {
  if (value instanceof CelError) return value
  const precision = precisionText === undefined ? 6 : Number(precisionText)
  if (precision > 100) return new CelError('could not parse formatting clause: precision is too large')
  switch (clause) {
    case 's':
      return plain(value, { left: nestedLengthMax })
    case 'd':
      return decimal(value)
    case 'f':
      return fixed(value, precision)
    case 'e':
      return scientific(value, precision)
    case 'b':
      return binary(value)
    case 'x':
    case 'X':
      return hex(value, clause === 'X')
    case 'o':
      return octal(value)
    default:
      return unrecognized(clause)
  }
}

function onlyOn(what: string, value: Value): CelError {
  return new CelError(`${what}, was given ${typeNameOf(value)}`)
}

/** What a whole nested value may still spell. */
interface Room {
  left: number
}

function plain(value: Value, room: Room): string | CelError {
  const text = scalar(value) ?? nested(value, room)
  if (text instanceof CelError) return text
  room.left -= text.length
  return room.left < 0 ? new CelError('formatted value is too long') : text
}

function scalar(value: Value): string | undefined {
  switch (typeof value) {
    case 'string':
      return value
    case 'boolean':
    case 'number':
    case 'bigint':
      return String(value)
    default:
  }
  if (value === null) return 'null'
  if (value instanceof CelUint) return String(value.value)
  if (value instanceof CelDouble) return formatDouble(value.value)
  if (value instanceof CelTimestamp) return formatTimestamp(value)
  if (value instanceof CelDuration) return formatDuration(value)
  if (value instanceof CelTypeValue) return value.name
  return value instanceof Uint8Array ? new TextDecoder().decode(value) : undefined
}

function nested(value: Value, room: Room): string | CelError {
  if (value instanceof CelList) return list(value, room)
  if (value instanceof CelMap) return map(value, room)
  return onlyOn(
    'string clause can only be used on strings, bools, bytes, ints, doubles, maps, lists, types, durations, and timestamps',
    value,
  )
}

function list(value: CelList, room: Room): string | CelError {
  const items: string[] = []
  for (let index = 0; index < value.size; index++) {
    const item = element(value.at(index), room)
    if (item instanceof CelError) return item
    items.push(item)
  }
  return `[${items.join(', ')}]`
}

function map(value: CelMap, room: Room): string | CelError {
  const entries: string[] = []
  for (const key of value.keys()) {
    const left = element(key, room)
    const right = element(value.get(key) ?? null, room)
    if (left instanceof CelError) return left
    if (right instanceof CelError) return right
    entries.push(`${left}:${right}`)
  }
  return `{${entries.sort().join(', ')}}`
}

/** Inside lists and maps, values are written so that one can read them back: as literals, or as the calls that make them. */
function element(value: Value, room: Room): string | CelError {
  if (value instanceof CelError) return value
  const text = plain(value, room)
  if (text instanceof CelError) return text
  if (typeof value === 'string') return JSON.stringify(text)
  if (value instanceof Uint8Array) return `b${JSON.stringify(text)}`
  if (value instanceof CelTimestamp) return `timestamp(${JSON.stringify(text)})`
  if (value instanceof CelDuration) return `duration(${JSON.stringify(text)})`
  if (value instanceof CelTypeValue) return `type(${text})`
  if (!(value instanceof CelDouble)) return text
  return Number.isFinite(value.value) ? fixedText(value.value, 6) : JSON.stringify(text)
}

function decimal(value: Value): string | CelError {
  if (typeof value === 'number' || typeof value === 'bigint') return String(value)
  if (value instanceof CelUint) return String(value.value)
  return onlyOn('decimal clause can only be used on integers', value)
}

function fixedText(value: number, precision: number): string {
  if (!Number.isFinite(value)) return String(value)
  // numbers of 22 and more digits are integers
  if (Math.abs(value) >= 1e21)
    return BigInt(value).toString() + (precision === 0 ? '' : `.${'0'.repeat(precision)}`)
  const rounded = value.toFixed(precision)
  const exact = value.toFixed(Math.min(100, precision + 30))
  const cut = exact.length - Math.min(100, precision + 30) + precision
  const isTie = precision < 90 && /^\.?50*$/.test(exact.slice(cut))
  const even = exact.slice(0, cut).replace(/\.$/, '')
  return isTie && /[02468]$/.test(even) ? even : rounded
}

function numberOf(value: Value): number | undefined {
  if (value instanceof CelDouble) return value.value
  if (typeof value === 'string' && ['NaN', 'Infinity', '-Infinity'].includes(value)) return Number(value)
  return undefined
}

function fixed(value: Value, precision: number): string | CelError {
  const number = numberOf(value)
  return number === undefined
    ? onlyOn('fixed-point clause can only be used on doubles', value)
    : fixedText(number, precision)
}

function scientific(value: Value, precision: number): string | CelError {
  const number = numberOf(value)
  if (number === undefined) return onlyOn('scientific clause can only be used on doubles', value)
  if (!Number.isFinite(number)) return fixedText(number, 0)
  const [mantissa = '', exponent = '+0'] = number.toExponential(precision).split('e')
  return `${mantissa}e${exponent.charAt(0)}${exponent.slice(1).padStart(2, '0')}`
}

function integerOf(value: Value): bigint | undefined {
  if (typeof value === 'number' || typeof value === 'bigint') return BigInt(value)
  return value instanceof CelUint ? value.value : undefined
}

function binary(value: Value): string | CelError {
  if (typeof value === 'boolean') return value ? '1' : '0'
  const integer = integerOf(value)
  return integer === undefined
    ? onlyOn('only integers and bools can be formatted as binary', value)
    : integer.toString(2)
}

function octal(value: Value): string | CelError {
  const integer = integerOf(value)
  return integer === undefined
    ? onlyOn('octal clause can only be used on integers', value)
    : integer.toString(8)
}

function hex(value: Value, upper: boolean): string | CelError {
  const integer = integerOf(value)
  let text: string | undefined = integer?.toString(16)
  if (typeof value === 'string') text = Buffer.from(value, 'utf8').toString('hex')
  if (value instanceof Uint8Array) text = Buffer.from(value).toString('hex')
  if (text === undefined)
    return onlyOn('only integers, byte buffers, and strings can be formatted as hex', value)
  return upper ? text.toUpperCase() : text
}
