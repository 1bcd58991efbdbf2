/**
 * Reading decoded objects. The decoder has checked every value against its schema, so a list that the schema calls a
 * list of objects holds objects, and nothing is checked or copied twice.
 */

import { isJsonObject, type JsonObject, type JsonValue } from '../../json.ts'
import type { ApiObject } from '../object.ts'

export type Given = JsonObject | undefined

/** An ApiObject is plain JSON: it only names what the decoder has checked. */
export function jsonOf(object: ApiObject): JsonObject {
  return object as JsonObject
}

export function objectIn(object: Given, name: string): Given {
  const value = object?.[name]
  return isJsonObject(value) ? value : undefined
}

/** `spec`, as nearly every type has one; empty where there is none. */
export function specOf(object: ApiObject): JsonObject {
  const spec = object['spec']
  return isJsonObject(spec) ? spec : {}
}

const none: readonly never[] = []

/** The elements of a list of objects. */
export function itemsIn(object: Given, name: string): readonly JsonObject[] {
  const value = object?.[name]
  return Array.isArray(value) ? (value as readonly JsonObject[]) : none
}

/** '' where there is no text. */
export function textIn(object: Given, name: string): string {
  const value = object?.[name]
  return typeof value === 'string' ? value : ''
}

/** The elements of a list of texts. */
export function textsIn(object: Given, name: string): readonly string[] {
  const value = object?.[name]
  return Array.isArray(value) ? (value as readonly string[]) : none
}

/** The elements of a list of numbers. */
export function numbersIn(object: Given, name: string): readonly number[] {
  const value = object?.[name]
  return Array.isArray(value) ? (value as readonly number[]) : none
}

export function numberIn(object: Given, name: string): number | undefined {
  const value = object?.[name]
  return typeof value === 'number' ? value : undefined
}

/** The members of a map, in the order of the object. */
export function entriesIn(object: Given, name: string): readonly [string, JsonValue | undefined][] {
  const value = object?.[name]
  return isJsonObject(value) ? Object.entries(value) : none
}

/** Has it, be it zero or empty? */
export function has(object: Given, name: string): boolean {
  return object?.[name] !== undefined
}

/** Which of the names the object has. */
export function present(object: Given, names: readonly string[]): readonly string[] {
  return object === undefined ? none : names.filter((name) => object[name] !== undefined)
}
