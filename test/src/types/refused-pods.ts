/** What a 1.30 server refuses in pods, and how it says so. */

import { fullPod } from './valid-core.ts'
import type { Refusal } from './validation.ts'

const c = 'spec.containers.0'
const p = 'spec.containers[0]'
/** What is wrong itself cannot be mounted. */
const missingConfig = `${p}.volumeMounts[0].name: Not found: "config"`

export const refusedPods: readonly Refusal[] = [
  // Containers.
  [fullPod, { 'spec.containers': [] }, ['spec.containers: Required value']],
  [
    fullPod,
    { [`${c}.name`]: 'A_b' },
    [`${p}.name: Invalid value: "A_b": a lowercase RFC 1123 label must consist of`],
  ],
  [fullPod, { [`${c}.name`]: 'setup' }, ['spec.initContainers[0].name: Duplicate value: "setup"']],
  [fullPod, { [`${c}.image`]: undefined }, [`${p}.image: Required value`]],
  [
    fullPod,
    { [`${c}.image`]: ' x' },
    [`${p}.image: Invalid value: " x": must not have leading or trailing whitespace`],
  ],
  [
    fullPod,
    { [`${c}.imagePullPolicy`]: 'Sometimes' },
    [
      `${p}.imagePullPolicy: Unsupported value: "Sometimes": supported values: "Always", "IfNotPresent", "Never"`,
    ],
  ],
  [
    fullPod,
    { [`${c}.restartPolicy`]: 'Always' },
    [`${p}.restartPolicy: Forbidden: may not be set for non-init containers`],
  ],
  [
    fullPod,
    { 'spec.initContainers.0.readinessProbe': { exec: { command: ['x'] } } },
    [
      'spec.initContainers[0].readinessProbe: Forbidden: may not be set for init containers without restartPolicy=Always',
    ],
  ],
  [
    fullPod,
    { 'spec.initContainers.1.restartPolicy': 'Never', 'spec.initContainers.1.startupProbe': undefined },
    ['spec.initContainers[1].restartPolicy: Unsupported value: "Never": supported values: "Always"'],
  ],
  // Ports.
  [
    fullPod,
    { [`${c}.ports.0`]: { name: 'http', containerPort: 70_000 } },
    [`${p}.ports[0].containerPort: Invalid value: 70000: must be between 1 and 65535, inclusive`],
  ],
  [fullPod, { [`${c}.ports.0`]: { name: 'http' } }, [`${p}.ports[0].containerPort: Required value`]],
  [
    fullPod,
    { [`${c}.ports.0.protocol`]: 'HTTP' },
    [`${p}.ports[0].protocol: Unsupported value: "HTTP": supported values: "SCTP", "TCP", "UDP"`],
  ],
  [fullPod, { [`${c}.ports.1.name`]: 'http' }, [`${p}.ports[1].name: Duplicate value: "http"`]],
  [
    fullPod,
    { [`${c}.ports.1.name`]: 'a--b' },
    [`${p}.ports[1].name: Invalid value: "a--b": must not contain consecutive hyphens`],
  ],
  [
    fullPod,
    { [`${c}.ports.1.name`]: '80' },
    [`${p}.ports[1].name: Invalid value: "80": must contain at least one letter (a-z)`],
  ],
  [fullPod, { [`${c}.ports.1.protocol`]: 'TCP' }, [`${p}.ports[1].hostPort: Duplicate value: "TCP//80"`]],
  [
    fullPod,
    {
      'spec.hostNetwork': true,
      'spec.securityContext': {},
      [`${c}.ports`]: [{ containerPort: 80, hostPort: 81 }],
    },
    [`${p}.ports[0].hostPort: Invalid value: 81: must match \`containerPort\` when \`hostNetwork\` is true`],
  ],
  // Environment.
  [
    fullPod,
    { [`${c}.env.0.name`]: '1A' },
    [`${p}.env[0].name: Invalid value: "1A": a valid environment variable name must consist of`],
  ],
  [fullPod, { [`${c}.env.0.name`]: '' }, [`${p}.env[0].name: Required value`]],
  [
    fullPod,
    { [`${c}.env.2.valueFrom`]: {} },
    [`${p}.env[2].valueFrom: Invalid value: "": must specify one of: \`fieldRef\``],
  ],
  [
    fullPod,
    { [`${c}.env.2.value`]: 'x' },
    [`${p}.env[2].valueFrom: Invalid value: "": may not be specified when \`value\` is not empty`],
  ],
  [
    fullPod,
    { [`${c}.env.2.valueFrom.fieldRef.fieldPath`]: 'spec.containers' },
    [
      `${p}.env[2].valueFrom.fieldRef.fieldPath: Invalid value: "spec.containers": error converting fieldPath: field label not supported: spec.containers`,
    ],
  ],
  [
    fullPod,
    { [`${c}.env.4.valueFrom.resourceFieldRef.resource`]: 'cpu' },
    [`${p}.env[4].valueFrom.resourceFieldRef.resource: Unsupported value: "cpu"`],
  ],
  [
    fullPod,
    { [`${c}.env.5.valueFrom.secretKeyRef.key`]: 'a/b' },
    [`${p}.env[5].valueFrom.secretKeyRef.key: Invalid value: "a/b": a valid config key must consist of`],
  ],
  [
    fullPod,
    { [`${c}.envFrom.0`]: {} },
    [`${p}.envFrom: Invalid value: "": must specify one of: \`configMapRef\` or \`secretRef\``],
  ],
  // Resources.
  [
    fullPod,
    { [`${c}.resources`]: { limits: { cpu: '1' }, requests: { cpu: '1001m' } } },
    [`${p}.resources.requests: Invalid value: "1001m": must be less than or equal to cpu limit of 1`],
  ],
  [
    fullPod,
    { [`${c}.resources`]: { requests: { memory: '-1Gi' } } },
    [`${p}.resources.requests[memory]: Invalid value: "-1Gi": must be greater than or equal to 0`],
  ],
  [
    fullPod,
    { [`${c}.resources`]: { requests: { disk: '1' } } },
    [
      `${p}.resources.requests[disk]: Invalid value: "disk": must be a standard resource type or fully qualified`,
      `${p}.resources.requests[disk]: Invalid value: "disk": must be a standard resource for containers`,
    ],
  ],
  [
    fullPod,
    { [`${c}.resources`]: { requests: { 'example.com/gpu': '1' } } },
    [`${p}.resources.limits: Required value: Limit must be set for non overcommitable resources`],
  ],
  [
    fullPod,
    { [`${c}.resources`]: { limits: { 'example.com/gpu': '1500m' } } },
    [
      `${p}.resources.limits[example.com/gpu]: Invalid value: "1500m": must be an integer`,
      `${p}.resources.requests[example.com/gpu]: Invalid value: "1500m": must be an integer`,
    ],
  ],
  // Mounts and volumes.
  [fullPod, { [`${c}.volumeMounts.0.name`]: 'gone' }, [`${p}.volumeMounts[0].name: Not found: "gone"`]],
  [
    fullPod,
    { [`${c}.volumeMounts.1.mountPath`]: '/etc/web' },
    [`${p}.volumeMounts[1].mountPath: Invalid value: "/etc/web": must be unique`],
  ],
  [
    fullPod,
    { [`${c}.volumeMounts.1.subPath`]: '../x' },
    [`${p}.volumeMounts.subPath: Invalid value: "../x": must not contain '..'`],
  ],
  [
    fullPod,
    { [`${c}.volumeMounts.1.subPath`]: '/x' },
    [`${p}.volumeMounts.subPath: Invalid value: "/x": must be a relative path`],
  ],
  [
    fullPod,
    { [`${c}.volumeMounts.3.mountPropagation`]: 'Bidirectional' },
    [
      `${p}.volumeMounts.mountPropagation: Forbidden: Bidirectional mount propagation is available only to privileged containers`,
    ],
  ],
  [
    fullPod,
    { [`${c}.volumeDevices.0.name`]: 'data' },
    [
      `${p}.volumeDevices[0].name: Invalid value: "data": can only use volume source type of PersistentVolumeClaim`,
    ],
  ],
  [
    fullPod,
    { 'spec.volumes.0.name': 'data' },
    ['spec.volumes[2].name: Duplicate value: "data"', `${p}.volumeMounts[0].name: Not found: "config"`],
  ],
  [
    fullPod,
    { 'spec.volumes.0.emptyDir': {} },
    ['spec.volumes[0].emptyDir: Forbidden: may not specify more than 1 volume type', missingConfig],
  ],
  [
    fullPod,
    { 'spec.volumes.0.configMap.name': '' },
    ['spec.volumes[0].configMap.name: Required value', missingConfig],
  ],
  [
    fullPod,
    { 'spec.volumes.0.configMap.items.0.mode': 512 },
    [
      'spec.volumes[0].configMap.items[0].mode: Invalid value: 512: must be a number between 0 and 0777 (octal), both inclusive',
      missingConfig,
    ],
  ],
  [
    fullPod,
    { 'spec.volumes.2.emptyDir.sizeLimit': '-1' },
    [
      'spec.volumes[2].emptyDir.sizeLimit: Forbidden: SizeLimit field must be a valid resource quantity',
      `${p}.volumeMounts[1].name: Not found: "data"`,
      `${p}.volumeMounts[2].name: Not found: "data"`,
    ],
  ],
  [
    fullPod,
    { 'spec.volumes.3.hostPath': { path: '/a/../b', type: 'Link' } },
    [
      'spec.volumes[3].hostPath.path: Invalid value: "/a/../b": must not contain \'..\'',
      'spec.volumes[3].hostPath.type: Unsupported value: "Link": supported values: "", "BlockDevice"',
      `${p}.volumeMounts[3].name: Not found: "host"`,
    ],
  ],
  [
    fullPod,
    { 'spec.volumes.5.nfs.path': 'x' },
    ['spec.volumes[5].nfs.path: Invalid value: "x": must be an absolute path'],
  ],
  [
    fullPod,
    { 'spec.volumes.8.projected.sources.2.serviceAccountToken.expirationSeconds': 60 },
    [
      'spec.volumes[8].projected.sources[2].serviceAccountToken.expirationSeconds: Invalid value: 60: may not specify a duration less than 10 minutes',
    ],
  ],
  [
    fullPod,
    { 'spec.volumes.9.ephemeral.volumeClaimTemplate.spec.accessModes': [] },
    [
      'spec.volumes[9].ephemeral.volumeClaimTemplate.spec.accessModes: Required value: at least 1 access mode is required',
    ],
  ],
  // Probes.
  [
    fullPod,
    { [`${c}.livenessProbe`]: {} },
    [`${p}.livenessProbe: Required value: must specify a handler type`],
  ],
  [
    fullPod,
    { [`${c}.livenessProbe.exec`]: { command: ['x'] } },
    [`${p}.livenessProbe.httpGet: Forbidden: may not specify more than 1 handler type`],
  ],
  [
    fullPod,
    { [`${c}.livenessProbe.successThreshold`]: 2, [`${c}.livenessProbe.periodSeconds`]: -1 },
    [
      `${p}.livenessProbe.successThreshold: Invalid value: 2: must be 1`,
      `${p}.livenessProbe.periodSeconds: Invalid value: -1: must be greater than or equal to 0`,
    ],
  ],
  [
    fullPod,
    { [`${c}.livenessProbe.httpGet.port`]: 0 },
    [`${p}.livenessProbe.httpGet.port: Invalid value: 0: must be between 1 and 65535, inclusive`],
  ],
  [
    fullPod,
    { [`${c}.livenessProbe.httpGet.scheme`]: 'FTP' },
    [`${p}.livenessProbe.httpGet.scheme: Unsupported value: "FTP": supported values: "HTTP", "HTTPS"`],
  ],
  [
    fullPod,
    { [`${c}.readinessProbe.terminationGracePeriodSeconds`]: 1 },
    [
      `${p}.readinessProbe.terminationGracePeriodSeconds: Invalid value: 1: must not be set for readinessProbes`,
    ],
  ],
  [
    fullPod,
    { [`${c}.lifecycle.preStop`]: { exec: {} } },
    [`${p}.lifecycle.preStop.exec.command: Required value`],
  ],
  // Security.
  [
    fullPod,
    { [`${c}.securityContext.runAsUser`]: -1 },
    [`${p}.securityContext.runAsUser: Invalid value: -1: must be between 0 and 2147483647, inclusive`],
  ],
  [
    fullPod,
    { [`${c}.securityContext`]: { privileged: true, allowPrivilegeEscalation: false } },
    [`${p}.securityContext: Invalid value: {"privileged":true,"allowPrivilegeEscalation":false}: cannot set`],
  ],
  [
    fullPod,
    { 'spec.securityContext.fsGroup': -1, 'spec.securityContext.supplementalGroups': [-2] },
    [
      'spec.securityContext.fsGroup: Invalid value: -1',
      'spec.securityContext.supplementalGroups[0]: Invalid value: -2',
    ],
  ],
  [
    fullPod,
    { 'spec.securityContext.seccompProfile': { type: 'Localhost' } },
    [
      'spec.securityContext.seccompProfile.localhostProfile: Required value: must be set when seccomp type is Localhost',
    ],
  ],
  [
    fullPod,
    { 'spec.shareProcessNamespace': true, 'spec.hostPID': true },
    [
      'spec.securityContext.shareProcessNamespace: Invalid value: true: ShareProcessNamespace and HostPID cannot both be enabled',
    ],
  ],
  // The pod as a whole.
  [
    fullPod,
    { 'spec.restartPolicy': 'Maybe' },
    ['spec.restartPolicy: Unsupported value: "Maybe": supported values: "Always", "OnFailure", "Never"'],
  ],
  [
    fullPod,
    { 'spec.dnsConfig': undefined },
    ['spec.dnsConfig: Required value: must provide `dnsConfig` when `dnsPolicy` is None'],
  ],
  [
    fullPod,
    { 'spec.dnsConfig.nameservers': ['a', '1.1.1.1', '1.1.1.2', '1.1.1.3'] },
    [
      'spec.dnsConfig.nameservers: Invalid value: []string{"a", "1.1.1.1", "1.1.1.2", "1.1.1.3"}: must not have more than 3 nameservers',
      'spec.dnsConfig.nameservers[0]: Invalid value: "a": must be a valid IP address',
    ],
  ],
  [
    fullPod,
    { 'spec.activeDeadlineSeconds': 0 },
    ['spec.activeDeadlineSeconds: Invalid value: 0: must be between 1 and 2147483647, inclusive'],
  ],
  [fullPod, { 'spec.hostname': 'a.b' }, ['spec.hostname: Invalid value: "a.b": a lowercase RFC 1123 label']],
  [fullPod, { 'spec.nodeSelector': { 'a b': 'c' } }, ['spec.nodeSelector: Invalid value: "a b": name part']],
  [
    fullPod,
    { 'spec.os.name': 'plan9' },
    ['spec.os: Unsupported value: "plan9": supported values: "linux", "windows"'],
  ],
  [
    fullPod,
    { 'spec.ephemeralContainers': [{ name: 'debug', image: 'x' }] },
    ['spec.ephemeralContainers: Forbidden: cannot be set on create'],
  ],
  [
    fullPod,
    { 'spec.nodeName': 'n' },
    ['spec.nodeName: Forbidden: cannot be set until all schedulingGates have been cleared'],
  ],
  // Scheduling.
  [
    fullPod,
    { 'spec.tolerations.0.operator': 'Equal' },
    ['spec.tolerations[0].operator: Invalid value: "Equal": operator must be Exists when `key` is empty'],
  ],
  [
    fullPod,
    { 'spec.tolerations.0.value': 'x' },
    ['spec.tolerations[0].operator: Invalid value: "x": value must be empty when `operator` is \'Exists\''],
  ],
  [
    fullPod,
    { 'spec.tolerations.1.tolerationSeconds': 1 },
    [
      'spec.tolerations[1].effect: Invalid value: "NoSchedule": effect must be \'NoExecute\' when `tolerationSeconds` is set',
    ],
  ],
  [
    fullPod,
    { 'spec.tolerations.1.effect': 'Never' },
    ['spec.tolerations[1].effect: Unsupported value: "Never"'],
  ],
  [
    fullPod,
    { 'spec.topologySpreadConstraints.0.maxSkew': 0 },
    ['spec.topologySpreadConstraints[0].maxSkew: Invalid value: 0: must be greater than zero'],
  ],
  [
    fullPod,
    { 'spec.topologySpreadConstraints.1.whenUnsatisfiable': 'DoNotSchedule' },
    [
      'spec.topologySpreadConstraints[1].{topologyKey, whenUnsatisfiable}: Duplicate value: "{zone, DoNotSchedule}"',
    ],
  ],
  [
    fullPod,
    {
      'spec.affinity.nodeAffinity.requiredDuringSchedulingIgnoredDuringExecution': { nodeSelectorTerms: [] },
    },
    [
      'spec.affinity.nodeAffinity.requiredDuringSchedulingIgnoredDuringExecution.nodeSelectorTerms: Required value: must have at least one node selector term',
    ],
  ],
  [
    fullPod,
    { 'spec.affinity.nodeAffinity.preferredDuringSchedulingIgnoredDuringExecution.0.weight': 101 },
    [
      'spec.affinity.nodeAffinity.preferredDuringSchedulingIgnoredDuringExecution[0].weight: Invalid value: 101: must be in the range 1-100',
    ],
  ],
  [
    fullPod,
    { 'spec.affinity.podAffinity.requiredDuringSchedulingIgnoredDuringExecution.0.topologyKey': '' },
    [
      'spec.affinity.podAffinity.requiredDuringSchedulingIgnoredDuringExecution[0].topologyKey: Required value: can not be empty',
      'spec.affinity.podAffinity.requiredDuringSchedulingIgnoredDuringExecution[0].topologyKey: Invalid value: "": name part must be non-empty',
      'spec.affinity.podAffinity.requiredDuringSchedulingIgnoredDuringExecution[0].topologyKey: Invalid value: "": name part must consist of',
    ],
  ],
]
