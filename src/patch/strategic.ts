/**
 * Strategic merge patch: a merge patch that knows the schema, so that lists of objects merge by a key and lists of
 * scalars by value where the schema says so, plus directives (see `strategic-directives.ts`).
 *
 * Goals: cost in proportion to the lists that the patch names; neither argument is changed; every refusal is a value.
 * Non-goals: checking the result against the schema (the decoder does), two-way diffs (clients make them).
 *
 * Source: specification, "Patch types"; Kubernetes API conventions, "Strategic merge patch".
 */

import { fail, ok, type Result } from '../../store/contract.ts'
import { isJsonObject, type JsonObject, type JsonValue } from '../json.ts'
import { own, setOwn } from '../own.ts'
import type { MessageType } from '../schema/descriptor.ts'
import {
  deleteFromListPrefix,
  directiveOf,
  PatchProblem,
  patchDirective,
  plainFields,
  plainItems,
  plainValue,
  retainedKeys,
  retainKeysDirective,
  setElementOrderPrefix,
  shorten,
} from './strategic-directives.ts'
import { checkOrderMatches, identityOf, inPatchOrder } from './strategic-order.ts'
import {
  describePlace,
  itemPlace,
  type ListStrategy,
  type PartOf,
  type Place,
  partOf,
} from './strategic-schema.ts'

/** Deeper patches are refused. */
export const strategicDepthMax = 256

interface StrategicMergePatch {
  /** Schema of the object, or of what the subresource shows. */
  readonly message: MessageType
  readonly original: JsonObject
  readonly patch: JsonObject
}

interface PatchFailure {
  /** A sentence for the client: the patch is malformed (400). */
  readonly message: string
}

/** The patched object. It may share parts with both arguments. */
export function applyStrategicMergePatch({
  message,
  original,
  patch,
}: StrategicMergePatch): Result<JsonObject, PatchFailure> {
  try {
    checkDepth(patch, 0)
    return ok(mergeObject({ kind: 'message', message }, original, patch))
  } catch (problem) {
    if (problem instanceof PatchProblem) return fail({ message: problem.message })
    throw problem
  }
}

function checkDepth(value: JsonValue, depth: number): void {
  if (typeof value !== 'object' || value === null) return
  if (depth > strategicDepthMax)
    throw new PatchProblem(`the patch is nested deeper than ${strategicDepthMax} levels`)
  for (const part of Object.values(value) as readonly (JsonValue | undefined)[]) {
    if (part !== undefined) checkDepth(part, depth + 1)
  }
}

function mergeObject(place: Place, original: JsonObject, patch: JsonObject): JsonObject {
  const directive = directiveOf(patch)
  if (directive === 'replace') return plainFields(patch)
  if (directive === 'delete') return {}
  const merged = retain(original, retainedKeys(patch))
  const ordered = mergeOrderedLists(place, merged, patch)
  for (const [name, value] of Object.entries(patch)) {
    if (value === undefined || name === patchDirective || name === retainKeysDirective || ordered.has(name))
      continue
    if (name.startsWith(setElementOrderPrefix)) continue
    if (name.startsWith(deleteFromListPrefix))
      deleteFromList(merged, listName(name, deleteFromListPrefix), value)
    else mergeField(partOf(place, name), merged, name, value)
  }
  return merged
}

function retain(original: JsonObject, keys: ReadonlySet<string> | undefined): Record<string, JsonValue> {
  const kept: Record<string, JsonValue> = {}
  for (const [name, value] of Object.entries(original)) {
    if (value !== undefined && (keys === undefined || keys.has(name))) setOwn(kept, name, value)
  }
  return kept
}

function mergeField(part: PartOf, merged: Record<string, JsonValue>, name: string, value: JsonValue): void {
  const current = own(merged, name)
  const result = value === null ? undefined : mergeValue(part, current, value, name)
  if (result === undefined) delete merged[name]
  else setOwn(merged, name, result)
}

/** Undefined = nothing stands there any more. */
function mergeValue(
  part: PartOf,
  current: JsonValue | undefined,
  patch: JsonValue,
  name: string,
): JsonValue | undefined {
  if (isJsonObject(current) && isJsonObject(patch)) {
    return part.replaces ? plainValue(patch) : mergeObject(part.place, current, patch)
  }
  if (Array.isArray(current) && Array.isArray(patch)) return mergeList(part, current, patch, name)
  return plainValue(patch)
}

function mergeList(
  part: PartOf,
  current: readonly JsonValue[],
  patch: readonly JsonValue[],
  name: string,
): readonly JsonValue[] {
  if (!part.list.merges) return plainItems(patch)
  const mergeKey = keyOf(part, current, patch, name)
  if (mergeKey === undefined) return mergeScalars(current, patch)
  return mergeItems(part.place, current, patch, mergeKey)
}

/** The merge key of a list of objects; undefined = the list holds scalars. */
function keyOf(
  { list, place }: PartOf,
  current: readonly JsonValue[],
  patch: readonly JsonValue[],
  name: string,
): string | undefined {
  let kind: 'map' | 'list' | 'scalar' | undefined
  for (const item of [...current, ...patch]) {
    const own = isJsonObject(item) ? 'map' : Array.isArray(item) ? 'list' : 'scalar'
    if (own === 'list') throw new PatchProblem(`${name}: lists of lists are not supported`)
    if (kind !== undefined && own !== kind) {
      throw new PatchProblem(`${name}: list element types are not identical: ${shorten(patch)}`)
    }
    kind = own
  }
  if (kind !== 'map') return undefined
  if (list.mergeKey === undefined) {
    throw new PatchProblem(`cannot merge lists without merge key for ${describePlace(place)}`)
  }
  return list.mergeKey
}

function mergeScalars(current: readonly JsonValue[], patch: readonly JsonValue[]): readonly JsonValue[] {
  const merged = new Map([...current, ...patch].map((item) => [JSON.stringify(item), item]))
  return inPatchOrder([...merged.values()], patch, current, undefined)
}

/** Items to delete or to replace the list with are marked in the patch by `$patch`; the others merge by key. */
function mergeItems(
  place: Place,
  current: readonly JsonValue[],
  patch: readonly JsonValue[],
  mergeKey: string,
): readonly JsonValue[] {
  const values: JsonObject[] = []
  const deleted = new Set<string>()
  let replaces = false
  for (const item of patch) {
    if (!isJsonObject(item)) continue // checked: all items are objects
    const directive = directiveOf(item)
    if (directive === 'delete') deleted.add(identityOf(item, mergeKey))
    else if (directive === 'replace') replaces = true
    else if (directive !== 'merge' || own(item, mergeKey) !== undefined) values.push(item)
  }
  if (replaces) return values.map((value) => plainFields(value))
  const kept = current.filter((item) => !deleted.has(identityOf(item, mergeKey)))
  const merged = mergeByKey(itemPlace(place), kept, values, mergeKey)
  return inPatchOrder(merged, values, kept, mergeKey)
}

function mergeByKey(
  place: Place,
  current: readonly JsonValue[],
  values: readonly JsonObject[],
  mergeKey: string,
): readonly JsonValue[] {
  const merged = [...current]
  const places = new Map<string, number>()
  for (const [index, item] of merged.entries()) {
    const identity = identityOf(item, mergeKey)
    if (!places.has(identity)) places.set(identity, index)
  }
  for (const value of values) {
    const identity = identityOf(value, mergeKey)
    const index = places.get(identity)
    const existing = index === undefined ? undefined : merged[index]
    if (index !== undefined && isJsonObject(existing)) {
      merged[index] = mergeObject(place, existing, value)
    } else {
      places.set(identity, merged.length)
      merged.push(plainFields(value))
    }
  }
  return merged
}

function listName(directive: string, prefix: string): string {
  const name = directive.slice(prefix.length)
  if (name === '') throw new PatchProblem(`${directive} names no list`)
  return name
}

function deleteFromList(merged: Record<string, JsonValue>, name: string, items: JsonValue): void {
  if (!Array.isArray(items)) throw new PatchProblem('invalid patch format of primitive list')
  const current = own(merged, name)
  if (!Array.isArray(current)) return
  const deleted = new Set((items as readonly JsonValue[]).map((item) => JSON.stringify(item)))
  setOwn(
    merged,
    name,
    (current as readonly JsonValue[]).filter((item) => !deleted.has(JSON.stringify(item))),
  )
}

/** Lists whose order the patch sets, their own patches included. Returns the names that are done. */
function mergeOrderedLists(
  place: Place,
  merged: Record<string, JsonValue>,
  patch: JsonObject,
): ReadonlySet<string> {
  const done = new Set<string>()
  for (const [directive, order] of Object.entries(patch)) {
    if (!directive.startsWith(setElementOrderPrefix)) continue
    const name = listName(directive, setElementOrderPrefix)
    const list = orderedList(partOf(place, name), name, own(merged, name), own(patch, name), order)
    if (list === undefined) continue
    setOwn(merged, name, list)
    done.add(name)
  }
  return done
}

/** Undefined = there is no list to order, neither now nor in the patch. */
function orderedList(
  part: PartOf,
  name: string,
  current: JsonValue | undefined,
  patch: JsonValue | undefined,
  order: JsonValue | undefined,
): readonly JsonValue[] | undefined {
  if (!isListOrAbsent(order) || !isListOrAbsent(current)) {
    throw new PatchProblem('invalid patch format of setElementOrder list')
  }
  if (patch === null || order === undefined) return undefined
  if (!isListOrAbsent(patch)) throw new PatchProblem(`${name}: expected a list, got ${shorten(patch)}`)
  if (current === undefined && patch === undefined) return undefined
  const mergeKey = orderKey(part.list, [...(current ?? []), ...(patch ?? []), ...order])
  checkOrderMatches(patch ?? [], order, mergeKey)
  const plain = patch === undefined ? [] : plainItems(patch)
  const merged =
    current === undefined ? plain : patch === undefined ? current : mergeList(part, current, patch, name)
  return inPatchOrder(merged, order, current ?? [], mergeKey)
}

function orderKey(list: ListStrategy, items: readonly JsonValue[]): string | undefined {
  return items.some(isJsonObject) ? list.mergeKey : undefined
}

function isListOrAbsent(value: JsonValue | undefined): value is readonly JsonValue[] | undefined {
  return value === undefined || Array.isArray(value)
}
