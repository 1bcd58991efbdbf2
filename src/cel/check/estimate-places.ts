/** Where in a schema the parts of an expression stand, and how large it lets them be. */

import type { CelType } from '../types.ts'
import type { Size } from './estimate-sizes.ts'

/** The type that a path from `self` ends at; undefined = there is none. */
export interface Place {
  readonly type: CelType | undefined
}

/** What is known of a part of an expression. */
export interface Estimate {
  /** What evaluating it costs. */
  readonly cost: number
  /** Undefined = no path leads to it. */
  readonly place?: Place
  /** Of literals, and of what functions say of their results. */
  readonly size?: Size
  readonly type: CelType | undefined
}

export type PathStep = 'elements' | 'keys' | { readonly field: string }

/** One step of a path. Elements of lists and values of maps are found by the same one. */
export function within({ type }: Place, step: PathStep): Place {
  if (step === 'keys') return { type: type?.kind === 'map' ? type.key : undefined }
  if (step === 'elements') {
    if (type?.kind === 'list') return { type: type.element }
    return { type: type?.kind === 'map' ? type.value : undefined }
  }
  return { type: type?.kind === 'object' ? type.fields.get(step.field)?.type : undefined }
}

/** Undefined = nothing says it. What a path leads to and declares no size has none. */
export function declaredSize({ size, place }: Pick<Estimate, 'size' | 'place'>): Size | undefined {
  if (size !== undefined) return size
  const type = place?.type
  if (type === undefined) return undefined
  return { min: 0, max: 'sizeMax' in type ? (type.sizeMax ?? 0) : 0 }
}
