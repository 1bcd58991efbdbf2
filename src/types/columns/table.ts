/**
 * Columns of the table form, for people at a terminal: what a type says of its objects in one line each.
 *
 * Cells are made from objects of the STORAGE version, whatever version a client asks for, so that all versions of a
 * resource read the same. Everything here is pure; ages are counted from the time that is handed in.
 *
 * Source: specification, "Table representation".
 */

import { isJsonObject, type JsonObject, type JsonValue } from '../../json.ts'
import type { ApiObject } from '../object.ts'

/** As it stands in `columnDefinitions`, members in this order. */
export interface ColumnDefinition {
  readonly name: string
  /** A hint: cells of a `string` column may be numbers. */
  readonly type: 'string' | 'integer' | 'number' | 'boolean' | 'date'
  /** `name` marks the column that identifies the object; else ''. */
  readonly format: string
  readonly description: string
  /** 0 = always shown; higher = shown in wide output. */
  readonly priority: number
}

/** Something that a client may want to show of a whole row: a pod that is done is printed dimmed, or left out. */
export interface RowCondition {
  readonly type: string
  readonly status: string
  readonly reason: string
  readonly message: string
}

export interface TableColumns {
  readonly definitions: readonly ColumnDefinition[]
  /** One value for each definition. `nowMs`: wall-clock time, milliseconds since 1970. */
  cells(object: ApiObject, nowMs: number): readonly JsonValue[]
  /** Absent, or empty = the row has none. */
  conditions?(object: ApiObject): readonly RowCondition[]
  /** Order of the rows of a list, where it is not that of the keys. As for `Array.sort`. */
  compare?(a: ApiObject, b: ApiObject): number
}

/** What cells are made from: the object, its usual parts (empty where absent) and the time. */
export interface Row {
  readonly object: JsonObject
  readonly metadata: JsonObject
  readonly spec: JsonObject
  readonly status: JsonObject
  readonly nowMs: number
}

export interface Column<R = Row> extends ColumnDefinition {
  readonly cell: (row: R) => JsonValue
}

type CellOf<R> = (row: R) => JsonValue

export function text<R = Row>(name: string, description: string, cell: CellOf<R>): Column<R> {
  return { name, type: 'string', format: '', description, priority: 0, cell }
}

export function integer<R = Row>(name: string, description: string, cell: CellOf<R>): Column<R> {
  return { ...text(name, description, cell), type: 'integer' }
}

export function boolean<R = Row>(name: string, description: string, cell: CellOf<R>): Column<R> {
  return { ...text(name, description, cell), type: 'boolean' }
}

/** The same column, shown in wide output only. */
export function wide<R>(column: Column<R>): Column<R> {
  return { ...column, priority: 1 }
}

export function tableOf(columns: readonly Column[]): TableColumns {
  return tableFrom(columns, (row) => row)
}

/** `read` works out once for each row what several of its cells need. */
export function tableFrom<R>(columns: readonly Column<R>[], read: (row: Row) => R): TableColumns {
  return {
    definitions: columns.map(({ name, type, format, description, priority }) => ({
      name,
      type,
      format,
      description,
      priority,
    })),
    cells(object, nowMs) {
      const row = read(rowOf(object, nowMs))
      return columns.map(({ cell }) => cell(row))
    },
  }
}

const nothing: JsonObject = {}

export function rowOf(object: ApiObject, nowMs: number): Row {
  const json = jsonOf(object)
  const part = (name: string): JsonObject => {
    const value = json[name]
    return isJsonObject(value) ? value : nothing
  }
  return { object: json, metadata: part('metadata'), spec: part('spec'), status: part('status'), nowMs }
}

/** An object is JSON: its metadata is typed more narrowly, no more. */
function jsonOf(object: ApiObject): JsonObject {
  return object as unknown as JsonObject
}
