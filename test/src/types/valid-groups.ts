/** Objects of the named groups that a 1.30 server accepts. */

import type { Json } from './validation.ts'

function made(apiVersion: string, kind: string, body: object, name = 'thing'): Json {
  return { apiVersion, kind, metadata: { name }, ...body }
}

const selector = { matchLabels: { a: 'b' } }
const template = {
  metadata: { labels: { a: 'b', c: 'd' } },
  spec: { containers: [{ name: 'c', image: 'x' }] },
}
const ending = { spec: { containers: [{ name: 'c', image: 'x' }], restartPolicy: 'Never' } }

export const deployment = made('apps/v1', 'Deployment', { spec: { selector, template } })
export const replicaSet = made('apps/v1', 'ReplicaSet', { spec: { selector, template } })
export const daemonSet = made('apps/v1', 'DaemonSet', { spec: { selector, template } })
export const statefulSet = made('apps/v1', 'StatefulSet', {
  spec: {
    selector,
    template,
    updateStrategy: { type: 'RollingUpdate', rollingUpdate: { partition: 3 } },
    volumeClaimTemplates: [{ metadata: { name: 'd' }, spec: { accessModes: ['ReadWriteOnce'] } }],
  },
})
export const job = made('batch/v1', 'Job', { spec: { template: ending } })
export const indexedJob = made('batch/v1', 'Job', {
  spec: {
    template: ending,
    completionMode: 'Indexed',
    completions: 3,
    parallelism: 3,
    backoffLimitPerIndex: 1,
    maxFailedIndexes: 2,
    podFailurePolicy: {
      rules: [
        { action: 'FailIndex', onExitCodes: { containerName: 'c', operator: 'In', values: [1, 42] } },
        { action: 'Ignore', onPodConditions: [{ type: 'DisruptionTarget' }] },
      ],
    },
  },
})
export const cronJob = made('batch/v1', 'CronJob', {
  spec: {
    schedule: '*/5 0-4,8 1 jan-mar MON',
    timeZone: 'Europe/Berlin',
    jobTemplate: { spec: { template: ending } },
  },
})
export const ingress = made('networking.k8s.io/v1', 'Ingress', {
  spec: {
    ingressClassName: 'nginx',
    tls: [{ hosts: ['*.example.com', 'example.com'], secretName: 's' }],
    rules: [
      {
        host: '*.example.com',
        http: {
          paths: [
            { path: '/', pathType: 'Prefix', backend: { service: { name: 'web', port: { number: 80 } } } },
            {
              pathType: 'ImplementationSpecific',
              backend: { service: { name: 'web', port: { name: 'http' } } },
            },
            {
              path: '/x',
              pathType: 'Exact',
              backend: { resource: { kind: 'Bucket', name: 'b', apiGroup: 'x.io' } },
            },
          ],
        },
      },
      { host: 'example.com' },
    ],
  },
})
export const ingressClass = made('networking.k8s.io/v1', 'IngressClass', {
  spec: {
    controller: 'example.com/controller',
    parameters: { kind: 'K', name: 'n', scope: 'Namespace', namespace: 'x' },
  },
})
export const networkPolicy = made('networking.k8s.io/v1', 'NetworkPolicy', {
  spec: {
    podSelector: {},
    policyTypes: ['Ingress', 'Egress'],
    ingress: [
      {
        from: [
          { ipBlock: { cidr: '10.0.0.0/8', except: ['10.1.0.0/16', '10.2.3.4/32'] } },
          { ipBlock: { cidr: '2001:db8::/32', except: ['2001:db8:1::/48'] } },
          { podSelector: {}, namespaceSelector: { matchLabels: { a: 'b' } } },
        ],
        ports: [{ port: 80, endPort: 90 }, { port: 'http' }, { protocol: 'UDP' }],
      },
      {},
    ],
  },
})
export const role = made('rbac.authorization.k8s.io/v1', 'Role', {
  rules: [{ apiGroups: [''], resources: ['pods', 'pods/log'], verbs: ['get', '*'], resourceNames: ['a'] }],
})
export const clusterRole = made(
  'rbac.authorization.k8s.io/v1',
  'ClusterRole',
  {
    rules: [{ nonResourceURLs: ['/healthz', '/metrics/*'], verbs: ['get'] }],
    aggregationRule: { clusterRoleSelectors: [selector] },
  },
  'system:thing',
)
export const roleBinding = made('rbac.authorization.k8s.io/v1', 'RoleBinding', {
  roleRef: { kind: 'ClusterRole', name: 'system:x' },
  subjects: [
    { kind: 'User', name: 'Jane Doe' },
    { kind: 'Group', name: 'system:masters', apiGroup: 'rbac.authorization.k8s.io' },
    { kind: 'ServiceAccount', name: 'sa' },
  ],
})
export const clusterRoleBinding = made('rbac.authorization.k8s.io/v1', 'ClusterRoleBinding', {
  roleRef: { kind: 'ClusterRole', name: 'x' },
  subjects: [{ kind: 'ServiceAccount', name: 'sa', namespace: 'n' }],
})
export const budget = made('policy/v1', 'PodDisruptionBudget', { spec: { maxUnavailable: '50%', selector } })
export const autoscaler = made('autoscaling/v2', 'HorizontalPodAutoscaler', {
  spec: {
    scaleTargetRef: { apiVersion: 'apps/v1', kind: 'Deployment', name: 'd' },
    minReplicas: 2,
    maxReplicas: 2,
    metrics: [
      {
        type: 'Resource',
        resource: { name: 'cpu', target: { type: 'Utilization', averageUtilization: 80 } },
      },
      {
        type: 'Pods',
        pods: { metric: { name: 'qps' }, target: { type: 'AverageValue', averageValue: '1k' } },
      },
      {
        type: 'Object',
        object: {
          describedObject: { kind: 'Service', name: 's' },
          metric: { name: 'hits' },
          target: { type: 'Value', value: '100' },
        },
      },
      {
        type: 'External',
        external: { metric: { name: 'q', selector }, target: { type: 'Value', value: '3' } },
      },
    ],
    behavior: { scaleDown: { stabilizationWindowSeconds: 3600, selectPolicy: 'Disabled' } },
  },
})
export const priorityClass = made('scheduling.k8s.io/v1', 'PriorityClass', { value: 1_000_000_000 })
export const storageClass = made('storage.k8s.io/v1', 'StorageClass', {
  provisioner: 'kubernetes.io/no-provisioner',
  volumeBindingMode: 'WaitForFirstConsumer',
  allowedTopologies: [{ matchLabelExpressions: [{ key: 'zone', values: ['a'] }] }],
})
export const csiNode = made('storage.k8s.io/v1', 'CSINode', {
  spec: {
    drivers: [{ name: 'csi.example.com', nodeID: 'n', topologyKeys: ['zone'], allocatable: { count: 3 } }],
  },
})
export const attachment = made('storage.k8s.io/v1', 'VolumeAttachment', {
  spec: { attacher: 'csi.example.com', nodeName: 'n', source: { persistentVolumeName: 'v' } },
})
export const runtimeClass = made('node.k8s.io/v1', 'RuntimeClass', {
  handler: 'runsc',
  overhead: { podFixed: { memory: '100Mi' } },
  scheduling: { nodeSelector: { a: 'b' }, tolerations: [{ operator: 'Exists' }] },
})
export const lease = made('coordination.k8s.io/v1', 'Lease', {
  spec: { holderIdentity: 'a', leaseDurationSeconds: 15, renewTime: '2024-01-01T00:00:00.000000Z' },
})
export const slice = made('discovery.k8s.io/v1', 'EndpointSlice', {
  addressType: 'IPv4',
  endpoints: [{ addresses: ['10.0.0.1'], hostname: 'a', zone: 'z', hints: { forZones: [{ name: 'z' }] } }],
  ports: [{ name: 'http', port: 80 }, { port: 81 }],
})
export const webhooks = made('admissionregistration.k8s.io/v1', 'ValidatingWebhookConfiguration', {
  webhooks: [
    {
      name: 'a.example.com',
      clientConfig: { service: { namespace: 'n', name: 's', path: '/validate/' } },
      rules: [
        {
          operations: ['CREATE', 'UPDATE'],
          apiGroups: ['*'],
          apiVersions: ['*'],
          resources: ['pods/*', '*/scale'],
        },
      ],
      sideEffects: 'None',
      admissionReviewVersions: ['v2', 'v1'],
      timeoutSeconds: 30,
      matchConditions: [{ name: 'example.com/not-leases', expression: 'true' }],
    },
    {
      name: 'b.example.com',
      clientConfig: { url: 'https://hooks.example.com:8443/path' },
      sideEffects: 'NoneOnDryRun',
      admissionReviewVersions: ['v1beta1'],
    },
  ],
})
const pem = Buffer.from('-----BEGIN CERTIFICATE REQUEST-----\nMQ==\n-----END CERTIFICATE REQUEST-----\n')
export const signingRequest = made('certificates.k8s.io/v1', 'CertificateSigningRequest', {
  spec: {
    signerName: 'example.com/my-signer',
    request: pem.toString('base64'),
    usages: ['client auth', 'digital signature'],
    expirationSeconds: 600,
  },
})
export const event = {
  apiVersion: 'events.k8s.io/v1',
  kind: 'Event',
  metadata: { name: 'thing', namespace: 'default' },
  eventTime: '2024-01-01T00:00:00.000000Z',
  type: 'Normal',
  reason: 'Started',
  action: 'Start',
  reportingController: 'example.com/agent',
  reportingInstance: 'agent-1',
  regarding: { kind: 'Pod', name: 'p', namespace: 'default' },
  note: 'It started.',
}
export const flowSchema = made('flowcontrol.apiserver.k8s.io/v1', 'FlowSchema', {
  spec: {
    priorityLevelConfiguration: { name: 'workload-low' },
    distinguisherMethod: { type: 'ByUser' },
    rules: [
      {
        subjects: [
          { kind: 'ServiceAccount', serviceAccount: { name: '*', namespace: 'n' } },
          { kind: 'Group', group: { name: 'system:authenticated' } },
        ],
        resourceRules: [
          { verbs: ['*'], apiGroups: ['*'], resources: ['*'], namespaces: ['*'], clusterScope: true },
        ],
        nonResourceRules: [{ verbs: ['get'], nonResourceURLs: ['/healthz'] }],
      },
    ],
  },
})
export const priorityLevel = made('flowcontrol.apiserver.k8s.io/v1', 'PriorityLevelConfiguration', {
  spec: { type: 'Limited', limited: { limitResponse: { type: 'Queue', queuing: {} } } },
})

export const apiService = made(
  'apiregistration.k8s.io/v1',
  'APIService',
  {
    spec: {
      group: 'metrics.example.com',
      version: 'v1beta1',
      groupPriorityMinimum: 100,
      versionPriority: 100,
      service: { namespace: 'n', name: 's' },
      insecureSkipTLSVerify: true,
    },
  },
  'v1beta1.metrics.example.com',
)

export const validGroups: readonly Json[] = [
  apiService,
  deployment,
  made('apps/v1', 'Deployment', {
    spec: {
      selector: { matchExpressions: [{ key: 'a', operator: 'In', values: ['b'] }] },
      template,
      replicas: 0,
      strategy: { rollingUpdate: { maxSurge: '150%', maxUnavailable: 0 } },
    },
  }),
  made('apps/v1', 'Deployment', { spec: { selector, template, strategy: { type: 'Recreate' } } }),
  replicaSet,
  daemonSet,
  made('apps/v1', 'DaemonSet', {
    spec: { selector, template, updateStrategy: { rollingUpdate: { maxSurge: 1, maxUnavailable: 0 } } },
  }),
  statefulSet,
  made('apps/v1', 'ControllerRevision', { data: { a: 1 }, revision: 1 }),
  job,
  indexedJob,
  cronJob,
  ingress,
  made('networking.k8s.io/v1', 'Ingress', {
    spec: { defaultBackend: { service: { name: 'a', port: { number: 1 } } } },
  }),
  ingressClass,
  networkPolicy,
  made('networking.k8s.io/v1', 'NetworkPolicy', { spec: { podSelector: {} } }),
  role,
  made('rbac.authorization.k8s.io/v1', 'Role', {}),
  clusterRole,
  roleBinding,
  clusterRoleBinding,
  budget,
  made('policy/v1', 'PodDisruptionBudget', { spec: { minAvailable: 0 } }),
  autoscaler,
  made('autoscaling/v1', 'HorizontalPodAutoscaler', {
    spec: {
      scaleTargetRef: { kind: 'Deployment', name: 'd' },
      maxReplicas: 3,
      targetCPUUtilizationPercentage: 50,
    },
  }),
  priorityClass,
  made('scheduling.k8s.io/v1', 'PriorityClass', { value: 2_000_001_000 }, 'system-node-critical'),
  storageClass,
  csiNode,
  made('storage.k8s.io/v1', 'CSIDriver', { spec: { tokenRequests: [{ audience: '' }] } }, 'csi.example.com'),
  made('storage.k8s.io/v1', 'CSIStorageCapacity', {
    storageClassName: 'a',
    capacity: '1Gi',
    nodeTopology: {},
  }),
  attachment,
  runtimeClass,
  lease,
  made('coordination.k8s.io/v1', 'Lease', {}),
  slice,
  made('discovery.k8s.io/v1', 'EndpointSlice', { addressType: 'FQDN' }),
  webhooks,
  made('admissionregistration.k8s.io/v1', 'MutatingWebhookConfiguration', {}),
  made('admissionregistration.k8s.io/v1', 'ValidatingAdmissionPolicy', {
    spec: {
      matchConstraints: {
        resourceRules: [
          { apiGroups: ['apps'], apiVersions: ['v1'], operations: ['CREATE'], resources: ['deployments'] },
        ],
      },
      validations: [{ expression: 'true' }],
    },
  }),
  made('admissionregistration.k8s.io/v1', 'ValidatingAdmissionPolicyBinding', {
    spec: { policyName: 'p', validationActions: ['Deny'] },
  }),
  signingRequest,
  event,
  flowSchema,
  priorityLevel,
  made(
    'flowcontrol.apiserver.k8s.io/v1',
    'PriorityLevelConfiguration',
    { spec: { type: 'Exempt', exempt: {} } },
    'exempt',
  ),
]
