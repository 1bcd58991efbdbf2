/**
 * Quantities: exact numbers with a unit, as resource amounts are written (`100m`, `1.5Gi`, `2e3`).
 *
 * Grammar: `[+-] digits [. digits] [suffix]`, suffix one of the binary `Ki Mi Gi Ti Pi Ei`, the decimal
 * `n u m k M G T P E`, or an exponent `e3`/`E-2`. Precision ends at nano units: finer values are rounded up (away from zero). The
 * form (binary, decimal, exponent) is kept when a quantity is written again, with the largest suffix that leaves an
 * integer.
 *
 * Source: the API conventions on quantities.
 */

type QuantityFormat = 'BinarySI' | 'DecimalSI' | 'DecimalExponent'

export interface Quantity {
  /** The value in nano units. */
  readonly nanos: bigint
  readonly format: QuantityFormat
}

const grammar = /^([+-]?)(\d*)(?:\.(\d*))?(Ki|Mi|Gi|Ti|Pi|Ei|[numkMGTPE]|[eE][+-]?\d+)?$/
const nano = 1_000_000_000n
const binary = ['', 'Ki', 'Mi', 'Gi', 'Ti', 'Pi', 'Ei'] as const
/** Suffix of 10^(3·i − 9). */
const decimal = ['n', 'u', 'm', '', 'k', 'M', 'G', 'T', 'P', 'E'] as const
/** 2^63−1, in nano units: values that need more digits than an int64 has are cut to it, as the API does. */
const nanosMax = ((1n << 63n) - 1n) * nano
const int64Digits = 18
/** Digits and exponents beyond these cannot matter, but could cost. */
const digitsMax = 1024
const exponentMax = 1024

/** Undefined when `text` is not a quantity. */
export function parseQuantity(text: string): Quantity | undefined {
  if (text.length > digitsMax) return undefined
  const match = grammar.exec(text)
  if (match === null) return undefined
  const [, sign, whole = '', fraction = '', suffix = ''] = match
  if (whole === '' && fraction === '') return undefined
  const scale = scaleOf(suffix)
  if (scale === undefined) return undefined
  const digits = BigInt(`${whole}${fraction}`)
  const nanos = scaled(digits, scale, fraction.length)
  const short = scale.exponent2 === 0 && `${whole}${fraction}`.replace(/^0+/, '').length <= int64Digits
  const cut = nanos > nanosMax && !short ? nanosMax : nanos
  return { nanos: sign === '-' ? -cut : cut, format: scale.format }
}

interface Scale {
  readonly format: QuantityFormat
  /** 10^exponent10 · 2^exponent2. */
  readonly exponent10: number
  readonly exponent2: number
}

function scaleOf(suffix: string): Scale | undefined {
  const power = binary.indexOf(suffix as (typeof binary)[number])
  if (power > 0) return { format: 'BinarySI', exponent10: 0, exponent2: power * 10 }
  const thousand = decimal.indexOf(suffix as (typeof decimal)[number])
  if (thousand >= 0) return { format: 'DecimalSI', exponent10: thousand * 3 - 9, exponent2: 0 }
  const exponent = Number(suffix.slice(1))
  if (Math.abs(exponent) > exponentMax) return undefined
  return { format: 'DecimalExponent', exponent10: exponent, exponent2: 0 }
}

/** digits · 10^−places · scale, in nano units, rounded up. */
function scaled(digits: bigint, scale: Scale, places: number): bigint {
  const exponent10 = scale.exponent10 + 9 - places
  const shifted = digits << BigInt(scale.exponent2)
  if (exponent10 >= 0) return shifted * 10n ** BigInt(exponent10)
  return divideUp(shifted, 10n ** BigInt(-exponent10))
}

function divideUp(value: bigint, by: bigint): bigint {
  return (value + by - 1n) / by
}

/** The one way of writing this value in its form. */
export function formatQuantity({ nanos, format }: Quantity): string {
  if (nanos === 0n) return '0'
  const sign = nanos < 0n ? '-' : ''
  const amount = nanos < 0n ? -nanos : nanos
  // Binary suffixes cannot say fractions, nor pay off below one Ki.
  if (format === 'BinarySI' && amount % nano === 0n && amount / nano >= 1024n) {
    return sign + binaryText(amount / nano)
  }
  let value = amount
  let step = 0
  const stepMax = format === 'DecimalExponent' ? Number.POSITIVE_INFINITY : decimal.length - 1
  while (value % 1000n === 0n && step < stepMax) {
    value /= 1000n
    step++
  }
  if (format !== 'DecimalExponent') return `${sign}${value}${decimal[step]}`
  const exponent = step * 3 - 9
  return exponent === 0 ? `${sign}${value}` : `${sign}${value}e${exponent}`
}

function binaryText(amount: bigint): string {
  let value = amount
  let step = 0
  while (value % 1024n === 0n && step < binary.length - 1) {
    value /= 1024n
    step++
  }
  return `${value}${binary[step]}`
}

/** Forms that most quantities have and that are canonical as they stand: small integers with and without a suffix. */
const canonicalShape = /^(?:0|[1-9]\d{0,2}(?:[mkMG]?|[KMGT]i))$/

/** The canonical text; undefined when `text` is not a quantity. */
export function canonicalQuantity(text: string): string | undefined {
  if (canonicalShape.test(text)) return text
  const quantity = parseQuantity(text)
  return quantity === undefined ? undefined : formatQuantity(quantity)
}

/** Negative, zero or positive, like a − b. */
export function compareQuantities(a: Quantity, b: Quantity): number {
  return a.nanos < b.nanos ? -1 : a.nanos > b.nanos ? 1 : 0
}

/** Rounded up (away from zero) to whole milli units, as amounts of resources are kept. */
export function roundUpToMilli(quantity: Quantity): Quantity {
  const unit = 1_000_000n
  const { nanos, format } = quantity
  const rounded = nanos < 0n ? -divideUp(-nanos, unit) : divideUp(nanos, unit)
  return { nanos: rounded * unit, format }
}
