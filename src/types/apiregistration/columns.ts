/** Columns of registered API versions. */

import { isJsonObject } from '../../json.ts'
import { ageColumn, nameColumn } from '../columns/common.ts'
import { conditionOf, isTrue, objectsAt, textAt } from '../columns/read.ts'
import { type Row, type TableColumns, tableOf, text } from '../columns/table.ts'

function service({ spec }: Row): string {
  const reference = spec['service']
  return isJsonObject(reference) ? `${textAt(reference, 'namespace')}/${textAt(reference, 'name')}` : 'Local'
}

function available({ status }: Row): string {
  const condition = conditionOf(objectsAt(status, 'conditions'), 'Available')
  if (condition === undefined) return 'Unknown'
  if (isTrue(condition)) return 'True'
  const reason = textAt(condition, 'reason')
  return reason === '' ? textAt(condition, 'status') : `${textAt(condition, 'status')} (${reason})`
}

export const apiregistrationColumns: Readonly<Record<string, TableColumns>> = {
  APIService: tableOf([
    nameColumn,
    text('Service', 'Who serves the version.', service),
    text('Available', 'Whether it is served now, or why not.', available),
    ageColumn,
  ]),
}
