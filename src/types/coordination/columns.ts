/** Columns of leases. */

import { ageColumn, nameColumn } from '../columns/common.ts'
import { textAt } from '../columns/read.ts'
import { type TableColumns, tableOf, text } from '../columns/table.ts'

export const coordinationColumns: Readonly<Record<string, TableColumns>> = {
  Lease: tableOf([
    nameColumn,
    text('Holder', 'Who has it.', ({ spec }) => textAt(spec, 'holderIdentity')),
    ageColumn,
  ]),
}
