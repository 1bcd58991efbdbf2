/** Columns of storage versions. */

import { ageColumn, nameColumn, plusMore } from '../columns/common.ts'
import { objectsAt, textAt, valueOr } from '../columns/read.ts'
import { type TableColumns, tableOf, text } from '../columns/table.ts'

const versionsShownMax = 3

export const apiserverinternalColumns: Readonly<Record<string, TableColumns>> = {
  StorageVersion: tableOf([
    nameColumn,
    text('CommonEncodingVersion', 'Version in which all servers write.', ({ status }) =>
      valueOr(status['commonEncodingVersion'], '<unset>'),
    ),
    text('StorageVersions', 'Version in which each server writes.', ({ status }) =>
      plusMore(
        objectsAt(status, 'storageVersions').map(
          (one) => `${textAt(one, 'apiServerID')}=${textAt(one, 'encodingVersion')}`,
        ),
        versionsShownMax,
      ),
    ),
    ageColumn,
  ]),
}
