/**
 * An apply body merged into the live object: the body wins where it says something, everything else stays. Items
 * of sets and list maps are merged one by one.
 *
 * Order of a merged list: the body's items in the body's order, the others where they stood relative to their
 * neighbours.
 *
 *     live  a b c d    body  d x b    →    a c d x b
 */

import { isJsonObject, type JsonObject, type JsonValue } from '../json.ts'
import { own, setOwn } from '../own.ts'
import { isList, sameValue } from './equality.ts'
import { itemElement } from './list-items.ts'
import { deduced, type ListShape, partOf, type Shape, type StructShape } from './shape.ts'

/** Shares parts with both and changes neither; returns `live` itself when the body says nothing new. */
export function mergeObjects(shape: StructShape, live: JsonObject, body: JsonObject): JsonObject {
  return mergeFields(live, body, (name) => partOf(shape, name))
}

function mergeValue(shape: Shape, live: JsonValue, body: JsonValue): JsonValue {
  switch (shape.kind) {
    case 'leaf':
    case 'untracked':
      return sameValue(shape, live, body) ? live : body
    case 'struct':
      return mergeParts(shape.atomic, shape, live, body, (name) => partOf(shape, name))
    case 'map':
      return mergeParts(shape.atomic, shape, live, body, () => shape.value)
    case 'deduced':
      return mergeParts(false, shape, live, body, () => deduced)
    case 'list':
      if (shape.type === 'atomic' || !isListOrNull(live) || !isListOrNull(body)) break
      if ((live?.length ?? 0) === 0)
        return (body?.length ?? 0) === 0 && sameValue(shape, live, body) ? live : body
      return body === null || body.length === 0 ? live : mergeItems(shape, live ?? [], body)
  }
  return sameValue(shape, live, body) ? live : body
}

function isListOrNull(value: JsonValue): value is readonly JsonValue[] | null {
  return value === null || isList(value)
}

function mergeParts(
  atomic: boolean,
  shape: Shape,
  live: JsonValue,
  body: JsonValue,
  shapeOf: (name: string) => Shape,
): JsonValue {
  if (atomic) return sameValue(shape, live, body) ? live : body
  if (isJsonObject(live) && isJsonObject(body)) return mergeFields(live, body, shapeOf)
  // Null says nothing about the parts of an object that is there.
  if (body === null && isJsonObject(live) && Object.keys(live).length > 0) return live
  return sameValue(shape, live, body) ? live : body
}

function mergeFields(live: JsonObject, body: JsonObject, shapeOf: (name: string) => Shape): JsonObject {
  let merged: Record<string, JsonValue | undefined> | undefined
  for (const name in body) {
    const said = body[name]
    if (said === undefined) continue
    const current = own(live, name)
    const value = current === undefined ? said : mergeValue(shapeOf(name), current, said)
    if (value === current) continue
    merged ??= { ...live }
    setOwn(merged, name, value)
  }
  return merged ?? live
}

function elementOf(shape: ListShape, item: JsonValue): string {
  const element = itemElement(shape, item, false)
  // Items without a key of their own are alike; both lists were checked before they came here.
  return element.ok ? element.value : ''
}

function mergeItems(
  shape: ListShape,
  live: readonly JsonValue[],
  body: readonly JsonValue[],
): readonly JsonValue[] {
  const liveElements = live.map((item) => elementOf(shape, item))
  const bodyElements = body.map((item) => elementOf(shape, item))
  const said = new Set(bodyElements)
  const liveItems = uniqueItems(liveElements, live)
  const mergedItem = (at: number): JsonValue => {
    const own = body[at] ?? null
    const current = liveItems.get(bodyElements[at] ?? '')
    return current === undefined ? own : mergeValue(shape.item, current, own)
  }
  const shared = bodyElements.filter((element) => liveItems.has(element))
  const merged: JsonValue[] = []
  const done = new Set<string>()
  let nextShared = 0
  let i = 0
  let j = 0
  while (i < live.length || j < body.length) {
    const liveElement = liveElements[i]
    const bodyElement = bodyElements[j]
    if (liveElement !== undefined && liveElement !== bodyElement) {
      if (!said.has(liveElement)) {
        merged.push(live[i] ?? null)
        i++
        continue
      }
      // Said by the body: it comes when its turn among the shared items has come.
      const isLater =
        bodyElement !== undefined && nextShared < shared.length && shared[nextShared] !== liveElement
      if (isLater || done.has(liveElement)) i++
      if (isLater) continue
    }
    if (bodyElement === undefined) continue
    merged.push(mergedItem(j))
    done.add(bodyElement)
    if (liveElement === bodyElement) i++
    if (shared[nextShared] === bodyElement) nextShared++
    j++
  }
  return merged.length === live.length && merged.every((item, index) => item === live[index]) ? live : merged
}

/** Items by their step; the ones that stand more than once are there with nothing to merge into. */
function uniqueItems(
  elements: readonly string[],
  items: readonly JsonValue[],
): ReadonlyMap<string, JsonValue | undefined> {
  const unique = new Map<string, JsonValue | undefined>()
  for (const [index, element] of elements.entries()) {
    unique.set(element, unique.has(element) ? undefined : items[index])
  }
  return unique
}
