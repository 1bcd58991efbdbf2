/**
 * The form in which a custom resource is stored and answered: members sorted by name at every level, the metadata without
 * what is empty, all else as it came. Equal objects become equal bytes.
 */

import { isJsonObject, type JsonObject, type JsonValue } from '../../json.ts'
import { own, setOwn } from '../../own.ts'
import type { MessageType } from '../../schema/descriptor.ts'
import { normalizeMessage } from '../../schema/normalize.ts'

/** A new object; parts that are sorted already are shared with the old. */
export function normalizeCustom(message: MessageType, object: JsonObject): JsonObject {
  return sortedObject({ ...object, ...normalizeMessage(message, object) })
}

function sortedValue(value: JsonValue): JsonValue {
  if (typeof value !== 'object' || value === null) return value
  return isJsonObject(value) ? sortedObject(value) : sortedList(value)
}

function sortedList(list: readonly JsonValue[]): readonly JsonValue[] {
  let copy: JsonValue[] | undefined
  for (let index = 0; index < list.length; index++) {
    const element = list[index] ?? null
    const sorted = sortedValue(element)
    if (sorted === element) continue
    copy ??= [...list]
    copy[index] = sorted
  }
  return copy ?? list
}

function sortedObject(object: JsonObject): JsonObject {
  const names = Object.keys(object)
  const isSorted = inOrder(names)
  const copy: Record<string, JsonValue> = {}
  let isSame = isSorted
  for (const name of isSorted ? names : names.sort()) {
    const member = own(object, name)
    if (member === undefined) continue
    const sorted = sortedValue(member)
    isSame &&= sorted === member
    setOwn(copy, name, sorted)
  }
  return isSame ? object : copy
}

function inOrder(names: readonly string[]): boolean {
  for (let at = 1; at < names.length; at++) if ((names[at] ?? '') < (names[at - 1] ?? '')) return false
  return true
}
