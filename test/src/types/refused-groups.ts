/** What a 1.30 server refuses in the other groups, and how it says so. */

import * as valid from './valid-groups.ts'
import type { Refusal } from './validation.ts'

const metric = 'spec.metrics.0.resource'

export const refusedGroups: readonly Refusal[] = [
  // Policies of the cluster.
  [
    valid.budget,
    { 'spec.minAvailable': '50' },
    ['spec: Invalid value:', 'spec.minAvailable: Invalid value: "50": a valid percent string'],
  ],
  [
    valid.autoscaler,
    { 'spec.minReplicas': 0 },
    ['spec.minReplicas: Invalid value: 0: must be greater than or equal to 1'],
  ],
  [
    valid.autoscaler,
    { 'spec.maxReplicas': 1 },
    ['spec.maxReplicas: Invalid value: 1: must be greater than or equal to `minReplicas`'],
  ],
  [
    valid.autoscaler,
    { [`${metric}.target`]: { type: 'Magic', averageUtilization: 0 } },
    [
      'spec.metrics[0].resource.target.type: Invalid value: "Magic": must be either Utilization, Value, or AverageValue',
      'spec.metrics[0].resource.target.averageUtilization: Invalid value: 0: must be greater than 0',
    ],
  ],
  [
    valid.autoscaler,
    { 'spec.metrics.0': { type: 'Pods' } },
    ['spec.metrics[0].pods: Required value: must populate information for the given metric source'],
  ],
  [
    valid.autoscaler,
    {
      'spec.behavior.scaleDown': {
        stabilizationWindowSeconds: 4000,
        policies: [{ type: 'Pods', value: 0, periodSeconds: 2000 }],
      },
    },
    [
      'spec.behavior.scaleDown.stabilizationWindowSeconds: Invalid value: 4000: must be less than or equal to 3600',
      'spec.behavior.scaleDown.policies[0].value: Invalid value: 0: must be greater than zero',
      'spec.behavior.scaleDown.policies[0].periodSeconds: Invalid value: 2000: must be less than or equal to 1800',
    ],
  ],
  [
    valid.priorityClass,
    { value: 1_000_000_001, 'metadata.name': 'system-x' },
    [
      'value: Forbidden: maximum allowed value of a user defined priority is 1000000000',
      "metadata.name: Forbidden: priority class names with 'system-' prefix are reserved for system use only",
    ],
  ],
  [
    valid.storageClass,
    { provisioner: 'a b', volumeBindingMode: 'Later' },
    [
      'provisioner: Invalid value: "a b": name part',
      'volumeBindingMode: Unsupported value: "Later": supported values: "Immediate", "WaitForFirstConsumer"',
    ],
  ],
  [
    valid.csiNode,
    { 'spec.drivers.1': { name: 'csi.example.com', nodeID: '' } },
    ['spec.drivers[1].name: Duplicate value: "csi.example.com"', 'spec.drivers[1].nodeID: Required value'],
  ],
  [valid.attachment, { 'spec.source': {} }, ['spec.source: Required value: exactly one of']],
  [
    valid.runtimeClass,
    { handler: 'Run_sc' },
    ['handler: Invalid value: "Run_sc": a lowercase RFC 1123 label'],
  ],
  [
    valid.lease,
    { 'spec.leaseDurationSeconds': 0, 'spec.leaseTransitions': -1 },
    [
      'spec.leaseDurationSeconds: Invalid value: 0: must be greater than 0',
      'spec.leaseTransitions: Invalid value: -1: must be greater than or equal to 0',
    ],
  ],
  [
    valid.slice,
    { addressType: 'DNS' },
    ['addressType: Unsupported value: "DNS": supported values: "FQDN", "IPv4", "IPv6"'],
  ],
  [
    valid.slice,
    { 'endpoints.0.addresses': ['fd00::1'], 'ports.1.name': 'http' },
    [
      'endpoints[0].addresses[0]: Invalid value: "fd00::1": must be a valid IPv4 address',
      'ports[1].name: Duplicate value: "http"',
    ],
  ],
  [
    valid.slice,
    { endpoints: Array.from({ length: 1001 }, () => ({ addresses: ['10.0.0.1'] })) },
    ['endpoints: Too many: 1001: must have at most 1000 items'],
  ],
  // Admission.
  [
    valid.webhooks,
    { 'webhooks.0.sideEffects': undefined, 'webhooks.0.admissionReviewVersions': undefined },
    ['webhooks[0].sideEffects: Required value', 'webhooks[0].admissionReviewVersions: Required value'],
  ],
  [
    valid.webhooks,
    { 'webhooks.0.sideEffects': 'Some' },
    ['webhooks[0].sideEffects: Unsupported value: "Some": supported values: "None", "NoneOnDryRun"'],
  ],
  [
    valid.webhooks,
    { 'webhooks.0.admissionReviewVersions': ['v2'] },
    [
      'webhooks[0].admissionReviewVersions: Invalid value: []string{"v2"}: must include at least one of v1, v1beta1',
    ],
  ],
  [
    valid.webhooks,
    { 'webhooks.0.timeoutSeconds': 31 },
    ['webhooks[0].timeoutSeconds: Invalid value: 31: the timeout value must be between 1 and 30 seconds'],
  ],
  [
    valid.webhooks,
    { 'webhooks.1.name': 'a.example.com' },
    ['webhooks[1].name: Duplicate value: "a.example.com"'],
  ],
  [
    valid.webhooks,
    { 'webhooks.1.name': 'hook' },
    [
      'webhooks[1].name: Invalid value: "hook": should be a domain with at least three segments separated by dots',
    ],
  ],
  [
    valid.webhooks,
    { 'webhooks.0.clientConfig.url': 'https://x' },
    ['webhooks[0].clientConfig: Required value: exactly one of url or service is required'],
  ],
  [
    valid.webhooks,
    { 'webhooks.1.clientConfig.url': 'http://u@x/?q#f' },
    [
      'webhooks[1].clientConfig.url: Invalid value: "http": \'https\' is the only allowed URL scheme',
      'webhooks[1].clientConfig.url: Invalid value: "u": user information',
      'webhooks[1].clientConfig.url: Invalid value: "f": fragments',
      'webhooks[1].clientConfig.url: Invalid value: "q": query parameters',
    ],
  ],
  [
    valid.webhooks,
    { 'webhooks.0.rules.0.operations': ['*', 'CREATE'] },
    [
      'webhooks[0].rules[0].operations: Invalid value: []string{"*", "CREATE"}: if \'*\' is present, must not specify other operations',
    ],
  ],
  [
    valid.webhooks,
    { 'webhooks.0.rules.0.resources': ['pods/*', 'pods/status'] },
    [
      'webhooks[0].rules[0].resources[1]: Invalid value: "pods/status": if \'pods/*\' is present, must not specify pods/status',
    ],
  ],
  // Certificates and events: specification.
  [
    valid.signingRequest,
    { 'spec.signerName': 'kubernetes.io/legacy-unknown' },
    ['spec.signerName: Invalid value: "kubernetes.io/legacy-unknown": the legacy signerName is not allowed'],
  ],
  [
    valid.signingRequest,
    { 'spec.signerName': 'signer' },
    ['spec.signerName: Invalid value: "signer": must be a fully qualified domain and path of the form'],
  ],
  [
    valid.signingRequest,
    { 'spec.usages': ['any', 'any', 'magic'] },
    ['spec.usages[1]: Duplicate value: "any"', 'spec.usages[2]: Unsupported value: "magic"'],
  ],
  [
    valid.signingRequest,
    { 'spec.usages': undefined, 'spec.request': 'MQ==' },
    [
      'spec.usages: Required value',
      'spec.request: Invalid value: "MQ==": PEM block type must be CERTIFICATE REQUEST',
    ],
  ],
  [
    valid.event,
    { action: undefined, reason: undefined, reportingController: undefined, reportingInstance: undefined },
    [
      'action: Required value',
      'reason: Required value',
      'reportingController: Required value',
      'reportingController: Invalid value: "": name part must be non-empty',
      'reportingController: Invalid value: "": name part must consist of',
      'reportingInstance: Required value',
    ],
  ],
  [
    valid.event,
    {
      type: 'Bad',
      deprecatedCount: 1,
      deprecatedSource: { host: 'h' },
      deprecatedFirstTimestamp: '2024-01-01T00:00:00Z',
    },
    [
      'type: Invalid value: "": has invalid value: Bad',
      'count: Invalid value: "": needs to be unset',
      'source: Invalid value: "": needs to be unset',
      'firstTimestamp: Invalid value: "": needs to be unset',
    ],
  ],
  // Flow control.
  [
    valid.flowSchema,
    { 'spec.matchingPrecedence': 1 },
    [
      "spec.matchingPrecedence: Invalid value: 1: only the schema named 'exempt' may have matchingPrecedence 1",
    ],
  ],
  [
    valid.flowSchema,
    { 'spec.rules.0.subjects.0': { kind: 'User', group: { name: 'x' } } },
    [
      "spec.rules[0].subjects[0].user: Required value: user is required when subject kind is 'User'",
      'spec.rules[0].subjects[0].group: Forbidden: group is forbidden',
    ],
  ],
  [
    valid.priorityLevel,
    { 'spec.limited.limitResponse.queuing.handSize': 100 },
    [
      'spec.limited.limitResponse.queuing.handSize: Invalid value: 100: should not be greater than queues (64)',
    ],
  ],
  [
    valid.priorityLevel,
    { 'spec.limited': undefined },
    ['spec.limited: Required value: must not be empty when type is Limited'],
  ],
  // Aggregation.
  [
    valid.apiService,
    { 'metadata.name': 'v1.x', 'spec.versionPriority': 0 },
    [
      'metadata.name: Invalid value: "v1.x": must be `spec.version+"."+spec.group`: "v1beta1.metrics.example.com"',
      'spec.versionPriority: Invalid value: 0: must be positive and less than 1000',
    ],
  ],
  [
    valid.apiService,
    { 'spec.service': undefined },
    ['spec.insecureSkipTLSVerify: Invalid value: true: local APIServices may not have insecureSkipTLSVerify'],
  ],
]
