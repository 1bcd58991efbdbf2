/** How large values can be at most, and what is in them. */

import type { CelType } from '../types.ts'

export interface Shape {
  /** Code points, bytes, elements or entries; 1 for values without a size. */
  readonly size: number
  /** Of the elements of a list, of the values of a map. Optionals have the shape of what they hold. */
  element(): Shape
  /** Of the keys of a map. */
  key(): Shape
}

/** Most bytes of a request, and so of a value without a declared size. */
const requestBytesMax = 3 * 1024 * 1024

export const unknownShape: Shape = {
  size: requestBytesMax,
  element: () => unknownShape,
  key: () => unknownShape,
}

export const scalar: Shape = { size: 1, element: () => unknownShape, key: () => unknownShape }

/** A text, or a list or map of what is not known closer. */
export function sized(size: number): Shape {
  return { ...unknownShape, size }
}

export function listShape(size: number, element: () => Shape): Shape {
  return { size, element, key: () => unknownShape }
}

/** What is known of the size of values of a type; without a declared size, the largest there may be. */
export function shapeOf(type: CelType | undefined): Shape {
  switch (type?.kind) {
    case 'string':
    case 'bytes':
      return sized(type.sizeMax ?? requestBytesMax)
    case 'list':
      return listShape(type.sizeMax ?? requestBytesMax, () => shapeOf(type.element))
    case 'map':
      return {
        size: type.sizeMax ?? requestBytesMax,
        element: () => shapeOf(type.value),
        key: () => shapeOf(type.key),
      }
    case 'optional':
      return shapeOf(type.element)
    case 'dyn':
    case 'object':
    case 'opaque':
    case undefined:
      return unknownShape
    default:
      return scalar
  }
}

/** Holds what either may be. */
export function wider(a: Shape, b: Shape): Shape {
  if (a === b) return a
  return {
    size: Math.max(a.size, b.size),
    element: () => wider(a.element(), b.element()),
    key: () => wider(a.key(), b.key()),
  }
}

/** A shape into which values of all of these fit. */
export function widest(shapes: readonly Shape[]): Shape {
  const [first = scalar, ...others] = shapes
  return others.reduce(wider, first)
}
