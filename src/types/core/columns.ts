/** Columns of the core group. Kinds that are not here have the usual two. */

import type { Names } from '../../names/names.ts'
import { ageColumn, countCell, nameColumn } from '../columns/common.ts'
import { entriesAt, quantityAt, textAt } from '../columns/read.ts'
import { type Row, type TableColumns, tableOf, text } from '../columns/table.ts'
import { eventColumns } from './event-columns.ts'
import { componentStatusColumns, nodeColumns } from './node-columns.ts'
import { podColumns, podTemplateColumns, replicationControllerColumns } from './pod-columns.ts'
import { endpointsColumns, serviceColumns } from './service-columns.ts'
import { persistentVolumeClaimColumns, persistentVolumeColumns } from './volume-columns.ts'

function quotaText({ status }: Row, isWanted: (resource: string) => boolean): string {
  return entriesAt(status, 'hard')
    .filter(([resource]) => isWanted(resource))
    .map(([resource, hard]) => `${resource}: ${quantityAt(status, 'used', resource)}/${hard}`)
    .join(', ')
}

const isLimit = (resource: string): boolean => resource.startsWith('limits.')

export function coreColumns(names: Names): Readonly<Record<string, TableColumns>> {
  return {
    ComponentStatus: componentStatusColumns,
    ConfigMap: tableOf([
      nameColumn,
      text('Data', 'Number of its entries.', (row) => countCell('data')(row) + countCell('binaryData')(row)),
      ageColumn,
    ]),
    Endpoints: endpointsColumns,
    Event: eventColumns,
    Namespace: tableOf([
      nameColumn,
      text('Status', 'Whether it is in use or going.', ({ status }) => textAt(status, 'phase')),
      ageColumn,
    ]),
    Node: nodeColumns(names),
    PersistentVolume: persistentVolumeColumns(names),
    PersistentVolumeClaim: persistentVolumeClaimColumns(names),
    Pod: podColumns,
    PodTemplate: podTemplateColumns,
    ReplicationController: replicationControllerColumns,
    ResourceQuota: tableOf([
      nameColumn,
      ageColumn,
      text('Request', 'What is used and what may be, of requests and counts.', (row) =>
        quotaText(row, (resource) => !isLimit(resource)),
      ),
      text('Limit', 'What is used and what may be, of limits.', (row) => quotaText(row, isLimit)),
    ]),
    Secret: tableOf([
      nameColumn,
      text('Type', 'What it is for.', ({ object }) => textAt(object, 'type')),
      text('Data', 'Number of its entries.', countCell('data')),
      ageColumn,
    ]),
    Service: serviceColumns,
    ServiceAccount: tableOf([
      nameColumn,
      text('Secrets', 'Number of secrets that it may use.', countCell('secrets')),
      ageColumn,
    ]),
  }
}
