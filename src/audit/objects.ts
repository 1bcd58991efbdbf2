/** Objects as entries show them. */

import { isJsonObject, type JsonObject, type JsonValue } from '../json.ts'

/** On one line, whatever a client has sent; what is no JSON becomes a text. */
export function onOneLine(text: string): string {
  try {
    return JSON.stringify(JSON.parse(text))
  } catch {
    return JSON.stringify(text)
  }
}

/** JSON text of the same object, list or table, without the managed fields of its objects. */
export function withoutManagedFields(text: string): string {
  const value: unknown = JSON.parse(text)
  return isJsonObject(value) ? JSON.stringify(cleanAll(value)) : text
}

function cleanAll(value: JsonObject): JsonObject {
  const { items, rows } = value
  const made = clean(value)
  if (Array.isArray(items)) return { ...made, items: items.map(cleanItem) }
  return Array.isArray(rows) ? { ...made, rows: rows.map(cleanRow) } : made
}

function clean(object: JsonObject): JsonObject {
  const { metadata } = object
  if (!isJsonObject(metadata) || metadata['managedFields'] === undefined) return object
  const { managedFields: _, ...rest } = metadata
  return { ...object, metadata: rest }
}

function cleanItem(item: JsonValue): JsonValue {
  return isJsonObject(item) ? clean(item) : item
}

function cleanRow(row: JsonValue): JsonValue {
  return isJsonObject(row) && isJsonObject(row['object']) ? { ...row, object: clean(row['object']) } : row
}
