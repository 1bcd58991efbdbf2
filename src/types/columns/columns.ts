/** Finds the columns of a kind among those of all groups. */

import type { Names } from '../../names/names.ts'
import { admissionregistrationColumns } from '../admissionregistration/columns.ts'
import { apiregistrationColumns } from '../apiregistration/columns.ts'
import { apiserverinternalColumns } from '../apiserverinternal/columns.ts'
import { appsColumns } from '../apps/columns.ts'
import { autoscalingColumns } from '../autoscaling/columns.ts'
import { batchColumns } from '../batch/columns.ts'
import { certificatesColumns } from '../certificates/columns.ts'
import { coordinationColumns } from '../coordination/columns.ts'
import { coreColumns } from '../core/columns.ts'
import { eventColumns } from '../core/event-columns.ts'
import { discoveryColumns } from '../discovery/columns.ts'
import { flowcontrolColumns } from '../flowcontrol/columns.ts'
import { networkingColumns } from '../networking/columns.ts'
import { nodeGroupColumns } from '../node/columns.ts'
import { policyColumns } from '../policy/columns.ts'
import { rbacColumns } from '../rbac/columns.ts'
import { resourceColumns } from '../resource/columns.ts'
import type { Kind } from '../resource.ts'
import { schedulingColumns } from '../scheduling/columns.ts'
import { storageColumns } from '../storage/columns.ts'
import { storagemigrationColumns } from '../storagemigration/columns.ts'
import { defaultColumns } from './common.ts'
import type { TableColumns } from './table.ts'

/** The columns of a kind, whatever its version; name and time of creation where it has none of its own. */
export type ColumnsOf = (kind: Pick<Kind, 'group' | 'kind'>) => TableColumns

export function createColumns(names: Names): ColumnsOf {
  const groups = new Map<string, Readonly<Record<string, TableColumns>>>([
    ['', coreColumns(names)],
    [names.expand('admissionregistration.{groups}'), admissionregistrationColumns],
    [names.expand('apiregistration.{groups}'), apiregistrationColumns],
    ['apps', appsColumns],
    ['autoscaling', autoscalingColumns],
    ['batch', batchColumns],
    [names.expand('certificates.{groups}'), certificatesColumns],
    [names.expand('coordination.{groups}'), coordinationColumns],
    [names.expand('discovery.{groups}'), discoveryColumns],
    [names.expand('events.{groups}'), { Event: eventColumns }],
    [names.expand('flowcontrol.apiserver.{groups}'), flowcontrolColumns],
    [names.expand('internal.apiserver.{groups}'), apiserverinternalColumns],
    [names.expand('networking.{groups}'), networkingColumns],
    [names.expand('node.{groups}'), nodeGroupColumns],
    ['policy', policyColumns],
    [names.expand('rbac.authorization.{groups}'), rbacColumns],
    [names.expand('resource.{groups}'), resourceColumns],
    [names.expand('scheduling.{groups}'), schedulingColumns],
    [names.expand('storage.{groups}'), storageColumns(names)],
    [names.expand('storagemigration.{groups}'), storagemigrationColumns],
  ])
  return ({ group, kind }) => {
    const columns = groups.get(group)
    return columns !== undefined && Object.hasOwn(columns, kind)
      ? (columns[kind] ?? defaultColumns)
      : defaultColumns
  }
}
