/** Columns of storage migrations. */

import { nameColumn } from '../columns/common.ts'
import { textAt } from '../columns/read.ts'
import { type TableColumns, tableOf, text } from '../columns/table.ts'

export const storagemigrationColumns: Readonly<Record<string, TableColumns>> = {
  StorageVersionMigration: tableOf([
    { ...nameColumn, format: '' },
    text('Resource', 'What is written anew.', ({ spec }) =>
      ['resource', 'version', 'group'].map((part) => textAt(spec, 'resource', part)).join('.'),
    ),
  ]),
}
