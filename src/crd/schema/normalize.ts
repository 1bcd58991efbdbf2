/**
 * The form in which a custom resource is stored and answered: members sorted by name at every level, the metadata without
 * what is empty, all else as it came. Equal objects become equal bytes.
 */

import { isJsonObject, type JsonObject, type JsonValue } from '../../json.ts'
import { setOwn } from '../../own.ts'
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
  if (!isSorted) names.sort()
  let copy: Record<string, JsonValue> | undefined = isSorted ? undefined : {}
  for (let at = 0; at < names.length; at++) {
    const name = names[at] ?? ''
    const member = object[name]
    const sorted = member === undefined ? undefined : sortedValue(member)
    if (copy === undefined) {
      if (sorted === member && sorted !== undefined) continue
      copy = {}
      for (let before = 0; before < at; before++) copyMember(copy, object, names[before] ?? '')
    }
    if (sorted !== undefined) setOwn(copy, name, sorted)
  }
  return copy ?? object
}

function copyMember(copy: Record<string, JsonValue>, object: JsonObject, name: string): void {
  const member = object[name]
  if (member !== undefined) setOwn(copy, name, member)
}

function inOrder(names: readonly string[]): boolean {
  for (let at = 1; at < names.length; at++) if ((names[at] ?? '') < (names[at - 1] ?? '')) return false
  return true
}
