/**
 * Columns of the table form, for people at a terminal.
 *
 * Source: specification, "Table representation": the two columns of types without a definition of their own.
 */

import type { JsonValue } from '../json.ts'
import type { ApiObject } from '../types/object.ts'

export interface ColumnDefinition {
  readonly name: string
  /** `string`, `integer`, `number`, `boolean`, `date`. */
  readonly type: string
  /** `name` marks the column that identifies the object; else ''. */
  readonly format: string
  readonly description: string
  /** 0 = always shown; higher = shown in wide output. */
  readonly priority: number
}

export interface TableColumns {
  readonly definitions: readonly ColumnDefinition[]
  /** One value for each definition. The object is of the served version. */
  cells(object: ApiObject): readonly JsonValue[]
}

export const defaultColumns: TableColumns = {
  definitions: [
    {
      name: 'Name',
      type: 'string',
      format: 'name',
      description: 'Name of the object, unique within its namespace.',
      priority: 0,
    },
    {
      name: 'Created At',
      type: 'date',
      format: '',
      description: 'Time at which the server created the object.',
      priority: 0,
    },
  ],
  cells: ({ metadata }) => [metadata.name ?? '', metadata.creationTimestamp ?? null],
}
