/** Columns of dynamically allocated resources. */

import { isJsonObject } from '../../json.ts'
import { ageColumn, nameColumn } from '../columns/common.ts'
import { countAt, textAt } from '../columns/read.ts'
import { type Column, type Row, type TableColumns, tableOf, text } from '../columns/table.ts'

/** Allocated or not, then who holds it or that it goes. */
function claimState({ metadata, status }: Row): string {
  const deleted = metadata['deletionTimestamp'] !== undefined
  const words = deleted ? ['deleted'] : []
  if (!isJsonObject(status['allocation'])) {
    if (!deleted) words.push('pending')
    return words.join(',')
  }
  words.push('allocated')
  if (countAt(status, 'reservedFor') > 0) words.push('reserved')
  else if (deleted || status['deallocationRequested'] === true) words.push('deallocating')
  return words.join(',')
}

/** Of the specification of a claim, which stands at `path`. */
function claimColumns(...path: readonly string[]): readonly Column[] {
  return [
    text('ResourceClassName', 'Class of what is asked for.', ({ object }) =>
      textAt(object, ...path, 'resourceClassName'),
    ),
    text('AllocationMode', 'When it is allocated.', ({ object }) =>
      textAt(object, ...path, 'allocationMode'),
    ),
  ]
}

const generatedFrom: Column = text('GeneratedFrom', 'What these parameters were made from.', ({ object }) => {
  const origin = object['generatedFrom']
  if (!isJsonObject(origin)) return ''
  return `${textAt(origin, 'kind')}.${textAt(origin, 'apiGroup')} ${textAt(origin, 'name')}`
})

const parameters: TableColumns = tableOf([nameColumn, generatedFrom, ageColumn])

const driverName: Column = text('DriverName', 'Who allocates.', ({ object }) => textAt(object, 'driverName'))

export const resourceColumns: Readonly<Record<string, TableColumns>> = {
  PodSchedulingContext: tableOf([
    nameColumn,
    text('SelectedNode', 'Node on which the pod may run.', ({ spec }) => textAt(spec, 'selectedNode')),
    ageColumn,
  ]),
  ResourceClaim: tableOf([
    nameColumn,
    ...claimColumns('spec'),
    text('State', 'How far it has come.', claimState),
    ageColumn,
  ]),
  ResourceClaimParameters: parameters,
  ResourceClaimTemplate: tableOf([nameColumn, ...claimColumns('spec', 'spec'), ageColumn]),
  ResourceClass: tableOf([nameColumn, driverName, ageColumn]),
  ResourceClassParameters: parameters,
  ResourceSlice: tableOf([
    nameColumn,
    text('Node', 'Node that the resources are on.', ({ object }) => textAt(object, 'nodeName')),
    { ...driverName, name: 'Driver' },
    ageColumn,
  ]),
}
