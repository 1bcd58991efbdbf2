/** How one gets from a node of a schema to those below it. */

import type { Structural } from './structural.ts'

/** The nodes right below: of members, of members that nothing names, of elements. */
function* childrenOf(node: Structural): Iterable<Structural> {
  yield* node.properties.values()
  if (node.additionalProperties !== undefined && node.additionalProperties !== true)
    yield node.additionalProperties
  if (node.items !== undefined) yield node.items
}

/** Tells of a node whether something holds of it or of a node below it. Looks once. */
export function isConcernedBy(isWanted: (node: Structural) => boolean): (node: Structural) => boolean {
  const known = new WeakMap<Structural, boolean>()
  const isConcerned = (node: Structural): boolean => {
    let concerned = known.get(node)
    if (concerned === undefined) {
      concerned = isWanted(node)
      for (const child of childrenOf(node)) concerned = isConcerned(child) || concerned
      known.set(node, concerned)
    }
    return concerned
  }
  return isConcerned
}
