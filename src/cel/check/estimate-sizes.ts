/** Sizes and costs of estimates: whole numbers that stop at the largest one of 64 bits, which stands for "no bound". */

/** Code points, bytes, elements or entries. */
export interface Size {
  readonly min: number
  readonly max: number
}

/** No bound. */
const unbounded = 2 ** 64

export const one: Size = { min: 1, max: 1 }
/** Nothing is known of it. */
export const anySize: Size = { min: 0, max: unbounded }

export function plus(a: number, b: number): number {
  return Math.min(a + b, unbounded)
}

export function times(a: number, b: number): number {
  return Math.min(a * b, unbounded)
}

/** A cost of `perUnit` for each of `count`, rounded up. */
export function scaled(count: number, perUnit: number): number {
  return Math.min(Math.ceil(count * perUnit), unbounded)
}

/** Passing over a text once. */
export function traversal(size: Size, passes = 1): number {
  return scaled(size.max, 0.1 * passes)
}

export function exactly(size: number): Size {
  return { min: size, max: size }
}

export function sizesPlus(a: Size, b: Size): Size {
  return { min: plus(a.min, b.min), max: plus(a.max, b.max) }
}

export function sizesTimes(a: Size, b: Size): Size {
  return { min: times(a.min, b.min), max: times(a.max, b.max) }
}

export function eitherSize(a: Size, b: Size): Size {
  return { min: Math.min(a.min, b.min), max: Math.max(a.max, b.max) }
}
