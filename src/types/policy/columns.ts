/** Columns of disruption budgets. */

import type { JsonValue } from '../../json.ts'
import { ageColumn, nameColumn } from '../columns/common.ts'
import { numberAt } from '../columns/read.ts'
import { integer, type TableColumns, tableOf, text } from '../columns/table.ts'

/** A number or a percentage, as text. */
function amount(value: JsonValue | undefined): string {
  return typeof value === 'number' || typeof value === 'string' ? String(value) : 'N/A'
}

export const policyColumns: Readonly<Record<string, TableColumns>> = {
  PodDisruptionBudget: tableOf([
    nameColumn,
    text('Min Available', 'Pods that must stay.', ({ spec }) => amount(spec['minAvailable'])),
    text('Max Unavailable', 'Pods that may go.', ({ spec }) => amount(spec['maxUnavailable'])),
    integer('Allowed Disruptions', 'Pods that may go now.', ({ status }) =>
      numberAt(status, 'disruptionsAllowed'),
    ),
    ageColumn,
  ]),
}
