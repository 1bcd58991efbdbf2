/** What tables say of pods, state by state. */

import t from 'tap'
import { nowMs, read, tableOf, tellTables } from './tables.ts'

const podColumns = 'Name, Ready, Status, Restarts, Age, IP*, Node*, Nominated Node*, Readiness Gates*'

interface PodCase {
  readonly title: string
  readonly object: string
  readonly ready?: string
  readonly status: string
  readonly restarts?: string
}

const cases: readonly PodCase[] = [
  { title: 'its phase', object: 'status: {phase: Pending}', status: 'Pending' },
  {
    title: 'the reason before the phase',
    object: 'status: {phase: Failed, reason: Evicted}',
    status: 'Evicted',
  },
  {
    title: 'gated',
    object:
      'status: {phase: Pending, reason: Other, conditions: [{type: PodScheduled, status: "False", reason: SchedulingGated}]}',
    status: 'SchedulingGated',
  },
  {
    title: 'running and ready',
    object: `
      spec: {containers: [{name: a}, {name: b}]}
      status:
        phase: Running
        containerStatuses:
          - {name: a, ready: true, state: {running: {}}}
          - {name: b, ready: false, state: {running: {}}}`,
    ready: '1/2',
    status: 'Running',
  },
  {
    title: 'the first container that waits or has ended has the last word',
    object: `
      spec: {containers: [{name: a}, {name: b}]}
      status:
        phase: Running
        containerStatuses:
          - {name: a, state: {waiting: {reason: ImagePullBackOff}}}
          - {name: b, state: {terminated: {reason: Error, exitCode: 1}}}`,
    ready: '0/2',
    status: 'ImagePullBackOff',
  },
  {
    title: 'waiting without a reason says nothing',
    object: 'status: {phase: Pending, containerStatuses: [{name: a, state: {waiting: {}}}]}',
    status: 'Pending',
  },
  {
    title: 'ended by a signal',
    object:
      'status: {phase: Running, containerStatuses: [{name: a, state: {terminated: {signal: 9, exitCode: 137}}}]}',
    status: 'Signal:9',
  },
  {
    title: 'ended with a code',
    object: 'status: {phase: Running, containerStatuses: [{name: a, state: {terminated: {exitCode: 3}}}]}',
    status: 'ExitCode:3',
  },
  {
    title: 'completed beside one that runs, and ready',
    object: `
      spec: {containers: [{name: a}, {name: b}]}
      status:
        phase: Running
        conditions: [{type: Ready, status: "True"}]
        containerStatuses:
          - {name: a, state: {terminated: {reason: Completed, exitCode: 0}}}
          - {name: b, ready: true, state: {running: {}}}`,
    ready: '1/2',
    status: 'Running',
  },
  {
    title: 'completed beside one that runs, and not ready',
    object: `
      spec: {containers: [{name: a}, {name: b}]}
      status:
        phase: Running
        conditions: [{type: Ready, status: "False"}]
        containerStatuses:
          - {name: a, state: {terminated: {reason: Completed, exitCode: 0}}}
          - {name: b, ready: true, state: {running: {}}}`,
    ready: '1/2',
    status: 'NotReady',
  },
  {
    title: 'completed',
    object:
      'status: {phase: Succeeded, containerStatuses: [{name: a, state: {terminated: {reason: Completed, exitCode: 0}}}]}',
    status: 'Completed',
  },
  {
    title: 'going',
    object: `
      metadata: {deletionTimestamp: "2024-01-01T00:59:00Z"}
      status: {phase: Running}`,
    status: 'Terminating',
  },
  {
    title: 'going, with its node lost',
    object: `
      metadata: {deletionTimestamp: "2024-01-01T00:59:00Z"}
      status: {phase: Running, reason: NodeLost}`,
    status: 'Unknown',
  },
  {
    title: 'initializing: the second of three has not begun',
    object: `
      spec: {initContainers: [{name: i}, {name: j}, {name: k}], containers: [{name: a}]}
      status:
        phase: Pending
        initContainerStatuses:
          - {name: i, restartCount: 2, state: {terminated: {exitCode: 0, reason: Completed}}}
          - {name: j, restartCount: 1, state: {waiting: {reason: PodInitializing}}}
          - {name: k, restartCount: 5, state: {waiting: {reason: PodInitializing}}}
        containerStatuses: [{name: a, restartCount: 7, state: {waiting: {reason: PodInitializing}}}]`,
    ready: '0/1',
    status: 'Init:1/3',
    restarts: '3',
  },
  {
    title: 'initializing: failed with a reason',
    object: `
      spec: {initContainers: [{name: i}]}
      status: {phase: Pending, initContainerStatuses: [{name: i, state: {terminated: {exitCode: 1, reason: Error}}}]}`,
    status: 'Init:Error',
  },
  {
    title: 'initializing: failed by a signal',
    object: `
      spec: {initContainers: [{name: i}]}
      status: {phase: Pending, initContainerStatuses: [{name: i, state: {terminated: {exitCode: 137, signal: 9}}}]}`,
    status: 'Init:Signal:9',
  },
  {
    title: 'initializing: failed with a code',
    object: `
      spec: {initContainers: [{name: i}]}
      status: {phase: Pending, initContainerStatuses: [{name: i, state: {terminated: {exitCode: 4}}}]}`,
    status: 'Init:ExitCode:4',
  },
  {
    title: 'initializing: waiting for a reason',
    object: `
      spec: {initContainers: [{name: i}]}
      status: {phase: Pending, initContainerStatuses: [{name: i, state: {waiting: {reason: CrashLoopBackOff}}}]}`,
    status: 'Init:CrashLoopBackOff',
  },
  {
    title: 'an init container that keeps running is passed once started, and counts',
    object: `
      spec: {initContainers: [{name: side, restartPolicy: Always}], containers: [{name: a}]}
      status:
        phase: Running
        initContainerStatuses: [{name: side, started: true, ready: true, restartCount: 1, state: {running: {}}}]
        containerStatuses: [{name: a, ready: true, restartCount: 2, state: {running: {}}}]`,
    ready: '2/2',
    status: 'Running',
    restarts: '3',
  },
  {
    title: 'an init container that keeps running holds the pod until it has started',
    object: `
      spec: {initContainers: [{name: side, restartPolicy: Always}], containers: [{name: a}]}
      status:
        phase: Pending
        initContainerStatuses: [{name: side, started: false, state: {running: {}}}]`,
    ready: '0/2',
    status: 'Init:0/1',
  },
  {
    title: 'once initialized, the main containers are told of, whatever init containers do',
    object: `
      spec: {initContainers: [{name: i}], containers: [{name: a}]}
      status:
        phase: Running
        conditions: [{type: Initialized, status: "True"}]
        initContainerStatuses: [{name: i, restartCount: 4, state: {waiting: {reason: Odd}}}]
        containerStatuses: [{name: a, ready: true, restartCount: 1, state: {running: {}}}]`,
    ready: '1/1',
    status: 'Init:Odd',
    restarts: '1',
  },
  {
    title: 'restarts, and when the last was',
    object: `
      spec: {containers: [{name: a}, {name: b}]}
      status:
        phase: Running
        containerStatuses:
          - name: a
            restartCount: 2
            lastState: {terminated: {exitCode: 1, finishedAt: "2024-01-01T00:55:00Z"}}
            state: {running: {}}
          - name: b
            restartCount: 1
            lastState: {terminated: {exitCode: 1, finishedAt: "2024-01-01T00:30:00Z"}}
            state: {running: {}}`,
    ready: '0/2',
    status: 'Running',
    restarts: '3 (5m ago)',
  },
]

t.test('pods', (t) => {
  tellTables(t, [
    {
      kind: 'Pod',
      columns: podColumns,
      rows: [
        {
          title: 'wide',
          object: `
            spec:
              nodeName: n1
              containers: [{name: a}]
              readinessGates: [{conditionType: x/a}, {conditionType: x/b}]
            status:
              phase: Running
              nominatedNodeName: n2
              podIPs: [{ip: 10.1.2.3}, {ip: "fd00::1"}]
              conditions: [{type: x/a, status: "True"}, {type: x/b, status: "False"}]`,
          cells: ['a', '0/1', 'Running', '0', '60m', '10.1.2.3', 'n1', 'n2', '1/2'],
        },
        {
          title: 'nothing yet',
          object: 'metadata: {creationTimestamp: null}',
          cells: ['a', '0/0', '', '0', '<unknown>', '<none>', '<none>', '<none>', '<none>'],
        },
      ],
    },
  ])
  const table = tableOf('Pod')
  for (const { title, object, ready = '0/0', status, restarts = '0' } of cases) {
    const [, foundReady, foundStatus, foundRestarts] = table.cells(read(object), nowMs)
    t.same([foundReady, foundStatus, foundRestarts], [ready, status, restarts], title)
  }
  t.end()
})

t.test('rows of pods that have ended say so', (t) => {
  const { conditions } = tableOf('Pod')
  t.same(conditions?.(read('status: {phase: Running}')), [])
  t.same(conditions?.(read('status: {phase: Succeeded}')), [
    {
      type: 'Completed',
      status: 'True',
      reason: 'Succeeded',
      message: 'The pod has completed successfully.',
    },
  ])
  t.same(conditions?.(read('status: {phase: Failed}')), [
    { type: 'Completed', status: 'True', reason: 'Failed', message: 'The pod failed.' },
  ])
  t.end()
})
