/** Texts by code points: where no character needs two UTF-16 units, a text is its own array of them. */

import { CelError } from '../../values/value.ts'

interface Characters {
  readonly size: number
  /** Code points from `start` up to `end`. */
  slice(start: number, end: number): string
  /** UTF-16 offset of a code point. */
  offsetOf(index: number): number
  /** Index of the code point at a UTF-16 offset. */
  indexOf(offset: number): number
}

const surrogate = /[\ud800-\udfff]/

/** Access to a text by code points; free for texts in which every unit is one. */
export function charactersOf(text: string): Characters {
  if (!surrogate.test(text)) {
    return {
      size: text.length,
      slice: (start, end) => text.slice(start, end),
      offsetOf: (index) => index,
      indexOf: (offset) => offset,
    }
  }
  const points = [...text]
  return {
    size: points.length,
    slice: (start, end) => points.slice(start, end).join(''),
    offsetOf: (index) => points.slice(0, index).join('').length,
    indexOf: (offset) => [...text.slice(0, offset)].length,
  }
}

/** The error of an index that the text does not have. */
export function outOfRange(index: number | bigint): CelError {
  return new CelError(`index out of range: ${index}`)
}
