/** What a server refuses by rules that have come after 1.20, up to 1.30. */

import { claim } from './valid-core.ts'
import { event, indexedJob } from './valid-groups.ts'
import type { Refusal } from './validation.ts'

const pod = {
  apiVersion: 'v1',
  kind: 'Pod',
  metadata: { name: 'p', namespace: 'default' },
  spec: {
    containers: [{ name: 'c', image: 'i' }],
    initContainers: [{ name: 'first', image: 'i' }],
  },
}
const deployment = {
  apiVersion: 'apps/v1',
  kind: 'Deployment',
  metadata: { name: 'd', namespace: 'default' },
  spec: {
    selector: { matchLabels: { a: 'b' } },
    template: { metadata: { labels: { a: 'b' } }, spec: { containers: [{ name: 'c', image: 'i' }] } },
  },
}
const balanced = {
  apiVersion: 'v1',
  kind: 'Service',
  metadata: { name: 's', namespace: 'default' },
  spec: { type: 'LoadBalancer', ports: [{ port: 80 }] },
}
const ranges = 'service.beta.kubernetes.io/load-balancer-source-ranges'
const spread = 'spec.topologySpreadConstraints'
const constraint = { maxSkew: 1, topologyKey: 'zone', whenUnsatisfiable: 'DoNotSchedule' }
const hostProcess = { securityContext: { windowsOptions: { hostProcess: true } } }

export const refusedNewer: readonly Refusal[] = [
  // Spreading.
  [
    pod,
    { [spread]: [{ ...constraint, topologyKey: '' }] },
    [`${spread}[0].topologyKey: Required value: can not be empty`],
  ],
  [
    pod,
    { [spread]: [{ ...constraint, minDomains: 0, whenUnsatisfiable: 'ScheduleAnyway' }] },
    [
      `${spread}[0].minDomains: Invalid value: 0: must be greater than zero`,
      `${spread}[0].minDomains: Invalid value: 0: can only use minDomains if whenUnsatisfiable=DoNotSchedule, not ScheduleAnyway`,
    ],
  ],
  [
    pod,
    { [spread]: [{ ...constraint, matchLabelKeys: ['a'] }] },
    [`${spread}[0].matchLabelKeys: Forbidden: must not be specified when labelSelector is not set`],
  ],
  [
    pod,
    {
      [spread]: [
        {
          ...constraint,
          matchLabelKeys: ['a', 'b', 'c d'],
          labelSelector: { matchLabels: { a: 'x' }, matchExpressions: [{ key: 'b', operator: 'Exists' }] },
        },
      ],
    },
    [
      `${spread}[0].matchLabelKeys[0]: Invalid value: "a": exists in both matchLabelKeys and labelSelector`,
      `${spread}[0].matchLabelKeys[1]: Invalid value: "b": exists in both matchLabelKeys and labelSelector`,
      `${spread}[0].matchLabelKeys[2]: Invalid value: "c d": name part must consist of`,
    ],
  ],
  [
    pod,
    { [spread]: [{ ...constraint, nodeTaintsPolicy: 'Maybe' }] },
    [`${spread}[0].nodeTaintsPolicy: Unsupported value: "Maybe": supported values: "Honor", "Ignore"`],
  ],
  // Gates.
  [
    pod,
    { 'spec.schedulingGates': [{ name: 'a b' }, { name: 'x' }, { name: 'x' }] },
    [
      'spec.schedulingGates[0]: Invalid value: "a b": name part must consist of',
      'spec.schedulingGates[2]: Duplicate value: "x"',
    ],
  ],
  // Names of other machines.
  [
    pod,
    { 'spec.dnsConfig': { searches: ['.'] } },
    ['spec.dnsConfig.searches[0]: Invalid value: "": a lowercase RFC 1123 subdomain must consist of'],
  ],
  [
    pod,
    { 'spec.dnsPolicy': 'None', 'spec.dnsConfig': { searches: ['a b'] } },
    [
      'spec.dnsConfig.nameservers: Required value: must provide at least one DNS nameserver when `dnsPolicy` is None',
    ],
  ],
  // Settings of the node's namespaces.
  [
    pod,
    {
      'spec.hostNetwork': true,
      'spec.hostIPC': true,
      'spec.securityContext': {
        sysctls: [
          { name: 'net.core.somaxconn', value: '1' },
          { name: 'net/ipv4/ip_forward', value: '1' },
          { name: 'kernel.shmmax', value: '1' },
          { name: 'vm.swappiness', value: '1' },
        ],
      },
    },
    [
      `spec.securityContext.sysctls[0].name: Invalid value: "net.core.somaxconn": may not be specified when 'hostNetwork' is true`,
      `spec.securityContext.sysctls[1].name: Invalid value: "net/ipv4/ip_forward": may not be specified when 'hostNetwork' is true`,
      `spec.securityContext.sysctls[2].name: Invalid value: "kernel.shmmax": may not be specified when 'hostIPC' is true`,
    ],
  ],
  [
    pod,
    { 'spec.securityContext': { sysctls: [{ name: 'A' }] } },
    [
      'spec.securityContext.sysctls[0].name: Invalid value: "A": must have at most 253 characters and match regex ^([a-z0-9]([-_a-z0-9]*[a-z0-9])?[\\./])*[a-z0-9]([-_a-z0-9]*[a-z0-9])?$',
    ],
  ],
  // Profiles.
  [
    pod,
    {
      'spec.securityContext': { appArmorProfile: { type: 'Localhost', localhostProfile: ' x' } },
      'spec.containers.0.securityContext': {
        appArmorProfile: { type: 'Unconfined', localhostProfile: 'x' },
      },
    },
    [
      'spec.containers[0].securityContext.appArmorProfile.localhostProfile: Invalid value: "x": can only be set when AppArmor type is Localhost',
      'spec.securityContext.appArmorProfile.localhostProfile: Invalid value: " x": must not be padded with whitespace',
    ],
  ],
  [
    pod,
    { 'spec.os': { name: 'windows' }, 'spec.shareProcessNamespace': false, 'spec.securityContext': {} },
    ['spec.shareProcessNamespace: Forbidden: cannot be set for a windows pod'],
  ],
  // Windows.
  [
    pod,
    {
      'spec.containers.0.securityContext': {
        windowsOptions: { runAsUserName: 'a\\b\\c', gmsaCredentialSpec: '', gmsaCredentialSpecName: 'A' },
      },
      'spec.initContainers.0.securityContext': { windowsOptions: { runAsUserName: '.d\\..' } },
    },
    [
      'spec.containers[0].securityContext.windowsOptions.gmsaCredentialSpecName: Invalid value: "A": a lowercase RFC 1123 subdomain',
      'spec.containers[0].securityContext.windowsOptions.gmsaCredentialSpec: Invalid value: "": gmsaCredentialSpec cannot be an empty string',
      'spec.containers[0].securityContext.windowsOptions.runAsUserName: Invalid value: "a\\\\b\\\\c": runAsUserName cannot contain more than one backslash',
      `spec.initContainers[0].securityContext.windowsOptions.runAsUserName: Invalid value: ".d\\\\..": runAsUserName's Domain doesn't match the NetBios nor the DNS format`,
      `spec.initContainers[0].securityContext.windowsOptions.runAsUserName: Invalid value: ".d\\\\..": runAsUserName's User cannot contain only periods or spaces`,
    ],
  ],
  [
    pod,
    { 'spec.containers.0': { name: 'c', image: 'i', ...hostProcess } },
    [
      'spec: Invalid value: "": If pod contains any hostProcess containers then all containers must be HostProcess containers',
      'spec.hostNetwork: Invalid value: false: hostNetwork must be true if pod contains any hostProcess containers',
    ],
  ],
  [
    pod,
    {
      'spec.hostNetwork': true,
      'spec.securityContext': { windowsOptions: { hostProcess: false } },
      'spec.containers.0': { name: 'c', image: 'i', ...hostProcess },
      'spec.initContainers.0': { name: 'first', image: 'i', ...hostProcess },
    },
    [
      'spec.initContainers[0].securityContext.windowsOptions.hostProcess: Invalid value: true: pod hostProcess value must be identical if both are specified, was false',
      'spec.containers[0].securityContext.windowsOptions.hostProcess: Invalid value: true: pod hostProcess value must be identical if both are specified, was false',
    ],
  ],
  // Jobs.
  [
    indexedJob,
    { 'metadata.name': 'n'.repeat(62) },
    [
      `metadata.name: Invalid value: "${'n'.repeat(62)}": will not able to create pod with invalid DNS label: ${'n'.repeat(62)}-2`,
    ],
  ],
  [
    indexedJob,
    { 'spec.completions': 200_000, 'spec.parallelism': 20_000, 'spec.maxFailedIndexes': 150_000 },
    [
      'spec.maxFailedIndexes: Invalid value: 150000: must be less than or equal to 100000',
      'spec.parallelism: Invalid value: 20000: must be less than or equal to 10000 when completions are above 100000 and used with backoff limit per index',
      'spec.maxFailedIndexes: Invalid value: 150000: must be less than or equal to 10000 when completions are above 100000 and used with backoff limit per index',
    ],
  ],
  [
    indexedJob,
    { 'spec.completions': 200_000, 'spec.maxFailedIndexes': undefined },
    ['spec.maxFailedIndexes: Required value: must be specified when completions is above 100000'],
  ],
  [
    indexedJob,
    { 'spec.completionMode': 'NonIndexed' },
    [
      'spec.backoffLimitPerIndex: Invalid value: 1: requires indexed completion mode',
      'spec.maxFailedIndexes: Invalid value: 2: requires indexed completion mode',
    ],
  ],
  [
    indexedJob,
    { 'spec.podReplacementPolicy': 'TerminatingOrFailed' },
    ['spec.podReplacementPolicy: Unsupported value: "TerminatingOrFailed": supported values: "Failed"'],
  ],
  [
    indexedJob,
    { 'spec.podFailurePolicy.rules.1': { action: 'Ignore' } },
    [
      'spec.podFailurePolicy.rules[1]: Invalid value: specifying one of OnExitCodes and OnPodConditions is required',
    ],
  ],
  // Events of the events group: said as they are stored, but for who reports.
  [
    event,
    { eventTime: undefined, reportingController: 'a b', regarding: { kind: 'Pod', namespace: 'other' } },
    [
      'involvedObject.namespace: Invalid value: "other": does not match event.namespace',
      'eventTime: Required value',
    ],
  ],
  [
    event,
    {
      reportingController: 'a b',
      note: 'x'.repeat(1025),
      'metadata.namespace': 'n',
      regarding: { kind: 'Node' },
    },
    [
      'involvedObject.namespace: Invalid value: "": does not match event.namespace',
      'reportingController: Invalid value: "a b": name part must consist of',
      'message: Invalid value: "": can have at most 1024 characters',
    ],
  ],
  // Claims.
  [
    claim,
    { 'spec.dataSource': undefined, 'spec.dataSourceRef': { apiGroup: 'A', kind: 'Snapshot', name: 's' } },
    [
      'spec.dataSource.apiGroup: Invalid value: "A": a lowercase RFC 1123 subdomain must consist of',
      'spec.dataSourceRef.apiGroup: Invalid value: "A": a lowercase RFC 1123 subdomain must consist of',
    ],
  ],
  [
    claim,
    { 'spec.dataSource': undefined, 'spec.dataSourceRef': { kind: 'Snapshot' } },
    [
      'spec.dataSource.name: Required value',
      `spec.dataSource: Invalid value: "Snapshot": must be 'PersistentVolumeClaim' when referencing the default apiGroup`,
      'spec.dataSourceRef.name: Required value',
      `spec.dataSourceRef: Invalid value: "Snapshot": must be 'PersistentVolumeClaim' when referencing the default apiGroup`,
    ],
  ],
  // Services.
  [
    balanced,
    {
      'spec.ports.0.port': 10_250,
      'spec.loadBalancerClass': 'a b',
      'metadata.annotations': { [ranges]: '10.0.0.0/8, x' },
    },
    [
      'spec.ports[0]: Invalid value: 10250: may not expose port 10250 externally since it is used by kubelet',
      'spec.loadBalancerClass: Invalid value: "a b": name part must consist of',
      `metadata.annotations[${ranges}]: Invalid value: "x": must be a valid CIDR value`,
    ],
  ],
  [
    balanced,
    {
      'spec.type': 'ClusterIP',
      'metadata.annotations': {
        [ranges]: '',
        'service.kubernetes.io/topology-mode': 'Auto',
        'service.kubernetes.io/topology-aware-hints': 'auto',
      },
    },
    [
      'metadata.annotations[service.kubernetes.io/topology-mode]: Invalid value: "Auto": must match annotations[service.kubernetes.io/topology-aware-hints] when both are specified',
      `metadata.annotations[${ranges}]: Forbidden: may only be used when \`type\` is 'LoadBalancer'`,
    ],
  ],
  [
    balanced,
    {
      'spec.clusterIP': '10.0.0.9',
      'spec.clusterIPs': ['10.0.0.9', 'fd00::9'],
      'spec.ipFamilies': ['IPv6', 'IPv4'],
    },
    [
      'spec.clusterIPs[0]: Invalid value: "10.0.0.9": expected an IPv6 value as indicated by `ipFamilies[0]`',
      'spec.clusterIPs[1]: Invalid value: "fd00::9": expected an IPv4 value as indicated by `ipFamilies[1]`',
    ],
  ],
  // Annotations.
  [
    pod,
    {
      'metadata.annotations': {
        'kubernetes.io/config.mirror': 'x',
        'controller.kubernetes.io/pod-deletion-cost': '+1',
        'seccomp.security.alpha.kubernetes.io/pod': 'none',
        'container.apparmor.security.beta.kubernetes.io/absent': 'none',
      },
    },
    [
      'metadata.annotations[kubernetes.io/config.mirror]: Invalid value: "x": must set spec.nodeName if mirror pod annotation is set',
      'metadata.annotations[controller.kubernetes.io/pod-deletion-cost]: Invalid value: "+1": must be a 32bit integer',
      'metadata.annotations.seccomp.security.alpha.kubernetes.io/pod: Invalid value: "none": must be a valid seccomp profile',
      'metadata.annotations[container.apparmor.security.beta.kubernetes.io/absent]: Invalid value: "absent": container not found',
      'metadata.annotations[container.apparmor.security.beta.kubernetes.io/absent]: Invalid value: "none": invalid AppArmor profile name: "none"',
    ],
  ],
  [
    pod,
    {
      'metadata.annotations': {
        'seccomp.security.alpha.kubernetes.io/pod': 'unconfined',
        'container.apparmor.security.beta.kubernetes.io/c': 'localhost/b',
      },
      'spec.securityContext': {
        seccompProfile: { type: 'RuntimeDefault' },
        appArmorProfile: { type: 'Localhost', localhostProfile: 'a' },
      },
    },
    [
      'spec.securityContext.seccompProfile.type: Forbidden: seccomp type in annotation and field must match',
      'spec.containers[0].securityContext.appArmorProfile.localhostProfile: Forbidden: apparmor profile in annotation and field must match',
    ],
  ],
  [
    deployment,
    {
      'spec.template.metadata.annotations': { 'controller.kubernetes.io/pod-deletion-cost': '2147483648' },
    },
    [
      'spec.template.annotations[controller.kubernetes.io/pod-deletion-cost]: Invalid value: "2147483648": must be a 32bit integer',
    ],
  ],
]
