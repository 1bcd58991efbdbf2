/** Counts in the status of workloads. Source: Kubernetes API, apps/v1, batch/v1, autoscaling/v2, policy/v1. */

import t from 'tap'
import type { ApiObject } from '../../../src/types/object.ts'
import { shown, typeOfBody } from './validation.ts'

type Status = Readonly<Record<string, unknown>>

const negative = (field: string) => `status.${field}: Invalid value: -1: must be greater than or equal to 0`
const above = (field: string, value: number, whole: string) =>
  `status.${field}: Invalid value: ${value}: cannot be greater than ${whole}`
const undone = (value: number) => `status.collisionCount: Invalid value: ${value}: cannot be decremented`

const deployment = ['apps/v1', 'Deployment'] as const
const replicaSet = ['apps/v1', 'ReplicaSet'] as const
const controller = ['v1', 'ReplicationController'] as const
const statefulSet = ['apps/v1', 'StatefulSet'] as const
const daemonSet = ['apps/v1', 'DaemonSet'] as const
const job = ['batch/v1', 'Job'] as const
const autoscaler = ['autoscaling/v2', 'HorizontalPodAutoscaler'] as const
const budget = ['policy/v1', 'PodDisruptionBudget'] as const

const rows: readonly (readonly [
  kind: readonly [apiVersion: string, kind: string],
  before: Status,
  after: Status,
  causes: readonly string[],
])[] = [
  [deployment, {}, { replicas: 2, updatedReplicas: 2, readyReplicas: 2, availableReplicas: 2 }, []],
  [deployment, {}, { observedGeneration: -1 }, [negative('observedGeneration')]],
  [
    deployment,
    {},
    { replicas: 1, updatedReplicas: 2, readyReplicas: 2, availableReplicas: 3 },
    [
      above('updatedReplicas', 2, 'status.replicas'),
      above('readyReplicas', 2, 'status.replicas'),
      above('availableReplicas', 3, 'status.replicas'),
      above('availableReplicas', 3, 'readyReplicas'),
    ],
  ],
  [
    deployment,
    {},
    { replicas: -1 },
    [
      negative('replicas'),
      above('updatedReplicas', 0, 'status.replicas'),
      above('readyReplicas', 0, 'status.replicas'),
      above('availableReplicas', 0, 'status.replicas'),
    ],
  ],
  ...[deployment, statefulSet, daemonSet].flatMap(
    (kind) =>
      [
        [kind, { collisionCount: 2 }, { collisionCount: 1 }, [undone(1)]],
        [kind, { collisionCount: 2 }, {}, [undone(0)]],
        [kind, { collisionCount: 2 }, { collisionCount: 3 }, []],
      ] as const,
  ),
  ...[replicaSet, controller].flatMap(
    (kind) =>
      [
        [kind, {}, { replicas: 3, fullyLabeledReplicas: 3, readyReplicas: 3, availableReplicas: 3 }, []],
        [kind, {}, { fullyLabeledReplicas: 1 }, [above('fullyLabeledReplicas', 1, 'status.replicas')]],
        [
          kind,
          {},
          { replicas: 2, readyReplicas: 1, availableReplicas: 2 },
          [above('availableReplicas', 2, 'readyReplicas')],
        ],
      ] as const,
  ),
  [
    statefulSet,
    {},
    { replicas: 1, currentReplicas: 2, availableReplicas: 1 },
    [above('currentReplicas', 2, 'status.replicas'), above('availableReplicas', 1, 'status.readyReplicas')],
  ],
  [
    daemonSet,
    {},
    { numberReady: -1, numberUnavailable: -1 },
    [negative('numberReady'), negative('numberUnavailable')],
  ],
  [daemonSet, {}, { currentNumberScheduled: 5, numberReady: 7 }, []],
  [job, {}, { active: -1, succeeded: 1, ready: -1 }, [negative('active'), negative('ready')]],
  [autoscaler, {}, { currentReplicas: 1, desiredReplicas: -1 }, [negative('desiredReplicas')]],
  [budget, {}, { disruptionsAllowed: -1, expectedPods: 1 }, [negative('disruptionsAllowed')]],
]

for (const [[apiVersion, kind], before, after, causes] of rows) {
  t.test(`${kind}: ${JSON.stringify(before)} to ${JSON.stringify(after)}`, (t) => {
    const object = (status: Status): ApiObject => ({ apiVersion, kind, metadata: {}, status })
    const found = typeOfBody({ apiVersion, kind }).strategy.validateStatusUpdate?.(
      object(after),
      object(before),
    )
    t.strictSame(shown(found ?? []), causes)
    t.end()
  })
}
