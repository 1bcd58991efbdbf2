/**
 * The order of a merged list: items that the patch speaks of, in the patch's order, woven into the others, in the
 * order they had. An item of the others comes before a patch item only where it stood before it.
 */

import { isJsonObject, type JsonValue } from '../json.ts'
import { own } from '../own.ts'
import { PatchProblem, shorten } from './strategic-directives.ts'

/** Tells items apart: objects by their merge key, scalars by themselves. */
export function identityOf(item: JsonValue, mergeKey: string | undefined): string {
  if (mergeKey === undefined) return JSON.stringify(item)
  const value = isJsonObject(item) ? own(item, mergeKey) : undefined
  if (value === undefined) {
    throw new PatchProblem(`map: ${shorten(item)} does not contain declared merge key: ${mergeKey}`)
  }
  return JSON.stringify(value)
}

/** `patchOrder`: the items that the patch speaks of; `before`: the list as it was. */
export function inPatchOrder(
  merged: readonly JsonValue[],
  patchOrder: readonly JsonValue[],
  before: readonly JsonValue[],
  mergeKey: string | undefined,
): readonly JsonValue[] {
  const ranks = placesOf(patchOrder, mergeKey)
  const places = placesOf(before, mergeKey)
  const placed = merged.map((item) => {
    const identity = identityOf(item, mergeKey)
    return { item, rank: ranks.get(identity), place: places.get(identity) }
  })
  const spoken = placed.filter(({ rank }) => rank !== undefined).sort((a, b) => (a.rank ?? 0) - (b.rank ?? 0))
  const others = placed.filter(({ rank }) => rank === undefined)
  others.sort((a, b) => (a.place ?? 0) - (b.place ?? 0))
  const ordered: JsonValue[] = []
  let i = 0
  for (const next of spoken) {
    while (isBefore(others[i]?.place, next.place)) ordered.push(others[i++]?.item ?? null)
    ordered.push(next.item)
  }
  for (; i < others.length; i++) ordered.push(others[i]?.item ?? null)
  return ordered
}

function isBefore(a: number | undefined, b: number | undefined): boolean {
  return a !== undefined && b !== undefined && a < b
}

function placesOf(list: readonly JsonValue[], mergeKey: string | undefined): ReadonlyMap<string, number> {
  const places = new Map<string, number>()
  for (const [place, item] of list.entries()) {
    const identity = identityOf(item, mergeKey)
    if (!places.has(identity)) places.set(identity, place)
  }
  return places
}

/** The patch's items must stand in the element order list, in the same order. */
export function checkOrderMatches(
  patch: readonly JsonValue[],
  order: readonly JsonValue[],
  mergeKey: string | undefined,
): void {
  const places = placesOf(order, mergeKey)
  let last = -1
  for (const item of patch) {
    if (isJsonObject(item) && item['$patch'] !== undefined) continue
    const place = places.get(identityOf(item, mergeKey))
    if (place === undefined || place < last) {
      throw new PatchProblem(
        `The order in patch list:\n${shorten(patch)}\n doesn't match $setElementOrder list:\n${shorten(order)}\n`,
      )
    }
    last = place
  }
}
