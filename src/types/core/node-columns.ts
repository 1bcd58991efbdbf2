/** Columns of nodes and of component health. */

import type { JsonObject } from '../../json.ts'
import type { Names } from '../../names/names.ts'
import { ageColumn, nameColumn } from '../columns/common.ts'
import { conditionOf, entriesAt, isTrue, objectsAt, textAt, textOr } from '../columns/read.ts'
import { type Row, type TableColumns, tableOf, text, wide } from '../columns/table.ts'

function nodeStatus({ spec, status }: Row): string {
  const ready = conditionOf(objectsAt(status, 'conditions'), 'Ready')
  const word = ready === undefined ? 'Unknown' : isTrue(ready) ? 'Ready' : 'NotReady'
  return spec['unschedulable'] === true ? `${word},SchedulingDisabled` : word
}

/** Roles are the ends of label keys; one older label holds a role as its value. */
function nodeRoles(names: Names): (row: Row) => string {
  const prefix = names.expand('node-role.{labels}/')
  const older = names.expand('{labels}/role')
  return ({ metadata }) => {
    const roles = entriesAt(metadata, 'labels').map(([key, value]) => {
      if (key.startsWith(prefix)) return key.slice(prefix.length)
      return key === older ? value : ''
    })
    return textOr([...new Set(roles.filter((role) => role !== ''))].sort().join(','), '<none>')
  }
}

function address(status: JsonObject, type: string): string {
  const found = objectsAt(status, 'addresses').find((one) => one['type'] === type)
  return textOr(textAt(found, 'address'), '<none>')
}

function info(name: string, description: string, member: string) {
  return wide(
    text(name, description, ({ status }) => textOr(textAt(status, 'nodeInfo', member), '<unknown>')),
  )
}

export function nodeColumns(names: Names): TableColumns {
  return tableOf([
    nameColumn,
    text('Status', 'Whether the node takes pods.', nodeStatus),
    text('Roles', 'What the node is for, as its labels say.', nodeRoles(names)),
    ageColumn,
    text('Version', 'Version of its agent.', ({ status }) => textAt(status, 'nodeInfo', 'kubeletVersion')),
    wide(
      text('Internal-IP', 'First address within the cluster.', ({ status }) => address(status, 'InternalIP')),
    ),
    wide(
      text('External-IP', 'First address seen from outside.', ({ status }) => address(status, 'ExternalIP')),
    ),
    info('OS-Image', 'Operating system of the node.', 'osImage'),
    info('Kernel-Version', 'Kernel of the node.', 'kernelVersion'),
    info('Container-Runtime', 'What runs its containers, with its version.', 'containerRuntimeVersion'),
  ])
}

function healthy({ object }: Row): JsonObject | undefined {
  return conditionOf(objectsAt(object, 'conditions'), 'Healthy')
}

export const componentStatusColumns: TableColumns = tableOf([
  nameColumn,
  text('Status', 'Whether the component is healthy.', (row) => {
    const condition = healthy(row)
    if (condition === undefined) return 'Unknown'
    return isTrue(condition) ? 'Healthy' : 'Unhealthy'
  }),
  text('Message', 'What the component says of itself.', (row) => textAt(healthy(row), 'message')),
  text('Error', 'Why it could not be asked.', (row) => textAt(healthy(row), 'error')),
])
