/** Columns of priority classes. */

import { ageColumn, nameColumn } from '../columns/common.ts'
import { numberAt } from '../columns/read.ts'
import { boolean, integer, type TableColumns, tableOf } from '../columns/table.ts'

export const schedulingColumns: Readonly<Record<string, TableColumns>> = {
  PriorityClass: tableOf([
    nameColumn,
    integer('Value', 'Priority of its pods: higher goes first.', ({ object }) => numberAt(object, 'value')),
    boolean(
      'Global-Default',
      'Whether pods that name no class get it.',
      ({ object }) => object['globalDefault'] === true,
    ),
    ageColumn,
  ]),
}
