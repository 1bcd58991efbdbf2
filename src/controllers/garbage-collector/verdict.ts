/** What becomes of an object with owners. Pure. Source: garbage collection as the Kubernetes API documents it. */

import type { GraphItem } from './graph.ts'
import type { Item, Reference } from './item.ts'

/** One reference and what is behind it. */
export interface Resolved {
  readonly reference: Reference
  /** `waiting`: the owner's foreground deletion waits for its dependents. */
  readonly owner: 'present' | 'absent' | 'waiting'
}

export type Propagation = 'Foreground' | 'Background' | 'Orphan'

type Verdict =
  | { readonly type: 'keep' }
  /** It has an owner left: the references to the others go. */
  | { readonly type: 'loosen'; readonly uids: readonly string[] }
  /** `unblock`: nobody waits for it first, so that owners in a circle do not wait for each other. */
  | { readonly type: 'delete'; readonly propagation: Propagation; readonly unblock: boolean }

/** What is to be done with an object, by its owners and those that wait for it. Pure. */
export function judge(
  item: Item,
  finalizers: readonly string[],
  resolved: readonly Resolved[],
  dependents: readonly GraphItem[],
): Verdict {
  if (resolved.length === 0) return { type: 'keep' }
  const lost = resolved.filter(({ owner }) => owner !== 'present')
  if (lost.length === 0) return { type: 'keep' }
  if (lost.length < resolved.length) {
    return { type: 'loosen', uids: lost.map(({ reference }) => reference.uid) }
  }
  if (resolved.some(({ owner }) => owner === 'waiting') && dependents.length > 0) {
    const unblock =
      dependents.some(({ phase }) => phase === 'foreground') && item.references.some(({ blocks }) => blocks)
    return { type: 'delete', propagation: 'Foreground', unblock }
  }
  return { type: 'delete', propagation: usual(finalizers), unblock: false }
}

/** What the object itself asks for. */
function usual(finalizers: readonly string[]): Propagation {
  if (finalizers.includes('orphan')) return 'Orphan'
  return finalizers.includes('foregroundDeletion') ? 'Foreground' : 'Background'
}
