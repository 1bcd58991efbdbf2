/** Columns of container runtimes. */

import { ageColumn, nameColumn } from '../columns/common.ts'
import { textAt } from '../columns/read.ts'
import { type TableColumns, tableOf, text } from '../columns/table.ts'

export const nodeGroupColumns: Readonly<Record<string, TableColumns>> = {
  RuntimeClass: tableOf([
    nameColumn,
    text('Handler', 'Name of the runtime on the nodes.', ({ object }) => textAt(object, 'handler')),
    ageColumn,
  ]),
}
