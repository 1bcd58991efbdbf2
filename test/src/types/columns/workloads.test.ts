/** Tables of workloads, jobs, autoscalers and disruption budgets. */

import t from 'tap'
import { type TableStory, tellTables } from './tables.ts'

const template = 'template: {spec: {containers: [{name: x, image: i}, {name: y, image: j}]}}'

const stories: readonly TableStory[] = [
  {
    kind: 'apps/ControllerRevision',
    columns: 'Name, Controller, Revision, Age',
    rows: [
      { title: 'nobody controls it', object: 'revision: 3', cells: ['a', '<none>', 3, '60m'] },
      {
        title: 'of a set',
        object:
          'metadata: {ownerReferences: [{apiVersion: v1, kind: Other, name: o}, {apiVersion: apps/v1, kind: StatefulSet, name: db, controller: true}]}\nrevision: 1',
        cells: ['a', 'statefulset.apps/db', 1, '60m'],
      },
      {
        title: 'of a kind of the core group',
        object: 'metadata: {ownerReferences: [{apiVersion: v1, kind: Pod, name: p, controller: true}]}',
        cells: ['a', 'pod/p', 0, '60m'],
      },
    ],
  },
  {
    kind: 'apps/DaemonSet',
    columns:
      'Name, Desired:integer, Current:integer, Ready:integer, Up-to-date:integer, Available:integer, Node Selector, Age, Containers*, Images*, Selector*',
    rows: [
      {
        title: 'on its way',
        object: `
          spec: {selector: {matchLabels: {app: web}}, template: {spec: {nodeSelector: {disk: ssd}, containers: [{name: x, image: i}]}}}
          status: {desiredNumberScheduled: 5, currentNumberScheduled: 4, numberReady: 3, updatedNumberScheduled: 2, numberAvailable: 1}`,
        cells: ['a', 5, 4, 3, 2, 1, 'disk=ssd', '60m', 'x', 'i', 'app=web'],
      },
      { title: 'new', object: '', cells: ['a', 0, 0, 0, 0, 0, '<none>', '60m', '', '', '<none>'] },
    ],
  },
  {
    kind: 'apps/Deployment',
    columns: 'Name, Ready, Up-to-date, Available, Age, Containers*, Images*, Selector*',
    rows: [
      {
        title: 'on its way',
        object: `
          spec: {replicas: 3, selector: {matchLabels: {app: web}}, ${template}}
          status: {readyReplicas: 1, updatedReplicas: 2, availableReplicas: 1}`,
        cells: ['a', '1/3', 2, 1, '60m', 'x,y', 'i,j', 'app=web'],
      },
      {
        title: 'new, selecting all',
        object: 'spec: {replicas: 1, selector: {}}',
        cells: ['a', '0/1', 0, 0, '60m', '', '', ''],
      },
      {
        title: 'with a selector that is none',
        object: 'spec: {selector: {matchExpressions: [{key: a, operator: Odd}]}}',
        cells: ['a', '0/0', 0, 0, '60m', '', '', '<invalid>'],
      },
    ],
  },
  {
    kind: 'apps/ReplicaSet',
    columns: 'Name, Desired:integer, Current:integer, Ready:integer, Age, Containers*, Images*, Selector*',
    rows: [
      {
        title: 'on its way',
        object: `
          spec: {replicas: 3, selector: {matchExpressions: [{key: a, operator: Odd}]}, ${template}}
          status: {replicas: 2, readyReplicas: 1}`,
        cells: ['a', 3, 2, 1, '60m', 'x,y', 'i,j', '<error>'],
      },
    ],
  },
  {
    kind: 'apps/StatefulSet',
    columns: 'Name, Ready, Age, Containers*, Images*',
    rows: [
      {
        title: 'on its way',
        object: `spec: {replicas: 3, ${template}}\nstatus: {readyReplicas: 2}`,
        cells: ['a', '2/3', '60m', 'x,y', 'i,j'],
      },
    ],
  },
  {
    kind: 'autoscaling/HorizontalPodAutoscaler',
    columns: 'Name, Reference, Targets, MinPods, MaxPods, Replicas, Age',
    rows: [
      {
        title: 'measures nothing',
        object: 'spec: {scaleTargetRef: {kind: Deployment, name: web}, maxReplicas: 5}',
        cells: ['a', 'Deployment/web', '<none>', '<unset>', 5, 0, '60m'],
      },
      ...(
        [
          [
            '{type: Resource, resource: {name: cpu, target: {type: Utilization, averageUtilization: 80}}}',
            '',
            'cpu: <unknown>/80%',
          ],
          [
            '{type: Resource, resource: {name: cpu, target: {type: Utilization, averageUtilization: 80}}}',
            '{type: Resource, resource: {name: cpu, current: {averageUtilization: 40, averageValue: 20m}}}',
            'cpu: 40%/80%',
          ],
          ['{type: Resource, resource: {name: cpu, target: {}}}', '', 'cpu: <unknown>/<auto>'],
          [
            '{type: Resource, resource: {name: memory, target: {type: AverageValue, averageValue: 1Gi}}}',
            '{type: Resource, resource: {name: memory, current: {averageValue: 500Mi}}}',
            'memory: 500Mi/1Gi',
          ],
          [
            '{type: ContainerResource, containerResource: {name: cpu, container: c, target: {averageUtilization: 50}}}',
            '{type: ContainerResource, containerResource: {name: cpu, current: {averageUtilization: 10}}}',
            'cpu: 10%/50%',
          ],
          ['{type: Pods, pods: {metric: {name: rps}, target: {averageValue: "10"}}}', '', '<unknown>/10'],
          [
            '{type: Pods, pods: {metric: {name: rps}, target: {averageValue: "10"}}}',
            '{type: Pods, pods: {current: {averageValue: "12"}}}',
            '12/10',
          ],
          [
            '{type: Object, object: {target: {type: Value, value: "10"}}}',
            '{type: Object, object: {current: {value: "7"}}}',
            '7/10',
          ],
          [
            '{type: Object, object: {target: {type: AverageValue, averageValue: "10"}}}',
            '{type: Object, object: {current: {value: "70", averageValue: "7"}}}',
            '7/10 (avg)',
          ],
          ['{type: External, external: {target: {type: Value, value: "30"}}}', '', '<unknown>/30'],
          [
            '{type: External, external: {target: {type: AverageValue, averageValue: "30"}}}',
            '{type: External, external: {current: {value: "0", averageValue: "3"}}}',
            '3/30 (avg)',
          ],
          ['{type: Odd}', '', '<unknown type>'],
        ] as const
      ).map(([metric, current, targets]) => ({
        title: targets,
        object: `
          spec: {scaleTargetRef: {kind: Deployment, name: web}, minReplicas: 2, maxReplicas: 5, metrics: [${metric}]}
          status: {currentReplicas: 3, currentMetrics: [${current}]}`,
        cells: ['a', 'Deployment/web', targets, '2', 5, 3, '60m'],
      })),
      {
        title: 'four metrics',
        object: 'spec: {maxReplicas: 5, metrics: [{type: Odd}, {type: Odd}, {type: Odd}, {type: Odd}]}',
        cells: ['a', '/', '<unknown type>, <unknown type> + 2 more...', '<unset>', 5, 0, '60m'],
      },
    ],
  },
  {
    kind: 'autoscaling/Scale',
    columns: 'Name, Desired:integer, Available:integer, Age',
    rows: [
      {
        title: 'on its way',
        object: 'spec: {replicas: 3}\nstatus: {replicas: 2}',
        cells: ['a', 3, 2, '60m'],
      },
    ],
  },
  {
    kind: 'batch/CronJob',
    columns:
      'Name, Schedule, Timezone, Suspend:boolean, Active:integer, Last Schedule, Age, Containers*, Images*, Selector*',
    rows: [
      {
        title: 'with everything',
        object: `
          spec: {schedule: "* * * * *", timeZone: Etc/UTC, suspend: true, jobTemplate: {spec: {selector: {matchLabels: {a: b}}, ${template}}}}
          status: {active: [{name: x}, {name: y}], lastScheduleTime: "2024-01-01T00:59:00Z"}`,
        cells: ['a', '* * * * *', 'Etc/UTC', 'True', 2, '60s', '60m', 'x,y', 'i,j', 'a=b'],
      },
      {
        title: 'never due',
        object: 'spec: {schedule: "@daily", suspend: false}',
        cells: ['a', '@daily', '<none>', 'False', 0, '<none>', '60m', '', '', '<none>'],
      },
      {
        title: 'empty',
        object: '',
        cells: ['a', '', '<none>', '<unset>', 0, '<none>', '60m', '', '', '<none>'],
      },
    ],
  },
  {
    kind: 'batch/Job',
    columns: 'Name, Status, Completions, Duration, Age, Containers*, Images*, Selector*',
    rows: [
      { title: 'new', object: '', cells: ['a', 'Running', '0/1', '', '60m', '', '', '<none>'] },
      {
        title: 'running',
        object: `spec: {completions: 3, parallelism: 2, selector: {matchLabels: {a: b}}, ${template}}\nstatus: {succeeded: 1, startTime: "2024-01-01T00:58:00Z"}`,
        cells: ['a', 'Running', '1/3', '2m', '60m', 'x,y', 'i,j', 'a=b'],
      },
      {
        title: 'complete, though it is also going',
        object: `
          metadata: {deletionTimestamp: "2024-01-01T00:59:00Z"}
          spec: {parallelism: 2}
          status:
            succeeded: 1
            startTime: "2024-01-01T00:10:00Z"
            completionTime: "2024-01-01T00:10:45Z"
            conditions: [{type: Suspended, status: "False"}, {type: Complete, status: "True"}]`,
        cells: ['a', 'Complete', '1/1 of 2', '45s', '60m', '', '', '<none>'],
      },
      ...(
        [
          ['Failed', 'Failed'],
          ['Suspended', 'Suspended'],
          ['FailureTarget', 'FailureTarget'],
          ['Other', 'Running'],
        ] as const
      ).map(([type, status]) => ({
        title: `condition ${type}`,
        object: `spec: {parallelism: 1}\nstatus: {conditions: [{type: ${type}, status: "True"}]}`,
        cells: ['a', status, '0/1', '', '60m', '', '', '<none>'],
      })),
      {
        title: 'going, before it is said that it was suspended',
        object: `
          metadata: {deletionTimestamp: "2024-01-01T00:59:00Z"}
          status: {conditions: [{type: Suspended, status: "True"}]}`,
        cells: ['a', 'Terminating', '0/1', '', '60m', '', '', '<none>'],
      },
    ],
  },
  {
    kind: 'policy/PodDisruptionBudget',
    columns: 'Name, Min Available, Max Unavailable, Allowed Disruptions:integer, Age',
    rows: [
      {
        title: 'a number',
        object: 'spec: {minAvailable: 2}\nstatus: {disruptionsAllowed: 1}',
        cells: ['a', '2', 'N/A', 1, '60m'],
      },
      { title: 'a share', object: 'spec: {maxUnavailable: 30%}', cells: ['a', 'N/A', '30%', 0, '60m'] },
    ],
  },
]

t.test('tables of workloads', (t) => {
  tellTables(t, stories)
  t.end()
})
