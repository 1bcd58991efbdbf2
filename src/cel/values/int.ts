/** 64-bit signed integers: a number while safe, else a bigint. Overflow is an error, as in CEL. */

import { CelError, type Value } from './value.ts'

const int64Min = -(2n ** 63n)
const int64Max = 2n ** 63n - 1n

type Int = number | bigint

export function isInt(value: Value): value is Int {
  return typeof value === 'number' || typeof value === 'bigint'
}

export const intOverflow = new CelError('integer overflow')
export const divisionByZero = new CelError('division by zero')
export const modulusByZero = new CelError('modulus by zero')

/** Normalizes; the value is within int64. */
export function intOf(value: bigint): Int {
  return value >= -9007199254740991n && value <= 9007199254740991n ? Number(value) : value
}

/** An int, or the error that it does not fit into 64 bits. */
export function checkedInt(value: bigint): Int | CelError {
  return value < int64Min || value > int64Max ? intOverflow : intOf(value)
}

/** Overflow is an error; so for all that follow. */
export function addInt(a: Int, b: Int): Int | CelError {
  if (typeof a === 'number' && typeof b === 'number') {
    const sum = a + b
    if (Number.isSafeInteger(sum)) return sum
  }
  return checkedInt(BigInt(a) + BigInt(b))
}

export function subtractInt(a: Int, b: Int): Int | CelError {
  if (typeof a === 'number' && typeof b === 'number') {
    const difference = a - b
    if (Number.isSafeInteger(difference)) return difference
  }
  return checkedInt(BigInt(a) - BigInt(b))
}

export function multiplyInt(a: Int, b: Int): Int | CelError {
  if (typeof a === 'number' && typeof b === 'number') {
    const product = a * b
    if (Number.isSafeInteger(product)) return product + 0
  }
  return checkedInt(BigInt(a) * BigInt(b))
}

/** Truncates toward zero. */
export function divideInt(a: Int, b: Int): Int | CelError {
  if (b === 0) return divisionByZero
  if (typeof a === 'number' && typeof b === 'number') return Math.trunc(a / b) + 0
  return checkedInt(BigInt(a) / BigInt(b))
}

/** Has the sign of `a`. */
export function moduloInt(a: Int, b: Int): Int | CelError {
  if (b === 0) return modulusByZero
  if (typeof a === 'number' && typeof b === 'number') return (a % b) + 0
  const left = BigInt(a)
  const right = BigInt(b)
  return left === int64Min && right === -1n ? intOverflow : intOf(left % right)
}

export function negateInt(a: Int): Int | CelError {
  return typeof a === 'number' ? 0 - a : checkedInt(-a)
}
