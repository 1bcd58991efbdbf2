/** Whether a schema has rules at all: what compiles and runs them is loaded with the first that has. */

import type { Structural } from '../schema/structural.ts'

const known = new WeakMap<Structural, boolean>()

/** Anywhere in it. */
export function hasRules(structural: Structural): boolean {
  let found = known.get(structural)
  if (found === undefined) {
    found = structural.rules.length > 0 || childrenOf(structural).some(hasRules)
    known.set(structural, found)
  }
  return found
}

function childrenOf({ items, properties, additionalProperties }: Structural): readonly Structural[] {
  const children = [...properties.values()]
  if (items !== undefined) children.push(items)
  if (typeof additionalProperties === 'object') children.push(additionalProperties)
  return children
}
