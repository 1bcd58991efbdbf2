/** Columns of role bindings. Roles have the usual two. */

import type { JsonObject } from '../../json.ts'
import { ageColumn, nameColumn } from '../columns/common.ts'
import { objectsAt, textAt } from '../columns/read.ts'
import { type Column, type TableColumns, tableOf, text, wide } from '../columns/table.ts'

function subjects(
  name: string,
  description: string,
  kind: string,
  subjectText: (one: JsonObject) => string,
): Column {
  return wide(
    text(name, description, ({ object }) =>
      objectsAt(object, 'subjects')
        .filter((subject) => subject['kind'] === kind)
        .map(subjectText)
        .join(', '),
    ),
  )
}

const ownName = (subject: JsonObject): string => textAt(subject, 'name')

const binding: TableColumns = tableOf([
  nameColumn,
  text('Role', 'What it grants.', ({ object }) => {
    return `${textAt(object, 'roleRef', 'kind')}/${textAt(object, 'roleRef', 'name')}`
  }),
  ageColumn,
  subjects('Users', 'Users who get it.', 'User', ownName),
  subjects('Groups', 'Groups whose members get it.', 'Group', ownName),
  subjects(
    'ServiceAccounts',
    'Service accounts that get it.',
    'ServiceAccount',
    (subject) => `${textAt(subject, 'namespace')}/${textAt(subject, 'name')}`,
  ),
])

export const rbacColumns: Readonly<Record<string, TableColumns>> = {
  ClusterRoleBinding: binding,
  RoleBinding: binding,
}
