/** Reading and changing parts of a decoded object, whose members may be absent. */

import { isJsonObject, type JsonObject, type JsonValue } from '../json.ts'
import type { Draft } from '../schema/defaults.ts'
import type { ApiObject } from './object.ts'

/** The whole object as a draft: its metadata is plain JSON too. */
export function draftOf(object: ApiObject): Draft {
  return object as unknown as Draft
}

/** The object at `path`; undefined when there is none. */
export function objectAt(object: JsonObject | ApiObject, ...path: readonly string[]): Draft | undefined {
  let value: JsonValue | undefined = object as JsonObject
  for (const step of path) value = isJsonObject(value) ? value[step] : undefined
  return isJsonObject(value) ? (value as Draft) : undefined
}

/** The object at `path`, made when there is none. */
export function ensureObject(object: Draft, ...path: readonly string[]): Draft {
  let at = object
  for (const step of path) {
    let next = objectAt(at, step)
    if (next === undefined) {
      next = {}
      at[step] = next
    }
    at = next
  }
  return at
}

/** The objects of the list `name`; none when there is no list. */
export function objectsAt(object: JsonObject | undefined, name: string): readonly Draft[] {
  const list = object?.[name]
  return Array.isArray(list) ? (list.filter(isJsonObject) as Draft[]) : []
}

/** '' when there is no text. */
export function textAt(object: JsonObject | undefined, name: string): string {
  const value = object?.[name]
  return typeof value === 'string' ? value : ''
}

/** Sets the member when there is none. */
export function setDefault(object: Draft, name: string, value: JsonValue): void {
  if (object[name] === undefined) object[name] = value
}
