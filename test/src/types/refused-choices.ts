/** How a 1.30 server speaks of choices that are not made, not known or made twice. */

import * as valid from './valid-groups.ts'
import type { Refusal } from './validation.ts'

const paths = 'spec.rules.0.http.paths'
const p = 'spec.rules[0].http.paths[0]'
const metric = 'spec.metrics[0]'
const uid = 'uid-1'
const target = { type: 'AverageValue', averageValue: '1' }
const types = 'supported values: "ContainerResource", "External", "Object", "Pods", "Resource"'

export const refusedChoices: readonly Refusal[] = [
  // Workloads.
  [
    valid.deployment,
    { 'spec.selector': { matchLabels: { 'a b': 'c' } } },
    [
      'spec.selector.matchLabels: Invalid value: "a b": name part must consist of',
      'spec.selector: Invalid value: {"matchLabels":{"a b":"c"}}: invalid label selector',
    ],
  ],
  [
    valid.daemonSet,
    { 'spec.selector': { matchLabels: { 'a b': 'c' } } },
    ['spec.selector.matchLabels: Invalid value: "a b": name part must consist of'],
  ],
  [
    valid.daemonSet,
    { 'spec.updateStrategy': { type: 'Slow' } },
    [
      'spec.updateStrategy: Unsupported value: {"type":"Slow"}: supported values: "RollingUpdate", "OnDelete"',
    ],
  ],
  [
    valid.statefulSet,
    { 'spec.updateStrategy': { type: 'Slow' }, 'spec.podManagementPolicy': 'Some' },
    [
      'spec.updateStrategy: Invalid value: {"type":"Slow"',
      "spec.podManagementPolicy: Invalid value: \"Some\": must be 'OrderedReady' or 'Parallel'",
    ],
  ],
  [valid.statefulSet, { 'spec.revisionHistoryLimit': -1 }, []],
  // Jobs.
  [
    valid.job,
    { 'spec.selector': { matchLabels: { 'batch.kubernetes.io/controller-uid': 'x' } } },
    [
      `spec.template.metadata.labels: Invalid value: map[string]string{"batch.kubernetes.io/controller-uid":"${uid}"`,
      'spec.selector: Invalid value: {"matchLabels":{"batch.kubernetes.io/controller-uid":"x"}}: `selector` not auto-generated',
    ],
  ],
  [
    valid.job,
    { 'spec.template.spec.restartPolicy': 'x' },
    [
      'spec.template.spec.restartPolicy: Unsupported value: "x": supported values: "Always", "OnFailure", "Never"',
      'spec.template.spec.restartPolicy: Unsupported value: "x": supported values: "OnFailure", "Never"',
    ],
  ],
  [valid.cronJob, { 'spec.jobTemplate.metadata': { labels: { 'a b': 'c' } } }, []],
  [
    valid.job,
    { 'spec.template.metadata.labels': { 'job-name': 'x' } },
    [
      'spec.template.metadata.labels[job-name]: Invalid value: map[string]string{"batch.kubernetes.io/controller-uid":',
    ],
  ],
  // Autoscalers.
  [
    valid.autoscaler,
    { 'spec.metrics': [{ type: '' }] },
    [
      `${metric}.type: Required value: must specify a metric source type`,
      `${metric}.type: Unsupported value: "": ${types}`,
      `${metric}.type: Unsupported value: "": ${types}`,
    ],
  ],
  [
    valid.autoscaler,
    { 'spec.metrics': [{ type: 'Object', pods: { metric: { name: 'm' }, target } }] },
    [`${metric}.object: Required value: must populate information for the given metric source`],
  ],
  [
    valid.autoscaler,
    { 'spec.metrics': [{ type: 'Pods', pods: { metric: {}, target: { averageValue: '1' } } }] },
    [
      `${metric}.pods.metric.name: Required value: must specify a metric name`,
      `${metric}.pods.target.type: Required value: must specify a metric target type`,
      `${metric}.pods.target.type: Invalid value: "": must be either Utilization, Value, or AverageValue`,
    ],
  ],
  [
    valid.autoscaler,
    {
      'spec.metrics': [
        {
          type: 'Pods',
          pods: { metric: { name: 'm' }, target },
          external: { metric: { name: 'm' }, target },
        },
      ],
    },
    [`${metric}.external: Forbidden: must populate the given metric source only`],
  ],
  [
    valid.autoscaler,
    { 'spec.minReplicas': 0, 'spec.metrics': [] },
    [
      'spec.minReplicas: Invalid value: 0: must be greater than or equal to 1',
      'spec.metrics: Forbidden: must specify at least one Object or External metric to support scaling to zero replicas',
    ],
  ],
  [
    valid.autoscaler,
    {
      'spec.behavior': {
        scaleUp: { selectPolicy: '', policies: [{ type: '', value: 1, periodSeconds: 1 }] },
      },
    },
    [
      'spec.behavior.scaleUp.selectPolicy: Unsupported value: "": supported values: "Disabled", "Max", "Min"',
      'spec.behavior.scaleUp.policies[0].type: Unsupported value: "": supported values: "Percent", "Pods"',
    ],
  ],
  // Ingresses.
  [
    valid.ingress,
    { [`${paths}.0.pathType`]: undefined },
    [`${p}.pathType: Required value: pathType must be specified`],
  ],
  [
    valid.ingress,
    { [`${paths}.0.pathType`]: '' },
    [`${p}.pathType: Unsupported value: "": supported values: "Exact", "ImplementationSpecific", "Prefix"`],
  ],
  [
    valid.ingress,
    { [`${paths}.0.backend`]: { resource: { apiGroup: '', kind: 'a/b' } } },
    [
      `${p}.backend.resource.apiGroup: Invalid value: "": a lowercase RFC 1123 subdomain must consist of`,
      `${p}.backend.resource.kind: Invalid value: "a/b": may not contain '/'`,
      `${p}.backend.resource.name: Required value: name is required`,
    ],
  ],
  [
    valid.ingress,
    { 'spec.ingressClassName': '', 'spec.tls': [{ secretName: 'A' }] },
    [
      'spec.ingressClassName: Invalid value: "": a lowercase RFC 1123 subdomain must consist of',
      'spec.tls[0].secretName: Invalid value: "A": a lowercase RFC 1123 subdomain must consist of',
    ],
  ],
  // Access control.
  [
    valid.clusterRole,
    { aggregationRule: { clusterRoleSelectors: [{ matchLabels: { 'a b': 'c' } }] } },
    [
      'aggregationRule.clusterRoleSelectors[0].matchLabels: Invalid value: "a b": name part must consist of',
      'aggregationRule.clusterRoleSelectors[0]: Invalid value: "null": invalid label selector.',
    ],
  ],
  [
    valid.clusterRole,
    { 'rules.0.verbs': undefined },
    ['rules[0].verbs: Required value: verbs must contain at least one value'],
  ],
  [
    valid.roleBinding,
    { 'roleRef.kind': '', 'subjects.0': { name: 'x' } },
    [
      'roleRef.kind: Unsupported value: "": supported values: "Role", "ClusterRole"',
      'subjects[0].kind: Unsupported value: "": supported values: "ServiceAccount", "User", "Group"',
    ],
  ],
]
