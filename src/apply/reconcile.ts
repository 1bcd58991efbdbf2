/**
 * Sets that were written when the schema owned a part field by field, while it owns it whole now: whoever owned a
 * piece owns all of it. The reverse needs no change: an owner of the whole is no owner of the pieces.
 *
 * Source: specification, "Server-side apply" (changing a field from map, set or granular to atomic).
 */

import { self } from './element.ts'
import { emptySet, type FieldSet, hasParts } from './field-set.ts'
import type { Shape, StructShape } from './shape.ts'

/** The same set when the schema has not changed under it. */
export function reconciled(shape: StructShape, set: FieldSet): FieldSet {
  return reconcileParts(shape, set)
}

function reconcileNode(shape: Shape, node: FieldSet): FieldSet {
  if (!hasParts(node)) return node
  switch (shape.kind) {
    case 'leaf':
    case 'deduced':
    case 'untracked':
      return node
    case 'map':
      // What may hold anything is not looked into, whatever owns it now.
      if (isAnything(shape.value)) return node
      return shape.atomic ? emptySet : reconcileParts(shape, node)
    case 'struct':
      return shape.atomic ? emptySet : reconcileParts(shape, node)
    case 'list':
      return shape.type === 'atomic' ? emptySet : reconcileParts(shape, node)
  }
}

function reconcileParts(shape: Shape, set: FieldSet): FieldSet {
  let out: Record<string, FieldSet> | undefined
  for (const element in set) {
    const node = set[element]
    if (node === undefined || element === self) continue
    const part = partShape(shape, element)
    const after = part === undefined ? node : reconcileNode(part, node)
    if (after === node) continue
    out ??= { ...set }
    out[element] = after
  }
  return out ?? set
}

function partShape(shape: Shape, element: string): Shape | undefined {
  switch (shape.kind) {
    case 'struct':
      return shape.fields.get(element.slice(2))?.shape ?? shape.others
    case 'map':
      return shape.value
    case 'list':
      return shape.item
    default:
      return undefined
  }
}

function isAnything(shape: Shape): boolean {
  switch (shape.kind) {
    case 'deduced':
      return true
    case 'leaf':
      return shape.scalar === 'any'
    case 'struct':
      return shape.isOpen
    default:
      return false
  }
}
