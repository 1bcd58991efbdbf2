/**
 * Directives of a strategic merge patch: what a patch says beside values.
 *
 *     $patch: replace | delete | merge              what happens to this object, or to this list
 *     $retainKeys: [a, b]                           of this object only these keys stay
 *     $setElementOrder/containers: [{name: a}, …]   order of a list's items
 *     $deleteFromPrimitiveList/finalizers: [x]      items to take out of a list of scalars
 *
 * Source: Kubernetes API conventions, "Strategic merge patch".
 */

import { isJsonObject, type JsonObject, type JsonValue } from '../json.ts'
import { setOwn } from '../own.ts'

export const patchDirective = '$patch'
export const retainKeysDirective = '$retainKeys'
export const setElementOrderPrefix = '$setElementOrder/'
export const deleteFromListPrefix = '$deleteFromPrimitiveList/'

type PatchDirective = 'replace' | 'delete' | 'merge'

/** The directive of an object; undefined = none; an unknown one is a failure of the whole patch. */
export function directiveOf(patch: JsonObject): PatchDirective | undefined {
  const directive = patch[patchDirective]
  if (directive === undefined) return undefined
  if (directive === 'replace' || directive === 'delete' || directive === 'merge') return directive
  throw new PatchProblem(`unknown patch type: ${JSON.stringify(directive)} in map: ${shorten(patch)}`)
}

/** Thrown and caught inside this folder only: a patch is refused from any depth. */
export class PatchProblem extends Error {}

const shownCharactersMax = 200

/** A value for people, cut short. */
export function shorten(value: JsonValue): string {
  const text = JSON.stringify(value)
  return text.length <= shownCharactersMax ? text : `${text.slice(0, shownCharactersMax)}…`
}

function isListDirective(name: string): boolean {
  return name.startsWith(setElementOrderPrefix) || name.startsWith(deleteFromListPrefix)
}

/** What `$retainKeys` keeps; every key that the patch sets must be among them. */
export function retainedKeys(patch: JsonObject): ReadonlySet<string> | undefined {
  const keys = patch[retainKeysDirective]
  if (keys === undefined) return undefined
  if (!Array.isArray(keys)) throw new PatchProblem('invalid patch format of retainKeys')
  const retained = new Set<string>(keys.filter((key) => typeof key === 'string'))
  for (const [name, value] of Object.entries(patch)) {
    if (value === null || value === undefined || name === retainKeysDirective || name === patchDirective)
      continue
    if (!isListDirective(name) && !retained.has(name)) {
      throw new PatchProblem(`patch content doesn't match retainKeys list: ${name}`)
    }
  }
  return retained
}

/**
 * The values of a patch where there is nothing to merge into: directives and nulls fall away, items and objects
 * that are to be deleted as well (undefined).
 */
export function plainValue(patch: JsonValue): JsonValue | undefined {
  if (Array.isArray(patch)) return plainItems(patch as readonly JsonValue[])
  if (!isJsonObject(patch)) return patch
  if (directiveOf(patch) === 'delete') return undefined
  return plainFields(patch)
}

/** The same for a list; an item that is nothing but a directive is no item. */
export function plainItems(patch: readonly JsonValue[]): readonly JsonValue[] {
  const items: JsonValue[] = []
  for (const item of patch) {
    const isMark = isJsonObject(item) && directiveOf(item) !== undefined && Object.keys(item).length === 1
    const plain = isMark ? undefined : plainValue(item)
    if (plain !== undefined) items.push(plain)
  }
  return items
}

/** The same for an object whose own directive has been seen to. */
export function plainFields(patch: JsonObject): JsonObject {
  retainedKeys(patch)
  const plain: Record<string, JsonValue> = {}
  for (const [name, value] of Object.entries(patch)) {
    if (name === patchDirective || name === retainKeysDirective || isListDirective(name)) continue
    if (value === null || value === undefined) continue
    const kept = plainValue(value)
    if (kept !== undefined) setOwn(plain, name, kept)
  }
  return plain
}
