/** What a 1.30 server refuses in workloads, networking and access control, and how it says so. */

import * as valid from './valid-groups.ts'
import type { Refusal } from './validation.ts'

const other = { matchLabels: { a: 'z' } }
const mismatch =
  'spec.template.metadata.labels: Invalid value: map[string]string{"a":"b", "c":"d"}: `selector` does not match template `labels`'
const always = 'spec.template.spec.restartPolicy: Unsupported value: "Never": supported values: "Always"'
const paths = 'spec.rules.0.http.paths'

export const refusedWorkloads: readonly Refusal[] = [
  ...[valid.deployment, valid.replicaSet, valid.daemonSet, valid.statefulSet].flatMap((body): Refusal[] => [
    [body, { 'spec.selector': other }, [mismatch]],
    [
      body,
      { 'spec.selector': undefined },
      body === valid.daemonSet ? [mismatch] : ['spec.selector: Required value', mismatch],
    ],
    [body, { 'spec.selector': {} }, ['spec.selector: Invalid value: {}: empty selector is invalid for']],
    [body, { 'spec.template.spec.restartPolicy': 'Never' }, [always]],
    [
      body,
      { 'spec.template.spec.restartPolicy': 'x' },
      [
        'spec.template.spec.restartPolicy: Unsupported value: "x": supported values: "Always", "OnFailure", "Never"',
        'spec.template.spec.restartPolicy: Unsupported value: "x": supported values: "Always"',
      ],
    ],
    [
      body,
      { 'spec.template.spec.activeDeadlineSeconds': 5 },
      ['spec.template.spec.activeDeadlineSeconds: Forbidden: activeDeadlineSeconds in'],
    ],
    [
      body,
      { 'spec.template.spec.containers.0.image': '' },
      ['spec.template.spec.containers[0].image: Required value'],
    ],
    [
      body,
      { 'spec.minReadySeconds': -1 },
      ['spec.minReadySeconds: Invalid value: -1: must be greater than or equal to 0'],
    ],
  ]),
  [
    valid.deployment,
    { 'spec.replicas': -1, 'spec.revisionHistoryLimit': -1, 'spec.strategy.type': 'Slow' },
    [
      'spec.replicas: Invalid value: -1',
      'spec.revisionHistoryLimit: Invalid value: -1',
      'spec.strategy: Unsupported value: {"type":"Slow"}: supported values: "Recreate", "RollingUpdate"',
    ],
  ],
  [
    valid.deployment,
    { 'spec.strategy': { type: 'Recreate', rollingUpdate: {} } },
    ["spec.strategy.rollingUpdate: Forbidden: may not be specified when strategy `type` is 'Recreate'"],
  ],
  [
    valid.deployment,
    { 'spec.strategy': { rollingUpdate: { maxUnavailable: 0, maxSurge: '0%' } } },
    ['spec.strategy.rollingUpdate.maxUnavailable: Invalid value: 0: may not be 0 when `maxSurge` is 0'],
  ],
  [
    valid.deployment,
    { 'spec.strategy': { rollingUpdate: { maxUnavailable: '101%', maxSurge: 'many' } } },
    [
      'spec.strategy.rollingUpdate.maxUnavailable: Invalid value: "101%": must not be greater than 100%',
      'spec.strategy.rollingUpdate.maxSurge: Invalid value: "many": a valid percent string must be',
    ],
  ],
  [
    valid.deployment,
    { 'spec.progressDeadlineSeconds': 5, 'spec.minReadySeconds': 5 },
    ['spec.progressDeadlineSeconds: Invalid value: 5: must be greater than minReadySeconds'],
  ],
  [
    valid.daemonSet,
    { 'spec.updateStrategy': { rollingUpdate: { maxUnavailable: 1, maxSurge: 1 } } },
    [
      'spec.updateStrategy.rollingUpdate.maxSurge: Invalid value: 1: may not be set when maxUnavailable is non-zero',
    ],
  ],
  [
    valid.daemonSet,
    { 'spec.updateStrategy': { rollingUpdate: { maxUnavailable: 0 } } },
    ['spec.updateStrategy.rollingUpdate.maxUnavailable: Required value: cannot be 0 when maxSurge is 0'],
  ],
  [
    valid.statefulSet,
    { 'spec.updateStrategy': { type: 'OnDelete', rollingUpdate: { partition: -1 } } },
    [
      'spec.updateStrategy.rollingUpdate: Invalid value: {"partition":-1}: only allowed for updateStrategy \'RollingUpdate\'',
      'spec.updateStrategy.rollingUpdate.partition: Invalid value: -1',
    ],
  ],
  // Jobs.
  [
    valid.job,
    { 'spec.template.spec.restartPolicy': undefined },
    ['spec.template.spec.restartPolicy: Required value: valid values: "OnFailure", "Never"'],
  ],
  [
    valid.job,
    { 'spec.parallelism': -1, 'spec.backoffLimit': -1 },
    ['spec.parallelism: Invalid value: -1', 'spec.backoffLimit: Invalid value: -1'],
  ],
  [
    valid.job,
    { 'spec.completionMode': 'Indexed', 'spec.parallelism': 1 },
    ['spec.completions: Required value: when completion mode is Indexed'],
  ],
  [
    valid.job,
    { 'spec.manualSelector': true, 'spec.selector': other },
    [
      'spec.template.metadata.labels: Invalid value: map[string]string(nil): `selector` does not match template `labels`',
    ],
  ],
  [
    valid.indexedJob,
    { 'spec.template.spec.restartPolicy': 'OnFailure' },
    [
      'spec.template.spec.restartPolicy: Invalid value: "OnFailure": only "Never" is supported when podFailurePolicy is specified',
    ],
  ],
  [
    valid.indexedJob,
    { 'spec.podFailurePolicy.rules.0.onExitCodes.values': [3, 0, 3] },
    [
      'spec.podFailurePolicy.rules[0].onExitCodes.values[1]: Invalid value: 0: must not be 0 for the In operator',
      'spec.podFailurePolicy.rules[0].onExitCodes.values[2]: Duplicate value: 3',
      'spec.podFailurePolicy.rules[0].onExitCodes.values: Invalid value: [3,0,3]: must be ordered',
    ],
  ],
  [
    valid.indexedJob,
    { 'spec.maxFailedIndexes': 4 },
    ['spec.maxFailedIndexes: Invalid value: 4: must be less than or equal to completions'],
  ],
  [
    valid.cronJob,
    { 'metadata.name': 'x'.repeat(53) },
    [`metadata.name: Invalid value: "${'x'.repeat(53)}": must be no more than 52 characters`],
  ],
  [
    valid.cronJob,
    { 'spec.schedule': 'TZ=UTC 0 0 * * *' },
    [
      'spec.schedule: Invalid value: "TZ=UTC 0 0 * * *": cannot use TZ or CRON_TZ in schedule, use timeZone field instead',
    ],
  ],
  [
    valid.cronJob,
    { 'spec.timeZone': 'Mars/Olympus' },
    ['spec.timeZone: Invalid value: "Mars/Olympus": unknown time zone Mars/Olympus'],
  ],
  [
    valid.cronJob,
    { 'spec.concurrencyPolicy': 'Some', 'spec.failedJobsHistoryLimit': -1 },
    [
      'spec.concurrencyPolicy: Unsupported value: "Some": supported values: "Allow", "Forbid", "Replace"',
      'spec.failedJobsHistoryLimit: Invalid value: -1',
    ],
  ],
  [
    valid.cronJob,
    { 'spec.jobTemplate.spec.template.spec.restartPolicy': 'Always' },
    ['spec.jobTemplate.spec.template.spec.restartPolicy: Required value: valid values: "OnFailure", "Never"'],
  ],
  // Networking.
  [
    valid.ingress,
    { 'spec.rules': [] },
    ['spec: Invalid value: []: either `defaultBackend` or `rules` must be specified'],
  ],
  [
    valid.ingress,
    { 'spec.rules.0.host': '10.0.0.1' },
    ['spec.rules[0].host: Invalid value: "10.0.0.1": must be a DNS name, not an IP address'],
  ],
  [
    valid.ingress,
    { 'spec.rules.0.host': 'a.*.com' },
    ['spec.rules[0].host: Invalid value: "a.*.com": a wildcard DNS-1123 subdomain'],
  ],
  [
    valid.ingress,
    { [`${paths}.0.path`]: 'x', [`${paths}.2.path`]: '/a//b' },
    [
      'spec.rules[0].http.paths[0].path: Invalid value: "x": must be an absolute path',
      'spec.rules[0].http.paths[2].path: Invalid value: "/a//b": must not contain \'//\'',
    ],
  ],
  [
    valid.ingress,
    { [`${paths}.0.pathType`]: undefined },
    ['spec.rules[0].http.paths[0].pathType: Required value'],
  ],
  [
    valid.ingress,
    { [`${paths}.0.pathType`]: 'Regex' },
    [
      'spec.rules[0].http.paths[0].pathType: Unsupported value: "Regex": supported values: "Exact", "ImplementationSpecific", "Prefix"',
    ],
  ],
  [
    valid.ingress,
    { [`${paths}.0.backend`]: {} },
    ['spec.rules[0].http.paths[0].backend: Invalid value: "": resource or service backend is required'],
  ],
  [
    valid.ingress,
    { [`${paths}.0.backend.service.port`]: {} },
    ['spec.rules[0].http.paths[0].backend: Required value: port name or number is required'],
  ],
  [
    valid.ingress,
    { 'metadata.annotations': { 'kubernetes.io/ingress.class': 'x' } },
    [
      'annotations.kubernetes.io/ingress.class: Invalid value: "x": can not be set when the class field is also set',
    ],
  ],
  [
    valid.ingressClass,
    { 'spec.controller': 'nginx' },
    ['spec.controller: Invalid value: "nginx": must be a domain-prefixed path (such as "acme.io/foo")'],
  ],
  [
    valid.ingressClass,
    { 'spec.parameters.namespace': undefined },
    ['spec.parameters.namespace: Required value'],
  ],
  [
    valid.networkPolicy,
    { 'spec.ingress.0.from.0.ipBlock.cidr': '10.0.0.0' },
    ['spec.ingress[0].from[0].ipBlock.cidr: Invalid value: "10.0.0.0": must be a valid CIDR value'],
  ],
  [
    valid.networkPolicy,
    { 'spec.ingress.0.from.0.ipBlock.except': ['10.0.0.0/8', '11.0.0.0/16', 'x'] },
    [
      'spec.ingress[0].from[0].ipBlock.except[0]: Invalid value: "10.0.0.0/8": must be a strict subset of `cidr`',
      'spec.ingress[0].from[0].ipBlock.except[1]: Invalid value: "11.0.0.0/16": must be a strict',
      'spec.ingress[0].from[0].ipBlock.except[2]: Invalid value: "x": must be a valid CIDR',
    ],
  ],
  [
    valid.networkPolicy,
    { 'spec.ingress.0.from.0.podSelector': {} },
    ['spec.ingress[0].from[0]: Forbidden: may not specify both ipBlock and another peer'],
  ],
  [
    valid.networkPolicy,
    { 'spec.ingress.0.from.0': {} },
    ['spec.ingress[0].from[0]: Required value: must specify a peer'],
  ],
  [
    valid.networkPolicy,
    { 'spec.ingress.0.ports.0.endPort': 70 },
    ['spec.ingress[0].ports[0].endPort: Invalid value: 70: must be greater than or equal to `port`'],
  ],
  [
    valid.networkPolicy,
    { 'spec.policyTypes': ['Both'] },
    ['spec.policyTypes[0]: Unsupported value: "Both": supported values: "Ingress", "Egress"'],
  ],
  // Access control.
  [valid.role, { 'rules.0.verbs': [] }, ['rules[0].verbs: Required value']],
  [
    valid.role,
    { 'rules.0': { verbs: ['get'] } },
    [
      'rules[0].apiGroups: Required value: resource rules must supply at least one api group',
      'rules[0].resources: Required value: resource rules must supply at least one resource',
    ],
  ],
  [
    valid.role,
    { 'rules.0': { verbs: ['get'], nonResourceURLs: ['/x'] } },
    [
      'rules[0].nonResourceURLs: Invalid value: []string{"/x"}: namespaced rules cannot apply to non-resource URLs',
    ],
  ],
  [
    valid.clusterRole,
    { 'rules.0.resources': ['pods'] },
    [
      'rules[0].nonResourceURLs: Invalid value: []string{"/healthz", "/metrics/*"}: rules cannot apply to both regular resources and non-resource URLs',
    ],
  ],
  [
    valid.clusterRole,
    { aggregationRule: {} },
    ['aggregationRule.clusterRoleSelectors: Required value: at least one clusterRoleSelector required'],
  ],
  [valid.role, { 'metadata.name': 'a/b' }, ['metadata.name: Invalid value: "a/b": may not contain \'/\'']],
  [
    valid.roleBinding,
    { 'roleRef.kind': 'Pod', 'roleRef.apiGroup': 'apps' },
    [
      'roleRef.kind: Unsupported value: "Pod": supported values: "Role", "ClusterRole"',
      'roleRef.apiGroup: Unsupported value: "apps"',
    ],
  ],
  [
    valid.clusterRoleBinding,
    { 'roleRef.kind': 'Role' },
    ['roleRef.kind: Unsupported value: "Role": supported values: "ClusterRole"'],
  ],
  [valid.clusterRoleBinding, { 'subjects.0.namespace': '' }, ['subjects[0].namespace: Required value']],
  [
    valid.roleBinding,
    { 'subjects.0': { kind: 'Robot', name: '' } },
    [
      'subjects[0].kind: Unsupported value: "Robot": supported values: "ServiceAccount", "User", "Group"',
      'subjects[0].name: Required value',
    ],
  ],
]
