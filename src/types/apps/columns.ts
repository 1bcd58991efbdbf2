/** Columns of workloads. */

import { ageColumn, containerColumns, nameColumn } from '../columns/common.ts'
import { bareSelectorText, labelsText, selectorText } from '../columns/labels.ts'
import { numberAt, objectsAt, textAt, valueAt, valueOr } from '../columns/read.ts'
import { type Column, integer, type Row, type TableColumns, tableOf, text, wide } from '../columns/table.ts'

const containers = containerColumns('spec', 'template', 'spec')

const selector: Column = wide(
  text('Selector', 'Labels of the pods that count.', ({ spec }) => selectorText(spec['selector'])),
)

const readyOfDesired: Column = text(
  'Ready',
  'Pods that are ready, of those that should be there.',
  ({ spec, status }) => `${numberAt(status, 'readyReplicas')}/${numberAt(spec, 'replicas')}`,
)

/** A count of the status. */
function counted(name: string, description: string, member: string): Column {
  return integer(name, description, ({ status }) => numberAt(status, member))
}

/** The owner that controls it: `deployment.apps/web`. */
function controller({ metadata }: Row): string {
  const owner = objectsAt(metadata, 'ownerReferences').find((one) => one['controller'] === true)
  if (owner === undefined) return '<none>'
  const [version = '', ...rest] = textAt(owner, 'apiVersion').split('/').toReversed()
  const group = rest.join('/')
  const kind = textAt(owner, 'kind')
  const qualified = group === '' || version === '' ? kind : `${kind}.${group}`
  return `${qualified.toLowerCase()}/${textAt(owner, 'name')}`
}

export const appsColumns: Readonly<Record<string, TableColumns>> = {
  ControllerRevision: tableOf([
    nameColumn,
    text('Controller', 'What it is a revision of.', controller),
    text('Revision', 'Its number.', ({ object }) => numberAt(object, 'revision')),
    ageColumn,
  ]),
  DaemonSet: tableOf([
    nameColumn,
    counted('Desired', 'Nodes that should run a pod.', 'desiredNumberScheduled'),
    counted('Current', 'Nodes that run one.', 'currentNumberScheduled'),
    counted('Ready', 'Nodes whose pod is ready.', 'numberReady'),
    counted('Up-to-date', 'Nodes whose pod is of the newest template.', 'updatedNumberScheduled'),
    counted('Available', 'Nodes whose pod has been ready for long enough.', 'numberAvailable'),
    text('Node Selector', 'Labels of the nodes that should run a pod.', ({ spec }) =>
      labelsText(valueAt(spec, 'template', 'spec', 'nodeSelector')),
    ),
    ageColumn,
    ...containers,
    selector,
  ]),
  Deployment: tableOf([
    nameColumn,
    readyOfDesired,
    text('Up-to-date', 'Pods of the newest template.', ({ status }) => valueOr(status['updatedReplicas'], 0)),
    text('Available', 'Pods that have been ready for long enough.', ({ status }) =>
      valueOr(status['availableReplicas'], 0),
    ),
    ageColumn,
    ...containers,
    { ...selector, cell: ({ spec }) => bareSelectorText(spec['selector']) },
  ]),
  ReplicaSet: tableOf([
    nameColumn,
    integer('Desired', 'Pods that should be there.', ({ spec }) => numberAt(spec, 'replicas')),
    counted('Current', 'Pods that are there.', 'replicas'),
    counted('Ready', 'Pods that are ready.', 'readyReplicas'),
    ageColumn,
    ...containers,
    selector,
  ]),
  StatefulSet: tableOf([nameColumn, readyOfDesired, ageColumn, ...containers]),
}
