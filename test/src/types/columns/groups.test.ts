/** Tables of the groups around workloads: access, admission, networks, storage, scheduling and the server itself. */

import t from 'tap'
import { read, type TableStory, tableOf, tellTables } from './tables.ts'

const usual = {
  columns: 'Name, Created At:date',
  rows: [{ title: 'the usual two', object: '', cells: ['a', '2024-01-01T00:00:00Z'] }],
}

const webhooks = {
  columns: 'Name, Webhooks:integer, Age',
  rows: [{ title: 'two', object: 'webhooks: [{name: x}, {name: y}]', cells: ['a', 2, '60m'] }],
}

const binding = {
  columns: 'Name, Role, Age, Users*, Groups*, ServiceAccounts*',
  rows: [
    {
      title: 'subjects by kind',
      object: `
        roleRef: {kind: ClusterRole, name: admin}
        subjects:
          - {kind: User, name: u1}
          - {kind: ServiceAccount, name: s, namespace: ns}
          - {kind: Group, name: g}
          - {kind: User, name: u2}`,
      cells: ['a', 'ClusterRole/admin', '60m', 'u1, u2', 'g', 'ns/s'],
    },
    { title: 'nobody', object: 'roleRef: {kind: Role, name: r}', cells: ['a', 'Role/r', '60m', '', '', ''] },
  ],
}

const parameters = {
  columns: 'Name, GeneratedFrom, Age',
  rows: [
    { title: 'written by hand', object: '', cells: ['a', '', '60m'] },
    {
      title: 'made from something',
      object: 'generatedFrom: {apiGroup: g.example, kind: P, name: p}',
      cells: ['a', 'P.g.example p', '60m'],
    },
  ],
}

const stories: readonly TableStory[] = [
  { kind: 'admissionregistration.k8s.io/MutatingWebhookConfiguration', ...webhooks },
  { kind: 'admissionregistration.k8s.io/ValidatingWebhookConfiguration', ...webhooks },
  {
    kind: 'admissionregistration.k8s.io/ValidatingAdmissionPolicy',
    columns: 'Name, Validations:integer, ParamKind, Age',
    rows: [
      {
        title: 'without parameters',
        object: 'spec: {validations: [{}, {}]}',
        cells: ['a', 2, '<unset>', '60m'],
      },
      {
        title: 'with parameters',
        object: 'spec: {paramKind: {apiVersion: v1, kind: ConfigMap}}',
        cells: ['a', 0, 'v1/ConfigMap', '60m'],
      },
    ],
  },
  {
    kind: 'admissionregistration.k8s.io/ValidatingAdmissionPolicyBinding',
    columns: 'Name, PolicyName, ParamRef, Age',
    rows: [
      { title: 'without parameters', object: 'spec: {policyName: p}', cells: ['a', 'p', '<unset>', '60m'] },
      { title: 'one by name', object: 'spec: {paramRef: {name: x}}', cells: ['a', '', '*/x', '60m'] },
      {
        title: 'with its namespace',
        object: 'spec: {paramRef: {name: x, namespace: ns}}',
        cells: ['a', '', 'ns/x', '60m'],
      },
      {
        title: 'by selector',
        object:
          'spec: {paramRef: {selector: {matchLabels: {b: "2", a: "1"}, matchExpressions: [{key: k, operator: In, values: [x, y]}]}}}',
        cells: [
          'a',
          '',
          '&LabelSelector{MatchLabels:map[string]string{a: 1,b: 2,},MatchExpressions:[]LabelSelectorRequirement{LabelSelectorRequirement{Key:k,Operator:In,Values:[x y],},},}',
          '60m',
        ],
      },
    ],
  },
  { kind: 'apiextensions.k8s.io/CustomResourceDefinition', ...usual },
  {
    kind: 'apiregistration.k8s.io/APIService',
    columns: 'Name, Service, Available, Age',
    rows: [
      {
        title: 'of this server',
        object: 'status: {conditions: [{type: Available, status: "True", reason: Local}]}',
        cells: ['a', 'Local', 'True', '60m'],
      },
      {
        title: 'of another, which is gone',
        object:
          'spec: {service: {namespace: ns, name: s}}\nstatus: {conditions: [{type: Available, status: "False", reason: MissingEndpoints}]}',
        cells: ['a', 'ns/s', 'False (MissingEndpoints)', '60m'],
      },
      {
        title: 'no reason',
        object: 'status: {conditions: [{type: Available, status: Unknown}]}',
        cells: ['a', 'Local', 'Unknown', '60m'],
      },
      { title: 'new', object: '', cells: ['a', 'Local', 'Unknown', '60m'] },
    ],
  },
  {
    kind: 'certificates.k8s.io/CertificateSigningRequest',
    columns: 'Name, Age, SignerName, Requestor, RequestedDuration, Condition',
    rows: [
      {
        title: 'new',
        object: 'spec: {signerName: x/y, username: jane, expirationSeconds: 86400}',
        cells: ['a', '60m', 'x/y', 'jane', '24h', 'Pending'],
      },
      {
        title: 'approved and issued',
        object: 'status: {certificate: AA==, conditions: [{type: Approved, status: "True"}]}',
        cells: ['a', '60m', '<none>', '', '<none>', 'Approved,Issued'],
      },
      {
        title: 'denied, which counts more than approved, and failed',
        object: 'status: {conditions: [{type: Approved}, {type: Failed}, {type: Denied}]}',
        cells: ['a', '60m', '<none>', '', '<none>', 'Denied,Failed'],
      },
    ],
  },
  {
    kind: 'certificates.k8s.io/ClusterTrustBundle',
    columns: 'Name, SignerName',
    rows: [
      { title: 'of a signer', object: 'spec: {signerName: x/y}', cells: ['a', 'x/y'] },
      { title: 'of nobody', object: '', cells: ['a', '<none>'] },
    ],
  },
  {
    kind: 'coordination.k8s.io/Lease',
    columns: 'Name, Holder, Age',
    rows: [
      { title: 'held', object: 'spec: {holderIdentity: me}', cells: ['a', 'me', '60m'] },
      { title: 'free', object: '', cells: ['a', '', '60m'] },
    ],
  },
  {
    kind: 'discovery.k8s.io/EndpointSlice',
    columns: 'Name, AddressType, Ports, Endpoints, Age',
    rows: [
      { title: 'empty', object: 'addressType: IPv4', cells: ['a', 'IPv4', '<unset>', '<unset>', '60m'] },
      {
        title: 'more than three of both',
        object: `
          addressType: IPv4
          ports: [{port: 80}, {name: web}, {}, {port: 81}]
          endpoints: [{addresses: [10.0.0.1, 10.0.0.2]}, {addresses: [10.0.0.3, 10.0.0.4, 10.0.0.5]}]`,
        cells: ['a', 'IPv4', '80,web,* + 1 more...', '10.0.0.1,10.0.0.2,10.0.0.3 + 2 more...', '60m'],
      },
    ],
  },
  {
    kind: 'flowcontrol.apiserver.k8s.io/FlowSchema',
    columns: 'Name, PriorityLevel, MatchingPrecedence, DistinguisherMethod, Age, MissingPL',
    rows: [
      {
        title: 'with everything',
        object: `
          spec: {priorityLevelConfiguration: {name: system}, matchingPrecedence: 500, distinguisherMethod: {type: ByUser}}
          status: {conditions: [{type: Dangling, status: "False"}]}`,
        cells: ['a', 'system', 500, 'ByUser', '60m', 'False'],
      },
      { title: 'new', object: '', cells: ['a', '', 0, '<none>', '60m', '?'] },
    ],
  },
  {
    kind: 'flowcontrol.apiserver.k8s.io/PriorityLevelConfiguration',
    columns: 'Name, Type, NominalConcurrencyShares, Queues, HandSize, QueueLengthLimit, Age',
    rows: [
      {
        title: 'limited, with queues; no shares is a number too',
        object:
          'spec: {type: Limited, limited: {nominalConcurrencyShares: 0, limitResponse: {type: Queue, queuing: {queues: 64, handSize: 6, queueLengthLimit: 50}}}}',
        cells: ['a', 'Limited', 0, 64, 6, 50, '60m'],
      },
      {
        title: 'exempt',
        object: 'spec: {type: Exempt, exempt: {}}',
        cells: ['a', 'Exempt', '<none>', '<none>', '<none>', '<none>', '60m'],
      },
    ],
  },
  {
    kind: 'internal.apiserver.k8s.io/StorageVersion',
    columns: 'Name, CommonEncodingVersion, StorageVersions, Age',
    rows: [
      { title: 'new', object: '', cells: ['a', '<unset>', '<unset>', '60m'] },
      {
        title: 'two servers',
        object:
          'status: {commonEncodingVersion: v1, storageVersions: [{apiServerID: s1, encodingVersion: v1}, {apiServerID: s2, encodingVersion: v1}]}',
        cells: ['a', 'v1', 's1=v1,s2=v1', '60m'],
      },
    ],
  },
  {
    kind: 'networking.k8s.io/IPAddress',
    columns: 'Name, ParentRef',
    rows: [
      { title: 'of nothing', object: '', cells: ['a', '<none>', '60m'] },
      {
        title: 'of a service',
        object: 'spec: {parentRef: {resource: services, namespace: ns, name: s}}',
        cells: ['a', 'services/ns/s', '60m'],
      },
      {
        title: 'of something of a group, without a namespace',
        object: 'spec: {parentRef: {group: G.example, resource: Things, name: t}}',
        cells: ['a', 'things.g.example/t', '60m'],
      },
    ],
  },
  {
    kind: 'networking.k8s.io/Ingress',
    columns: 'Name, Class, Hosts, Address, Ports, Age',
    rows: [
      {
        title: 'for every host',
        object: 'spec: {rules: [{}]}',
        cells: ['a', '<none>', '*', '', '80', '60m'],
      },
      {
        title: 'rules without hosts count among those not shown',
        object: `
          spec: {ingressClassName: nginx, tls: [{}], rules: [{host: a}, {}, {host: b}, {host: c}, {}, {host: d}]}
          status: {loadBalancer: {ingress: [{ip: 9.9.9.9}, {hostname: lb}]}}`,
        cells: ['a', 'nginx', 'a,b,c + 3 more...', '9.9.9.9,lb', '80, 443', '60m'],
      },
      {
        title: 'three hosts, nothing behind them',
        object: 'spec: {rules: [{host: a}, {}, {host: b}, {host: c}]}',
        cells: ['a', '<none>', 'a,b,c', '', '80', '60m'],
      },
    ],
  },
  {
    kind: 'networking.k8s.io/IngressClass',
    columns: 'Name, Controller, Parameters, Age',
    rows: [
      {
        title: 'without parameters',
        object: 'spec: {controller: x/y}',
        cells: ['a', 'x/y', '<none>', '60m'],
      },
      {
        title: 'in a group',
        object: 'spec: {parameters: {apiGroup: g, kind: P, name: p}}',
        cells: ['a', '', 'P.g/p', '60m'],
      },
      {
        title: 'in the core group',
        object: 'spec: {parameters: {kind: ConfigMap, name: p}}',
        cells: ['a', '', 'ConfigMap/p', '60m'],
      },
    ],
  },
  {
    kind: 'networking.k8s.io/NetworkPolicy',
    columns: 'Name, Pod-Selector, Age',
    rows: [
      { title: 'for all', object: 'spec: {podSelector: {}}', cells: ['a', '<none>', '60m'] },
      { title: 'for some', object: 'spec: {podSelector: {matchLabels: {a: b}}}', cells: ['a', 'a=b', '60m'] },
    ],
  },
  {
    kind: 'networking.k8s.io/ServiceCIDR',
    columns: 'Name, CIDRs, Age',
    rows: [
      {
        title: 'two',
        object: 'spec: {cidrs: [10.0.0.0/8, "fd00::/64"]}',
        cells: ['a', '10.0.0.0/8,fd00::/64', '60m'],
      },
    ],
  },
  {
    kind: 'node.k8s.io/RuntimeClass',
    columns: 'Name, Handler, Age',
    rows: [{ title: 'one', object: 'handler: runsc', cells: ['a', 'runsc', '60m'] }],
  },
  { kind: 'rbac.authorization.k8s.io/ClusterRole', ...usual },
  { kind: 'rbac.authorization.k8s.io/Role', ...usual },
  { kind: 'rbac.authorization.k8s.io/ClusterRoleBinding', ...binding },
  { kind: 'rbac.authorization.k8s.io/RoleBinding', ...binding },
  {
    kind: 'resource.k8s.io/PodSchedulingContext',
    columns: 'Name, SelectedNode, Age',
    rows: [{ title: 'decided', object: 'spec: {selectedNode: n1}', cells: ['a', 'n1', '60m'] }],
  },
  {
    kind: 'resource.k8s.io/ResourceClaim',
    columns: 'Name, ResourceClassName, AllocationMode, State, Age',
    rows: (
      [
        ['', '', 'pending'],
        ['metadata: {deletionTimestamp: "2024-01-01T00:59:00Z"}', '', 'deleted'],
        ['', 'allocation: {}', 'allocated'],
        ['', 'allocation: {}, reservedFor: [{name: p}], deallocationRequested: true', 'allocated,reserved'],
        ['', 'allocation: {}, deallocationRequested: true', 'allocated,deallocating'],
        [
          'metadata: {deletionTimestamp: "2024-01-01T00:59:00Z"}',
          'allocation: {}',
          'deleted,allocated,deallocating',
        ],
        [
          'metadata: {deletionTimestamp: "2024-01-01T00:59:00Z"}',
          'allocation: {}, reservedFor: [{}]',
          'deleted,allocated,reserved',
        ],
      ] as const
    ).map(([metadata, status, state]) => ({
      title: state,
      object: `${metadata}\nspec: {resourceClassName: gpu, allocationMode: Immediate}\nstatus: {${status}}`,
      cells: ['a', 'gpu', 'Immediate', state, '60m'],
    })),
  },
  { kind: 'resource.k8s.io/ResourceClaimParameters', ...parameters },
  { kind: 'resource.k8s.io/ResourceClassParameters', ...parameters },
  {
    kind: 'resource.k8s.io/ResourceClaimTemplate',
    columns: 'Name, ResourceClassName, AllocationMode, Age',
    rows: [
      {
        title: 'one',
        object: 'spec: {spec: {resourceClassName: gpu, allocationMode: WaitForFirstConsumer}}',
        cells: ['a', 'gpu', 'WaitForFirstConsumer', '60m'],
      },
    ],
  },
  {
    kind: 'resource.k8s.io/ResourceClass',
    columns: 'Name, DriverName, Age',
    rows: [{ title: 'one', object: 'driverName: d', cells: ['a', 'd', '60m'] }],
  },
  {
    kind: 'resource.k8s.io/ResourceSlice',
    columns: 'Name, Node, Driver, Age',
    rows: [{ title: 'one', object: 'nodeName: n1\ndriverName: d', cells: ['a', 'n1', 'd', '60m'] }],
  },
  {
    kind: 'scheduling.k8s.io/PriorityClass',
    columns: 'Name, Value:integer, Global-Default:boolean, Age',
    rows: [
      { title: 'for all', object: 'value: -5\nglobalDefault: true', cells: ['a', -5, true, '60m'] },
      { title: 'for some', object: 'value: 1000000000', cells: ['a', 1000000000, false, '60m'] },
    ],
  },
  {
    kind: 'storage.k8s.io/CSIDriver',
    columns:
      'Name, AttachRequired:boolean, PodInfoOnMount:boolean, StorageCapacity:boolean, TokenRequests, RequiresRepublish:boolean, Modes, Age',
    rows: [
      {
        title: 'as it comes',
        object: '',
        cells: ['a', true, false, false, '<unset>', false, '<none>', '60m'],
      },
      {
        title: 'all the other way',
        object:
          'spec: {attachRequired: false, podInfoOnMount: true, storageCapacity: true, requiresRepublish: true, tokenRequests: [{audience: x}, {audience: y}], volumeLifecycleModes: [Persistent, Ephemeral]}',
        cells: ['a', false, true, true, 'x,y', true, 'Persistent,Ephemeral', '60m'],
      },
    ],
  },
  {
    kind: 'storage.k8s.io/CSINode',
    columns: 'Name, Drivers:integer, Age',
    rows: [{ title: 'two', object: 'spec: {drivers: [{name: x}, {name: y}]}', cells: ['a', 2, '60m'] }],
  },
  { kind: 'storage.k8s.io/CSIStorageCapacity', ...usual },
  {
    kind: 'storage.k8s.io/StorageClass',
    columns: 'Name, Provisioner, ReclaimPolicy, VolumeBindingMode, AllowVolumeExpansion, Age',
    rows: [
      {
        title: 'as it comes',
        object: 'provisioner: p',
        cells: ['a', 'p', 'Delete', 'Immediate', false, '60m'],
      },
      {
        title: 'the default',
        object: `
          metadata: {annotations: {storageclass.kubernetes.io/is-default-class: "true"}}
          provisioner: p
          reclaimPolicy: Retain
          volumeBindingMode: WaitForFirstConsumer
          allowVolumeExpansion: true`,
        cells: ['a (default)', 'p', 'Retain', 'WaitForFirstConsumer', true, '60m'],
      },
      {
        title: 'the default, said the old way',
        object: 'metadata: {annotations: {storageclass.beta.kubernetes.io/is-default-class: "true"}}',
        cells: ['a (default)', '', 'Delete', 'Immediate', false, '60m'],
      },
      {
        title: 'not the default',
        object: 'metadata: {annotations: {storageclass.kubernetes.io/is-default-class: "false"}}',
        cells: ['a', '', 'Delete', 'Immediate', false, '60m'],
      },
    ],
  },
  {
    kind: 'storage.k8s.io/VolumeAttachment',
    columns: 'Name, Attacher(name), PV, Node, Attached:boolean, Age',
    rows: [
      {
        title: 'attached',
        object:
          'spec: {attacher: d, nodeName: n1, source: {persistentVolumeName: pv}}\nstatus: {attached: true}',
        cells: ['a', 'd', 'pv', 'n1', true, '60m'],
      },
      {
        title: 'an inline volume, not yet',
        object: 'spec: {attacher: d}',
        cells: ['a', 'd', '', '', false, '60m'],
      },
    ],
  },
  {
    kind: 'storage.k8s.io/VolumeAttributesClass',
    columns: 'Name, DriverName, Age',
    rows: [
      {
        title: 'the default',
        object:
          'metadata: {annotations: {volumeattributesclass.alpha.kubernetes.io/is-default-class: "true"}}\ndriverName: d',
        cells: ['a (default)', 'd', '60m'],
      },
    ],
  },
  {
    kind: 'storagemigration.k8s.io/StorageVersionMigration',
    columns: 'Name, Resource',
    rows: [
      {
        title: 'of a group',
        object: 'spec: {resource: {group: apps, version: v1, resource: deployments}}',
        cells: ['a', 'deployments.v1.apps'],
      },
    ],
  },
  { kind: 'example.com/Constructor', ...usual },
  { kind: 'constructor', ...usual },
]

t.test('tables of the other groups', (t) => {
  tellTables(t, stories)
  t.end()
})

t.test('flow schemas stand in the order in which they are tried', (t) => {
  const { compare } = tableOf('flowcontrol.apiserver.k8s.io/FlowSchema')
  const schemas = [
    ['c', 100],
    ['b', 20],
    ['a', 100],
  ].map(([name, precedence]) => read(`metadata: {name: ${name}}\nspec: {matchingPrecedence: ${precedence}}`))
  t.same(
    schemas.sort(compare).map(({ metadata }) => metadata.name),
    ['b', 'a', 'c'],
  )
  t.end()
})
