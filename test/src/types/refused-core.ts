/** What a 1.30 server refuses in the core group, and how it says so. */

import {
  claim,
  configMap,
  coreEvent,
  endpoints,
  limitRange,
  node,
  quota,
  replicationController,
  secret,
  service,
  volume,
} from './valid-core.ts'
import type { Refusal } from './validation.ts'

const tls = { type: 'kubernetes.io/tls' }

export const refusedCore: readonly Refusal[] = [
  // Every object.
  [
    configMap,
    { 'metadata.name': 'A_b' },
    ['metadata.name: Invalid value: "A_b": a lowercase RFC 1123 subdomain must consist of'],
  ],
  [
    configMap,
    { 'metadata.finalizers': ['hold'] },
    [
      'metadata.finalizers[0]: Invalid value: "hold": name is neither a standard finalizer name nor is it fully qualified',
    ],
  ],
  [
    configMap,
    { 'metadata.labels': { '-a': 'b c' } },
    [
      'metadata.labels: Invalid value: "-a": name part',
      'metadata.labels: Invalid value: "b c": a valid label',
    ],
  ],
  // Services.
  [service, { 'spec.ports': [] }, ['spec.ports: Required value']],
  [
    service,
    { 'metadata.name': '1web' },
    ['metadata.name: Invalid value: "1web": a DNS-1035 label must consist of'],
  ],
  [
    service,
    { 'spec.ports.0.port': 0 },
    [
      'spec.ports[0].port: Invalid value: 0: must be between 1 and 65535, inclusive',
      'spec.ports[0].targetPort: Invalid value: 0: must be between 1 and 65535, inclusive',
    ],
  ],
  [
    service,
    { 'spec.ports': [{ port: 80 }, { name: 'B', port: 80 }] },
    [
      'spec.ports[0].name: Required value',
      'spec.ports[1].name: Invalid value: "B"',
      'spec.ports[1]: Duplicate value: {"protocol":"TCP","port":80}',
    ],
  ],
  [
    service,
    { 'spec.ports.0.targetPort': 'HTTP' },
    [
      'spec.ports[0].targetPort: Invalid value: "HTTP": must contain only',
      'spec.ports[0].targetPort: Invalid value: "HTTP": must contain at least one letter',
    ],
  ],
  [
    service,
    { 'spec.ports.0.nodePort': 30_000 },
    ["spec.ports[0].nodePort: Forbidden: may not be used when `type` is 'ClusterIP'"],
  ],
  [
    service,
    { 'spec.type': 'Magic' },
    [
      'spec.type: Unsupported value: "Magic": supported values: "ClusterIP", "ExternalName", "LoadBalancer", "NodePort"',
    ],
  ],
  [
    service,
    { 'spec.type': 'NodePort', 'spec.clusterIP': 'None' },
    ['spec.clusterIPs[0]: Invalid value: "None": may not be set to \'None\' for NodePort services'],
  ],
  [
    service,
    { 'spec.type': 'ExternalName', 'spec.clusterIP': '10.0.0.1' },
    [
      'spec.clusterIPs: Forbidden: may not be set for ExternalName services',
      'spec.externalName: Required value',
    ],
  ],
  [
    service,
    { 'spec.clusterIP': '10.0.0' },
    ['spec.clusterIPs[0]: Invalid value: "10.0.0": must be a valid IP address'],
  ],
  [
    service,
    { 'spec.externalIPs': ['127.0.0.1'] },
    ['spec.externalIPs[0]: Invalid value: "127.0.0.1": may not be in the loopback range'],
  ],
  [service, { 'spec.selector': { a: '-' } }, ['spec.selector: Invalid value: "-": a valid label']],
  [
    service,
    { 'spec.sessionAffinity': 'ClientIP', 'spec.sessionAffinityConfig': { clientIP: { timeoutSeconds: 0 } } },
    [
      'spec.sessionAffinityConfig.clientIP.timeoutSeconds: Invalid value: 0: must be greater than 0 and less than 86400',
    ],
  ],
  [
    service,
    { 'spec.loadBalancerSourceRanges': ['10.0.0.0/33'] },
    [
      "spec.LoadBalancerSourceRanges: Forbidden: may only be used when `type` is 'LoadBalancer'",
      'spec.LoadBalancerSourceRanges[0]: Invalid value: "10.0.0.0/33": must be a valid CIDR value, (e.g. 10.9.8.0/24 or 2001:db8::/64)',
    ],
  ],
  [
    service,
    { 'spec.externalTrafficPolicy': 'Local' },
    [
      'spec.externalTrafficPolicy: Invalid value: "Local": may only be set for externally-accessible services',
    ],
  ],
  [
    replicationController,
    { 'spec.template': undefined },
    ['spec.selector: Required value', 'spec.template: Required value'],
  ],
  [
    replicationController,
    { 'spec.selector': { x: 'y' } },
    [
      'spec.template.metadata.labels: Invalid value: map[string]string{"a":"b"}: `selector` does not match template `labels`',
    ],
  ],
  // Config maps and secrets.
  [configMap, { 'data.a/b': '' }, ['data[a/b]: Invalid value: "a/b": a valid config key must consist of']],
  [
    configMap,
    { data: { '..': '', b: '' } },
    [
      'data[..]: Invalid value: "..": must not be \'..\'',
      'data[b]: Invalid value: "b": duplicate of key present in binaryData',
    ],
  ],
  [configMap, { 'data.a': 'x'.repeat(1024 * 1024) }, ['data: Too long: must have at most 1048576 bytes']],
  [secret, tls, ['data[tls.crt]: Required value', 'data[tls.key]: Required value']],
  [
    secret,
    { type: 'kubernetes.io/basic-auth' },
    ['data[%s][username]: Required value', 'data[%s][password]: Required value'],
  ],
  [secret, { type: 'kubernetes.io/ssh-auth' }, ['data[%s][ssh-privatekey]: Required value']],
  [secret, { type: 'kubernetes.io/dockerconfigjson' }, ['data[.dockerconfigjson]: Required value']],
  [
    secret,
    { type: 'kubernetes.io/dockerconfigjson', stringData: { '.dockerconfigjson': '{' } },
    ['data[.dockerconfigjson]: Invalid value: "<secret contents redacted>"'],
  ],
  [
    secret,
    { type: 'kubernetes.io/service-account-token' },
    ['metadata.annotations[kubernetes.io/service-account.name]: Required value'],
  ],
  // Storage.
  [claim, { 'spec.accessModes': ['Everything'] }, ['spec.accessModes: Unsupported value: "Everything"']],
  [
    claim,
    { 'spec.accessModes': ['ReadWriteOncePod', 'ReadWriteOnce'] },
    ['spec.accessModes: Forbidden: may not use ReadWriteOncePod with other access modes'],
  ],
  [claim, { 'spec.resources': {} }, ['spec.resources[storage]: Required value']],
  [
    claim,
    { 'spec.resources.requests.storage': '0' },
    ['spec.resources[storage]: Invalid value: "0": must be greater than zero'],
  ],
  [
    volume,
    { 'spec.nfs': undefined, 'spec.capacity': undefined },
    [
      'spec: Required value: must specify a volume type',
      'spec.capacity: Required value',
      'spec.capacity: Unsupported value: "null": supported values: "storage"',
    ],
  ],
  [
    volume,
    { 'spec.hostPath': { path: '/' } },
    ['spec.hostPath: Forbidden: may not specify more than 1 volume type'],
  ],
  [
    volume,
    { 'spec.nfs': undefined, 'spec.local': { path: '/x' } },
    ['spec.nodeAffinity: Required value: Local volume requires node affinity'],
  ],
  // The rest.
  [
    node,
    { 'spec.taints.1': { key: 'a', effect: 'NoSchedule' } },
    ['metadata.taints[1]: Duplicate value: {"key":"a","effect":"NoSchedule"}'],
  ],
  [
    node,
    { 'spec.podCIDRs': ['10.0.0.0/24', '10.1.0.0/24'] },
    [
      'spec.podCIDRs: Invalid value: []string{"10.0.0.0/24", "10.1.0.0/24"}: may specify no more than one CIDR for each IP family',
    ],
  ],
  [
    quota,
    { 'spec.hard': { pods: '1.5', disk: '1', cpu: '-1' } },
    [
      'spec.hard[pods]: Invalid value: "1500m": must be an integer',
      'spec.hard[disk]: Invalid value: "disk": must be a standard resource type or fully qualified',
      'spec.hard[disk]: Invalid value: "disk": must be a standard resource for quota',
      'spec.hard[cpu]: Invalid value: "-1"',
    ],
  ],
  [
    quota,
    { 'spec.scopes': ['BestEffort', 'NotBestEffort', 'Some'] },
    [
      'spec.scopes: Invalid value: []string{"BestEffort", "NotBestEffort", "Some"}: unsupported scope applied to resource',
      'spec.scopes: Invalid value: []string{"BestEffort", "NotBestEffort", "Some"}: unsupported scope applied to resource',
      'spec.scopes: Invalid value: []string{"BestEffort", "NotBestEffort", "Some"}: unsupported scope',
      'spec.scopes: Invalid value: []string{"BestEffort", "NotBestEffort", "Some"}: conflicting scopes',
    ],
  ],
  [
    quota,
    { 'spec.scopeSelector.matchExpressions': [{ scopeName: 'Some' }, { scopeName: 'BestEffort' }] },
    [
      'spec.scopeSelector.matchExpressions.scopeName: Invalid value: "Some": unsupported scope',
      'spec.scopeSelector.matchExpressions.operator: Invalid value: "": not a valid selector operator',
      'spec.scopeSelector.matchExpressions: Invalid value: {',
      'spec.scopeSelector.matchExpressions: Invalid value: {',
      'spec.scopeSelector.matchExpressions.operator: Invalid value: "": must be \'Exist\' when scope is any of',
      'spec.scopeSelector.matchExpressions.operator: Invalid value: "": not a valid selector operator',
    ],
  ],
  [
    limitRange,
    { 'spec.limits.0.min.cpu': '3' },
    [
      'spec.limits[0].min[cpu]: Invalid value: "3": min value 3 is greater than max value 2',
      'spec.limits[0].min[cpu]: Invalid value: "3": min value 3 is greater than default value 1',
      'spec.limits[0].min[cpu]: Invalid value: "3": min value 3 is greater than default request value 500m',
    ],
  ],
  [
    limitRange,
    { 'spec.limits.1.default': { cpu: '1' } },
    ["spec.limits[1].default: Forbidden: may not be specified when `type` is 'Pod'"],
  ],
  [
    limitRange,
    { 'spec.limits.3.type': 'Cluster' },
    ['spec.limits[3].type: Invalid value: "Cluster": must be a standard limit type or fully qualified'],
  ],
  [
    endpoints,
    { 'subsets.0.addresses.0.ip': '::1', 'subsets.0.ports.0.name': '' },
    [
      'subsets[0].addresses[0].ip: Invalid value: "::1": may not be in the loopback range',
      'subsets[0].ports[0].name: Required value',
    ],
  ],
  [
    endpoints,
    { 'subsets.0': {} },
    ['subsets[0]: Required value: must specify `addresses` or `notReadyAddresses`'],
  ],
  [
    coreEvent,
    { 'involvedObject.namespace': 'other' },
    ['involvedObject.namespace: Invalid value: "other": does not match event.namespace'],
  ],
  [
    coreEvent,
    { eventTime: '2024-01-01T00:00:00.000000Z' },
    [
      'reportingComponent: Required value',
      'reportingComponent: Invalid value: "": name part must be non-empty',
      'reportingComponent: Invalid value: "": name part must consist of',
      'reportingInstance: Required value',
      'action: Required value',
      'reason: Required value',
    ],
  ],
]
