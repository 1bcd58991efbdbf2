/**
 * What field ownership needs to know of a type, resolved once: which parts are owned one by one and which as a
 * whole, how the items of a list are told apart, and the step that each field is in a field set.
 *
 * Source: specification, "Server-side apply" (merge markers).
 */

import type { JsonValue } from '../json.ts'
import type { ScalarType } from '../schema/descriptor.ts'

export type Shape = LeafShape | StructShape | MapShape | ListShape | DeducedShape | UntrackedShape

interface LeafShape {
  readonly kind: 'leaf'
  /** `any`: of whatever kind, as long as it has no parts. */
  readonly scalar: ScalarType | 'any'
}

/** An object with named fields. `fields` is made at the first use: messages may hold themselves, and be many. */
export interface StructShape {
  readonly kind: 'struct'
  readonly atomic: boolean
  readonly fields: ReadonlyMap<string, FieldShape>
  /** What fields are that `fields` does not name; undefined = a body may have none. */
  readonly others: Shape | undefined
  /** A value that is no object may stand here too: it is owned as a whole. */
  readonly isOpen: boolean
  /** Null is a value like any other: a body that says it does not mean that the field is absent. */
  readonly keepsNulls: boolean
  /** False for the metadata of the object itself: only its parts are owned. */
  readonly selfTracked: boolean
}

export interface FieldShape {
  readonly element: string
  readonly shape: Shape
}

export interface MapShape {
  readonly kind: 'map'
  readonly atomic: boolean
  readonly value: Shape
}

export type ListShape =
  | { readonly kind: 'list'; readonly type: 'atomic' | 'set'; readonly item: Shape }
  | { readonly kind: 'list'; readonly type: 'map'; readonly item: Shape; readonly keys: readonly ListKey[] }

export interface ListKey {
  readonly name: string
  /** Stands for an absent key; undefined = the key must be given. */
  readonly default: JsonValue | undefined
  /** Stands for an absent key in an object that the server printed; a body must still give it. */
  readonly zero: JsonValue | undefined
}

/** Parts that no schema describes: objects field by field, lists as a whole. */
interface DeducedShape {
  readonly kind: 'deduced'
}

/** Fields that have no owner: what the server alone decides about the object itself. */
interface UntrackedShape {
  readonly kind: 'untracked'
}

/** A text without parts. */
export const text: LeafShape = { kind: 'leaf', scalar: 'string' }
export const deduced: DeducedShape = { kind: 'deduced' }
export const untracked: UntrackedShape = { kind: 'untracked' }

/** What a field of an object is. */
export function partOf(shape: StructShape, name: string): Shape {
  return shape.fields.get(name)?.shape ?? shape.others ?? deduced
}
