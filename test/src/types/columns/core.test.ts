/** Tables of the core group, but for pods. */

import t from 'tap'
import { type TableStory, tellTables } from './tables.ts'

const stories: readonly TableStory[] = [
  {
    kind: 'ComponentStatus',
    columns: 'Name, Status, Message, Error',
    rows: [
      { title: 'never asked', object: '', cells: ['a', 'Unknown', '', ''] },
      {
        title: 'healthy',
        object: 'conditions: [{type: Healthy, status: "True", message: ok}]',
        cells: ['a', 'Healthy', 'ok', ''],
      },
      {
        title: 'not healthy',
        object: 'conditions: [{type: Healthy, status: "False", error: refused}]',
        cells: ['a', 'Unhealthy', '', 'refused'],
      },
    ],
  },
  {
    kind: 'ConfigMap',
    columns: 'Name, Data, Age',
    rows: [
      { title: 'empty', object: '', cells: ['a', 0, '60m'] },
      {
        title: 'text and bytes',
        object: 'data: {x: "1", y: "2"}\nbinaryData: {z: AA==}',
        cells: ['a', 3, '60m'],
      },
    ],
  },
  {
    kind: 'Endpoints',
    columns: 'Name, Endpoints, Age',
    rows: [
      { title: 'none', object: '', cells: ['a', '<none>', '60m'] },
      {
        title: 'none ready',
        object: 'subsets: [{notReadyAddresses: [{ip: 10.0.0.1}]}]',
        cells: ['a', '', '60m'],
      },
      {
        title: 'without ports, and IPv6 with them',
        object:
          'subsets: [{addresses: [{ip: 10.0.0.1}]}, {addresses: [{ip: "fd00::1"}], ports: [{port: 80}]}]',
        cells: ['a', '10.0.0.1,[fd00::1]:80', '60m'],
      },
      {
        title: 'more than three',
        object:
          'subsets: [{addresses: [{ip: 10.0.0.1}, {ip: 10.0.0.2}, {ip: 10.0.0.3}], ports: [{port: 1}, {port: 2}]}]',
        cells: ['a', '10.0.0.1:1,10.0.0.2:1,10.0.0.3:1 + 3 more...', '60m'],
      },
    ],
  },
  ...['Event', 'events.k8s.io/Event'].map((kind) => ({
    kind,
    columns: 'Last Seen, Type, Reason, Object, Subobject*, Source*, Message, First Seen*, Count*, Name*',
    rows: [
      {
        title: 'told the old way',
        object: `
          type: Warning
          reason: BackOff
          involvedObject: {kind: Pod, name: web, fieldPath: "spec.containers{c}"}
          source: {component: kubelet, host: n1}
          message: "  back-off\\n"
          firstTimestamp: "2024-01-01T00:10:00Z"
          lastTimestamp: "2024-01-01T00:58:00Z"
          count: 4`,
        cells: [
          '2m',
          'Warning',
          'BackOff',
          'pod/web',
          'spec.containers{c}',
          'kubelet, n1',
          'back-off',
          '50m',
          4,
          'a',
        ],
      },
      {
        title: 'told the new way, once',
        object: `
          eventTime: "2024-01-01T00:30:00.123456Z"
          reportingComponent: scheduler
          involvedObject: {kind: Node}`,
        cells: ['29m', '', '', 'node', '', 'scheduler', '', '29m', 1, 'a'],
      },
      {
        title: 'a series',
        object: `
          eventTime: "2024-01-01T00:30:00.000000Z"
          lastTimestamp: "2024-01-01T00:31:00Z"
          reportingComponent: scheduler
          reportingInstance: s-1
          involvedObject: {kind: Node, name: n1}
          series: {count: 9, lastObservedTime: "2024-01-01T00:59:30.000000Z"}`,
        cells: ['30s', '', '', 'node/n1', '', 'scheduler, s-1', '', '30m', 9, 'a'],
      },
    ],
  })),
  {
    kind: 'LimitRange',
    columns: 'Name, Created At:date',
    rows: [
      { title: 'the usual two', object: '', cells: ['a', '2024-01-01T00:00:00Z'] },
      {
        title: 'no time',
        object: 'metadata: {creationTimestamp: null}',
        cells: ['a', '0001-01-01T00:00:00Z'],
      },
    ],
  },
  {
    kind: 'Namespace',
    columns: 'Name, Status, Age',
    rows: [{ title: 'in use', object: 'status: {phase: Active}', cells: ['a', 'Active', '60m'] }],
  },
  {
    kind: 'Node',
    columns:
      'Name, Status, Roles, Age, Version, Internal-IP*, External-IP*, OS-Image*, Kernel-Version*, Container-Runtime*',
    rows: [
      {
        title: 'registered, no more',
        object: '',
        cells: [
          'a',
          'Unknown',
          '<none>',
          '60m',
          '',
          '<none>',
          '<none>',
          '<unknown>',
          '<unknown>',
          '<unknown>',
        ],
      },
      {
        title: 'ready, cordoned, with roles of both kinds',
        object: `
          metadata:
            labels:
              kubernetes.io/role: worker
              node-role.kubernetes.io/control-plane: ""
              node-role.kubernetes.io/worker: ""
              node-role.kubernetes.io/: ""
          spec: {unschedulable: true}
          status:
            conditions: [{type: Ready, status: "True"}]
            addresses: [{type: Hostname, address: h}, {type: InternalIP, address: 10.0.0.1}, {type: InternalIP, address: 10.0.0.2}, {type: ExternalIP, address: 9.9.9.9}]
            nodeInfo: {kubeletVersion: v1.30.0, osImage: Debian, kernelVersion: "6.1", containerRuntimeVersion: "containerd://1.7"}`,
        cells: [
          'a',
          'Ready,SchedulingDisabled',
          'control-plane,worker',
          '60m',
          'v1.30.0',
          '10.0.0.1',
          '9.9.9.9',
          'Debian',
          '6.1',
          'containerd://1.7',
        ],
      },
      {
        title: 'silent',
        object: 'status: {conditions: [{type: Ready, status: Unknown}]}',
        cells: [
          'a',
          'NotReady',
          '<none>',
          '60m',
          '',
          '<none>',
          '<none>',
          '<unknown>',
          '<unknown>',
          '<unknown>',
        ],
      },
    ],
  },
  {
    kind: 'PersistentVolumeClaim',
    columns:
      'Name, Status, Volume, Capacity, Access Modes, StorageClass, VolumeAttributesClass, Age, VolumeMode*',
    rows: [
      {
        title: 'not bound: neither size nor modes, whatever the status says',
        object: 'status: {phase: Pending, capacity: {storage: 1Gi}, accessModes: [ReadWriteOnce]}',
        cells: ['a', 'Pending', '', '', '', '', '<unset>', '60m', '<unset>'],
      },
      {
        title: 'bound',
        object: `
          spec: {volumeName: pv, storageClassName: fast, volumeAttributesClassName: gold, volumeMode: Block}
          status: {phase: Bound, capacity: {storage: 1Gi}, accessModes: [ReadOnlyMany, ReadWriteOnce]}`,
        cells: ['a', 'Bound', 'pv', '1Gi', 'RWO,ROX', 'fast', 'gold', '60m', 'Block'],
      },
      {
        title: 'going, with the class of old',
        object: `
          metadata: {deletionTimestamp: "2024-01-01T00:59:00Z", annotations: {volume.beta.kubernetes.io/storage-class: ""}}
          spec: {volumeName: pv, storageClassName: fast}
          status: {phase: Bound}`,
        cells: ['a', 'Terminating', 'pv', '0', '', '', '<unset>', '60m', '<unset>'],
      },
    ],
  },
  {
    kind: 'PersistentVolume',
    columns:
      'Name, Capacity, Access Modes, Reclaim Policy, Status, Claim, StorageClass, VolumeAttributesClass, Reason, Age, VolumeMode*',
    rows: [
      {
        title: 'bound',
        object: `
          spec:
            capacity: {storage: 5Gi}
            accessModes: [ReadWriteMany]
            persistentVolumeReclaimPolicy: Retain
            claimRef: {namespace: ns, name: c}
            storageClassName: fast
            volumeMode: Filesystem
          status: {phase: Bound}`,
        cells: ['a', '5Gi', 'RWX', 'Retain', 'Bound', 'ns/c', 'fast', '<unset>', '', '60m', 'Filesystem'],
      },
      {
        title: 'failed and going',
        object: `
          metadata: {deletionTimestamp: "2024-01-01T00:59:00Z", annotations: {volume.beta.kubernetes.io/storage-class: slow}}
          spec: {capacity: {storage: 5Gi}, volumeAttributesClassName: gold}
          status: {phase: Failed, reason: Broken}`,
        cells: ['a', '5Gi', '', '', 'Terminating', '', 'slow', 'gold', 'Broken', '60m', '<unset>'],
      },
    ],
  },
  {
    kind: 'PodTemplate',
    columns: 'Name, Containers, Images, Pod Labels',
    rows: [
      {
        title: 'two containers',
        object:
          'template: {metadata: {labels: {b: "2", a: "1"}}, spec: {containers: [{name: x, image: i}, {name: y, image: j}]}}',
        cells: ['a', 'x,y', 'i,j', 'a=1,b=2'],
      },
      { title: 'empty', object: '', cells: ['a', '', '', '<none>'] },
    ],
  },
  {
    kind: 'ReplicationController',
    columns: 'Name, Desired:integer, Current:integer, Ready:integer, Age, Containers*, Images*, Selector*',
    rows: [
      {
        title: 'on its way',
        object: `
          spec: {replicas: 3, selector: {app: web}, template: {spec: {containers: [{name: x, image: i}]}}}
          status: {replicas: 2, readyReplicas: 1}`,
        cells: ['a', 3, 2, 1, '60m', 'x', 'i', 'app=web'],
      },
    ],
  },
  {
    kind: 'ResourceQuota',
    columns: 'Name, Age, Request, Limit',
    rows: [
      {
        title: 'limits apart from the rest, by name; what is not used is zero',
        object: `
          spec: {hard: {pods: "99"}}
          status:
            hard: {requests.cpu: "2", limits.cpu: "4", pods: "10", limits.memory: 1Gi, limitsx: "1"}
            used: {requests.cpu: 500m, limits.cpu: "1", pods: "3"}`,
        cells: [
          'a',
          '60m',
          'limitsx: 0/1, pods: 3/10, requests.cpu: 500m/2',
          'limits.cpu: 1/4, limits.memory: 0/1Gi',
        ],
      },
      { title: 'not yet counted', object: 'spec: {hard: {pods: "99"}}', cells: ['a', '60m', '', ''] },
    ],
  },
  {
    kind: 'Secret',
    columns: 'Name, Type, Data, Age',
    rows: [
      { title: 'opaque', object: 'type: Opaque\ndata: {x: AA==, y: AA==}', cells: ['a', 'Opaque', 2, '60m'] },
    ],
  },
  {
    kind: 'ServiceAccount',
    columns: 'Name, Secrets, Age',
    rows: [{ title: 'with a secret', object: 'secrets: [{name: s}]', cells: ['a', 1, '60m'] }],
  },
  {
    kind: 'Service',
    columns: 'Name, Type, Cluster-IP, External-IP, Port(s), Age, Selector*',
    rows: [
      {
        title: 'within the cluster',
        object:
          'spec: {type: ClusterIP, clusterIPs: [10.0.0.1, "fd00::1"], selector: {app: web}, ports: [{port: 80, protocol: TCP}, {port: 53, protocol: UDP}]}',
        cells: ['a', 'ClusterIP', '10.0.0.1', '<none>', '80/TCP,53/UDP', '60m', 'app=web'],
      },
      {
        title: 'headless, without ports',
        object: 'spec: {type: ClusterIP, clusterIPs: [None]}',
        cells: ['a', 'ClusterIP', 'None', '<none>', '<none>', '60m', '<none>'],
      },
      {
        title: 'ports of nodes, external addresses',
        object:
          'spec: {type: NodePort, externalIPs: [9.9.9.9, 8.8.8.8], ports: [{port: 80, nodePort: 30080, protocol: TCP}]}',
        cells: ['a', 'NodePort', '<none>', '9.9.9.9,8.8.8.8', '80:30080/TCP', '60m', '<none>'],
      },
      {
        title: 'a load balancer that is not there yet',
        object: 'spec: {type: LoadBalancer}',
        cells: ['a', 'LoadBalancer', '<none>', '<pending>', '<none>', '60m', '<none>'],
      },
      {
        title: 'a load balancer, then external addresses',
        object: `
          spec: {type: LoadBalancer, externalIPs: [1.1.1.1]}
          status: {loadBalancer: {ingress: [{ip: 9.9.9.9}, {hostname: lb.example}]}}`,
        cells: ['a', 'LoadBalancer', '<none>', '9.9.9.9,lb.example,1.1.1.1', '<none>', '60m', '<none>'],
      },
      {
        title: 'another name',
        object: 'spec: {type: ExternalName, externalName: db.example}',
        cells: ['a', 'ExternalName', '<none>', 'db.example', '<none>', '60m', '<none>'],
      },
      { title: 'no type', object: '', cells: ['a', '', '<none>', '<unknown>', '<none>', '60m', '<none>'] },
    ],
  },
]

t.test('tables of the core group', (t) => {
  tellTables(t, stories)
  t.end()
})
