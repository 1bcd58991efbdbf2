/** Objects of the core group that a 1.30 server accepts. */

import type { Json } from './validation.ts'

const core = (kind: string, body: object, name = 'thing'): Json => ({
  apiVersion: 'v1',
  kind,
  metadata: { name, namespace: 'default' },
  ...body,
})
const wide = (kind: string, body: object, name = 'thing'): Json => ({
  apiVersion: 'v1',
  kind,
  metadata: { name },
  ...body,
})

/** A pod with something of everything. */
export const fullPod: Json = {
  apiVersion: 'v1',
  kind: 'Pod',
  metadata: {
    name: 'web',
    namespace: 'default',
    labels: { app: 'web', 'example.com/tier': 'front' },
    annotations: { 'Example.com/Note': 'any text: ✓' },
    finalizers: ['example.com/hold', 'orphan'],
    ownerReferences: [
      { apiVersion: 'apps/v1', kind: 'ReplicaSet', name: 'web', uid: 'u-1', controller: true },
    ],
  },
  spec: {
    serviceAccountName: 'web',
    automountServiceAccountToken: false,
    hostname: 'web-0',
    subdomain: 'web',
    priorityClassName: 'high',
    runtimeClassName: 'sandbox',
    terminationGracePeriodSeconds: 0,
    activeDeadlineSeconds: 3600,
    dnsPolicy: 'None',
    dnsConfig: {
      nameservers: ['10.0.0.10', '2001:db8::1'],
      searches: ['svc.example.com', 'example.com.'],
      options: [{ name: 'ndots', value: '2' }, { name: 'edns0' }],
    },
    hostAliases: [{ ip: '127.0.0.1', hostnames: ['one.local', 'two.local'] }],
    imagePullSecrets: [{ name: 'registry' }],
    nodeSelector: { 'kubernetes.io/os': 'linux' },
    os: { name: 'linux' },
    readinessGates: [{ conditionType: 'example.com/ready' }],
    overhead: { cpu: '10m' },
    securityContext: {
      runAsUser: 1000,
      runAsGroup: 0,
      fsGroup: 2000,
      supplementalGroups: [1, 2],
      fsGroupChangePolicy: 'OnRootMismatch',
      seccompProfile: { type: 'RuntimeDefault' },
      sysctls: [{ name: 'net.ipv4.tcp_syncookies', value: '' }],
    },
    initContainers: [
      { name: 'setup', image: 'setup:1', command: ['true'] },
      {
        name: 'proxy',
        image: 'proxy:1',
        restartPolicy: 'Always',
        startupProbe: { tcpSocket: { port: 'admin' } },
        ports: [{ name: 'admin', containerPort: 15_000 }],
      },
    ],
    containers: [
      {
        name: 'web',
        image: 'registry.example.com:5000/team/web@sha256:abc',
        imagePullPolicy: 'Never',
        workingDir: '/srv',
        ports: [
          { name: 'http', containerPort: 8080, hostPort: 80, protocol: 'TCP' },
          { name: 'dns', containerPort: 53, hostPort: 80, protocol: 'UDP' },
          { containerPort: 9090 },
        ],
        env: [
          { name: 'A', value: '' },
          { name: 'my.env-NAME_1', value: '$(A)' },
          { name: 'B', valueFrom: { fieldRef: { fieldPath: 'status.podIP' } } },
          { name: 'L', valueFrom: { fieldRef: { fieldPath: "metadata.labels['example.com/tier']" } } },
          { name: 'C', valueFrom: { resourceFieldRef: { resource: 'limits.cpu', divisor: '1m' } } },
          { name: 'D', valueFrom: { secretKeyRef: { name: 'db', key: 'password', optional: true } } },
          { name: 'A', value: 'again' },
        ],
        envFrom: [{ prefix: 'CFG_', configMapRef: { name: 'config' } }, { secretRef: { name: 'db' } }],
        resources: {
          limits: { cpu: '1', memory: '1Gi', 'example.com/gpu': '2', 'hugepages-2Mi': '4Mi' },
          requests: { cpu: '1000m', memory: '0.5Gi', 'example.com/gpu': '2', 'hugepages-2Mi': '4Mi' },
        },
        volumeMounts: [
          { name: 'config', mountPath: '/etc/web', readOnly: true },
          { name: 'data', mountPath: '/data', subPath: 'a/..b' },
          { name: 'data', mountPath: '/data2', subPathExpr: '$(A)' },
          { name: 'host', mountPath: '/host', mountPropagation: 'HostToContainer' },
        ],
        volumeDevices: [{ name: 'raw', devicePath: '/dev/xvda' }],
        livenessProbe: {
          httpGet: { path: '/healthz', port: 'http', httpHeaders: [{ name: 'X-Probe', value: '' }] },
          terminationGracePeriodSeconds: 5,
        },
        readinessProbe: { exec: { command: ['ready'] }, successThreshold: 2 },
        startupProbe: { grpc: { port: 9000 } },
        lifecycle: { preStop: { exec: { command: ['drain'] } }, postStart: { httpGet: { port: 8080 } } },
        securityContext: {
          privileged: false,
          allowPrivilegeEscalation: false,
          capabilities: { drop: ['ALL'], add: ['NET_BIND_SERVICE'] },
          readOnlyRootFilesystem: true,
          seccompProfile: { type: 'Localhost', localhostProfile: 'profiles/web.json' },
        },
      },
    ],
    volumes: [
      { name: 'config', configMap: { name: 'config', items: [{ key: 'a', path: 'b/c.yaml', mode: 256 }] } },
      { name: 'secret', secret: { secretName: 's', defaultMode: 0 } },
      { name: 'data', emptyDir: { medium: 'Memory', sizeLimit: '1Gi' } },
      { name: 'host', hostPath: { path: '/var/log', type: 'DirectoryOrCreate' } },
      { name: 'raw', persistentVolumeClaim: { claimName: 'raw' } },
      { name: 'nfs', nfs: { server: 'nfs.example.com', path: '/export' } },
      { name: 'csi', csi: { driver: 'CSI.example.com' } },
      { name: 'none' },
      {
        name: 'all',
        projected: {
          sources: [
            { secret: { name: 's' } },
            { configMap: { name: 'c' } },
            { serviceAccountToken: { path: 'token', expirationSeconds: 600, audience: 'vault' } },
            { downwardAPI: { items: [{ path: 'labels', fieldRef: { fieldPath: 'metadata.labels' } }] } },
          ],
        },
      },
      {
        name: 'scratch',
        ephemeral: {
          volumeClaimTemplate: {
            metadata: { labels: { a: 'b' } },
            spec: { accessModes: ['ReadWriteOnce'], resources: { requests: { storage: '1Gi' } } },
          },
        },
      },
    ],
    tolerations: [
      { operator: 'Exists' },
      { key: 'dedicated', value: 'web', effect: 'NoSchedule' },
      {
        key: 'node.example.com/unreachable',
        operator: 'Exists',
        effect: 'NoExecute',
        tolerationSeconds: 300,
      },
    ],
    topologySpreadConstraints: [
      {
        maxSkew: 1,
        topologyKey: 'zone',
        whenUnsatisfiable: 'DoNotSchedule',
        minDomains: 2,
        labelSelector: { matchLabels: { app: 'web' } },
      },
      { maxSkew: 2, topologyKey: 'zone', whenUnsatisfiable: 'ScheduleAnyway' },
    ],
    affinity: {
      nodeAffinity: {
        requiredDuringSchedulingIgnoredDuringExecution: {
          nodeSelectorTerms: [
            {
              matchExpressions: [
                { key: 'zone', operator: 'In', values: ['a', 'b'] },
                { key: 'cores', operator: 'Gt', values: ['4'] },
                { key: 'gpu', operator: 'Exists' },
              ],
              matchFields: [{ key: 'metadata.name', operator: 'In', values: ['node-1'] }],
            },
            {},
          ],
        },
        preferredDuringSchedulingIgnoredDuringExecution: [
          { weight: 100, preference: { matchExpressions: [{ key: 'disk', operator: 'DoesNotExist' }] } },
        ],
      },
      podAffinity: {
        requiredDuringSchedulingIgnoredDuringExecution: [
          { topologyKey: 'kubernetes.io/hostname', namespaces: ['other'], namespaceSelector: {} },
        ],
      },
      podAntiAffinity: {
        preferredDuringSchedulingIgnoredDuringExecution: [
          {
            weight: 1,
            podAffinityTerm: {
              topologyKey: 'zone',
              labelSelector: { matchExpressions: [{ key: 'app', operator: 'NotIn', values: ['x', ''] }] },
            },
          },
        ],
      },
    },
    schedulingGates: [{ name: 'example.com/quota' }],
  },
}

export const service = core('Service', { spec: { selector: { app: 'web' }, ports: [{ port: 80 }] } })
export const configMap = core('ConfigMap', {
  data: { 'a.b_c-D': '1', '.hidden': '', a: 'x' },
  binaryData: { b: 'AAE=' },
})
export const secret = core('Secret', { data: { a: 'MQ==' } })
export const claim = core('PersistentVolumeClaim', {
  spec: {
    accessModes: ['ReadWriteOnce', 'ReadOnlyMany'],
    resources: { requests: { storage: '10Gi' } },
    storageClassName: '',
    selector: { matchLabels: { a: 'b' } },
    dataSource: { apiGroup: 'snapshot.example.com', kind: 'VolumeSnapshot', name: 's' },
  },
})
export const volume = wide('PersistentVolume', {
  spec: {
    capacity: { storage: '1Gi' },
    accessModes: ['ReadWriteOncePod'],
    nfs: { server: 's', path: '/p' },
    storageClassName: 'slow',
    persistentVolumeReclaimPolicy: 'Recycle',
  },
})
export const node = wide('Node', {
  spec: {
    podCIDRs: ['10.0.0.0/24', 'fd00::/64'],
    taints: [
      { key: 'a', effect: 'NoSchedule' },
      { key: 'a', value: 'b', effect: 'NoExecute' },
    ],
  },
  status: { capacity: { cpu: '4' } },
})
export const quota = core('ResourceQuota', {
  spec: {
    hard: {
      'requests.cpu': '1',
      'limits.memory': '1Gi',
      pods: '10',
      'count/jobs.batch': '3',
      'requests.example.com/gpu': '4',
      'gold.storageclass.storage.kubernetes.io/requests.storage': '500Gi',
    },
    scopes: ['NotTerminating', 'NotBestEffort'],
    scopeSelector: {
      matchExpressions: [{ scopeName: 'PriorityClass', operator: 'In', values: ['high'] }],
    },
  },
})
export const limitRange = core('LimitRange', {
  spec: {
    limits: [
      {
        type: 'Container',
        max: { cpu: '2' },
        min: { cpu: '100m' },
        default: { cpu: '1' },
        defaultRequest: { cpu: '0.5' },
        maxLimitRequestRatio: { cpu: '4' },
      },
      { type: 'Pod', max: { memory: '1Gi' } },
      { type: 'PersistentVolumeClaim', min: { storage: '1Gi' } },
      { type: 'example.com/own', max: { 'example.com/things': '1' } },
    ],
  },
})
export const endpoints = core('Endpoints', {
  subsets: [
    {
      addresses: [{ ip: '10.0.0.1', hostname: 'a', nodeName: 'n' }],
      notReadyAddresses: [{ ip: 'fd00::1' }],
      ports: [
        { name: 'a', port: 80 },
        { name: 'b', port: 81, protocol: 'SCTP' },
      ],
    },
  ],
})
export const coreEvent = core('Event', {
  involvedObject: { kind: 'Pod', name: 'p', namespace: 'default' },
  type: 'Anything',
})

const template = { metadata: { labels: { a: 'b' } }, spec: { containers: [{ name: 'c', image: 'x' }] } }

export const replicationController = core('ReplicationController', { spec: { replicas: 0, template } })

export const validCore: readonly Json[] = [
  fullPod,
  core('Pod', {
    spec: {
      containers: [{ name: 'c', image: 'x', ports: [{ containerPort: 1, hostPort: 1 }] }],
      hostNetwork: true,
    },
  }),
  core('PodTemplate', { template }),
  replicationController,
  service,
  core('Service', { spec: { clusterIP: 'None', selector: { a: 'b' } } }),
  core('Service', { spec: { type: 'ExternalName', externalName: 'www.example.com.' } }),
  core('Service', {
    spec: {
      type: 'LoadBalancer',
      loadBalancerClass: 'example.com/lb',
      allocateLoadBalancerNodePorts: false,
      loadBalancerSourceRanges: ['10.0.0.0/8', ' 192.168.0.0/16 '],
      externalTrafficPolicy: 'Local',
      healthCheckNodePort: 30_000,
      clusterIP: '10.0.0.5',
      clusterIPs: ['10.0.0.5', 'fd00::5'],
      ipFamilies: ['IPv4', 'IPv6'],
      ipFamilyPolicy: 'RequireDualStack',
      externalIPs: ['203.0.113.7'],
      sessionAffinity: 'ClientIP',
      ports: [
        { name: 'http', port: 80, targetPort: 'http', nodePort: 30_080, appProtocol: 'example.com/h2c' },
        { name: 'http-udp', port: 80, protocol: 'UDP', nodePort: 30_080 },
      ],
    },
  }),
  configMap,
  core('ConfigMap', {}),
  secret,
  core('Secret', { type: 'kubernetes.io/tls', data: { 'tls.crt': '', 'tls.key': '' } }),
  core('Secret', { type: 'kubernetes.io/basic-auth', stringData: { username: 'u' } }),
  core('Secret', { type: 'kubernetes.io/ssh-auth', stringData: { 'ssh-privatekey': 'k' } }),
  core('Secret', { type: 'kubernetes.io/dockerconfigjson', stringData: { '.dockerconfigjson': '{}' } }),
  core('Secret', { type: 'example.com/own' }),
  claim,
  volume,
  wide('PersistentVolume', {
    spec: {
      capacity: { storage: '1' },
      accessModes: ['ReadWriteOnce', 'ReadWriteMany'],
      local: { path: '/mnt/disk' },
      nodeAffinity: {
        required: {
          nodeSelectorTerms: [{ matchExpressions: [{ key: 'h', operator: 'In', values: ['n'] }] }],
        },
      },
    },
  }),
  node,
  wide('Node', {}),
  wide('Namespace', {}),
  core('ServiceAccount', { secrets: [{ name: 's' }], imagePullSecrets: [{ name: 'x' }] }),
  quota,
  core('ResourceQuota', {}),
  limitRange,
  core('LimitRange', {}),
  endpoints,
  core('Endpoints', {}),
  coreEvent,
  core('Event', { involvedObject: { kind: 'Node', name: 'n' } }),
]
