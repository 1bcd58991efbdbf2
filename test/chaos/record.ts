/** What clients asked and were told, for the checks at the end. */

import type { Item } from './client.ts'

/** A write of a value that no other write has. */
export interface Write {
  readonly node: string
  readonly name: string
  readonly value: number
  /** undefined: unguarded; 0: a create. */
  readonly guard: number | undefined
  readonly startMs: number
  /** Infinity: no answer. */
  readonly endMs: number
  readonly fate:
    | { readonly type: 'done'; readonly revision: number }
    | { readonly type: 'guardFailed' }
    | { readonly type: 'refused'; readonly why: string }
    | { readonly type: 'unknown'; readonly why: string }
}

export interface Read {
  readonly node: string
  readonly name: string
  readonly startMs: number
  readonly endMs: number
  /** undefined: not there. */
  readonly found: Item | undefined
}

export interface Record {
  readonly writes: Write[]
  readonly reads: Read[]
  /** Answers that no client should get, and other breaches seen on the way. */
  readonly complaints: string[]
  /** Unique in a run, never 0. */
  nextValue(): number
}

export function createRecord(): Record {
  let value = 0
  return { writes: [], reads: [], complaints: [], nextValue: () => ++value }
}
