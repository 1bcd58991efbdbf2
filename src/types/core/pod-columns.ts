/** Columns of pods and of what pods are made from. */

import { ageColumn, containerColumns, nameColumn } from '../columns/common.ts'
import { humanDuration } from '../columns/duration.ts'
import { labelsText } from '../columns/labels.ts'
import { conditionOf, isTrue, numberAt, objectsAt, textAt, textOr, valueAt } from '../columns/read.ts'
import {
  integer,
  type Row,
  type RowCondition,
  rowOf,
  type TableColumns,
  tableFrom,
  tableOf,
  text,
  wide,
} from '../columns/table.ts'
import { type PodState, podState } from './pod-status.ts'

interface PodRow extends Row {
  readonly state: PodState
}

function restartsCell({ state, nowMs }: PodRow): string {
  const { restarts, lastRestartMs } = state
  return restarts === 0 || lastRestartMs === undefined
    ? String(restarts)
    : `${restarts} (${humanDuration(nowMs - lastRestartMs)} ago)`
}

function readinessGatesCell({ spec, status }: Row): string {
  const gates = objectsAt(spec, 'readinessGates')
  if (gates.length === 0) return '<none>'
  const conditions = objectsAt(status, 'conditions')
  const open = gates.filter((gate) => isTrue(conditionOf(conditions, textAt(gate, 'conditionType'))))
  return `${open.length}/${gates.length}`
}

function ended(reason: string, message: string): readonly RowCondition[] {
  return [{ type: 'Completed', status: 'True', reason, message }]
}

const endedConditions: ReadonlyMap<string, readonly RowCondition[]> = new Map([
  ['Succeeded', ended('Succeeded', 'The pod has completed successfully.')],
  ['Failed', ended('Failed', 'The pod failed.')],
])

export const podColumns: TableColumns = {
  ...tableFrom<PodRow>(
    [
      nameColumn,
      text(
        'Ready',
        'Containers that are ready, of all that run as long as the pod.',
        ({ state }) => `${state.readyContainers}/${state.totalContainers}`,
      ),
      text('Status', 'What the pod is doing, or why it cannot.', ({ state }) => state.reason),
      text('Restarts', 'How often its containers were restarted, and when last.', restartsCell),
      ageColumn,
      wide(
        text('IP', 'First address of the pod.', ({ status }) =>
          textOr(textAt(objectsAt(status, 'podIPs')[0], 'ip'), '<none>'),
        ),
      ),
      wide(text('Node', 'Node on which it runs.', ({ spec }) => textOr(textAt(spec, 'nodeName'), '<none>'))),
      wide(
        text('Nominated Node', 'Node that is being cleared for it.', ({ status }) =>
          textOr(textAt(status, 'nominatedNodeName'), '<none>'),
        ),
      ),
      wide(
        text(
          'Readiness Gates',
          'Conditions beyond its containers that hold, of those it waits for.',
          readinessGatesCell,
        ),
      ),
    ],
    (row) => ({ ...row, state: podState(row.metadata, row.spec, row.status) }),
  ),
  conditions: (object) => endedConditions.get(textAt(rowOf(object, 0).status, 'phase')) ?? [],
}

export const podTemplateColumns: TableColumns = tableOf([
  nameColumn,
  ...containerColumns('template', 'spec').map((column) => ({ ...column, priority: 0 })),
  text('Pod Labels', 'Labels of each pod made from it.', ({ object }) =>
    labelsText(valueAt(object, 'template', 'metadata', 'labels')),
  ),
])

export const replicationControllerColumns: TableColumns = tableOf([
  nameColumn,
  integer('Desired', 'Pods that should be there.', ({ spec }) => numberAt(spec, 'replicas')),
  integer('Current', 'Pods that are there.', ({ status }) => numberAt(status, 'replicas')),
  integer('Ready', 'Pods that are ready.', ({ status }) => numberAt(status, 'readyReplicas')),
  ageColumn,
  ...containerColumns('spec', 'template', 'spec'),
  wide(text('Selector', 'Labels of the pods that count.', ({ spec }) => labelsText(spec['selector']))),
])
