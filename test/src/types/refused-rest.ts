/** What a 1.30 server refuses in webhooks, flow control, storage, slices and API services, and how it says so. */

import * as valid from './valid-groups.ts'
import type { Refusal } from './validation.ts'

const rule = 'spec.rules[0].resourceRules[0]'
const urls = 'spec.rules[0].nonResourceRules[0].nonResourceURLs'
const subdomain = 'a lowercase RFC 1123 subdomain must consist of'
const topology = { matchLabelExpressions: [{ key: 'zone', values: ['a'] }] }
const local = { 'spec.service': undefined, 'spec.insecureSkipTLSVerify': undefined }

export const refusedRest: readonly Refusal[] = [
  // Webhooks.
  [
    valid.webhooks,
    { 'webhooks.0.sideEffects': undefined, 'webhooks.0.admissionReviewVersions': undefined },
    [
      'webhooks[0].sideEffects: Required value: must specify one of None, NoneOnDryRun',
      'webhooks[0].admissionReviewVersions: Required value: must specify one of v1, v1beta1',
    ],
  ],
  [
    valid.webhooks,
    { 'webhooks.0.clientConfig': { service: { path: 'a//B' } } },
    [
      'webhooks[0].clientConfig.service.namespace: Required value: service namespace is required',
      'webhooks[0].clientConfig.service.name: Required value: service name is required',
      'webhooks[0].clientConfig.service.path: Invalid value: "a//B": must start with a \'/\'',
      'webhooks[0].clientConfig.service.path: Invalid value: "a//B": segment[0] may not be empty',
      'webhooks[0].clientConfig.service.path: Invalid value: "a//B": segment[1] may not be empty',
      `webhooks[0].clientConfig.service.path: Invalid value: "a//B": segment[2]: ${subdomain}`,
    ],
  ],
  // Flow control.
  [
    valid.flowSchema,
    { 'spec.distinguisherMethod': {}, 'spec.rules.0.subjects': [{ kind: '' }] },
    [
      'spec.distinguisherMethod.type: Unsupported value: {',
      'spec.rules[0].subjects[0].kind: Unsupported value: "": supported values: "Group", "ServiceAccount", "User"',
    ],
  ],
  [
    valid.flowSchema,
    { 'spec.rules.0.subjects': [{ kind: 'ServiceAccount', serviceAccount: { name: 'A', namespace: '' } }] },
    [
      'spec.rules[0].subjects[0].serviceAccount.namespace: Required value: must specify namespace for service account',
      `spec.rules[0].subjects[0].serviceAccount.name: Invalid value: "A": ${subdomain}`,
    ],
  ],
  [
    valid.flowSchema,
    {
      'spec.rules.0.resourceRules': [
        { verbs: ['steal'], apiGroups: ['*', 'b'], resources: ['*'], namespaces: ['A'], clusterScope: true },
      ],
    },
    [
      `${rule}.verbs: Unsupported value: []string{"steal"}: supported values: "create", "delete"`,
      `${rule}.apiGroups: Invalid value: []string{"*", "b"}: if '*' is present, must not specify other api groups`,
      `${rule}.namespaces[0]: Invalid value: "A": each member of this list must be '*' or a DNS-1123 label; a lowercase`,
    ],
  ],
  [
    valid.flowSchema,
    {
      'spec.rules.0.nonResourceRules': [
        { verbs: ['get'], nonResourceURLs: ['', 'a', '/a b', '/a//b', '/a*', '/*/b', '/', '/a/*', '/a'] },
      ],
    },
    [
      `${urls}[0]: Invalid value: "": must not be empty`,
      `${urls}[1]: Invalid value: "a": must start with slash`,
      `${urls}[2]: Invalid value: "/a b": must not contain white-space`,
      `${urls}[3]: Invalid value: "/a//b": must not contain double slash`,
      `${urls}[4]: Invalid value: "/a*": wildcard can only do suffix matching`,
      `${urls}[5]: Invalid value: "/*/b": wildcard can only do suffix matching`,
    ],
  ],
  [
    valid.priorityLevel,
    { spec: { type: 'Exempt' } },
    ["spec.type: Invalid value: \"Exempt\": type must be 'Exempt' if and only if name is 'exempt'"],
  ],
  [
    valid.priorityLevel,
    { spec: { type: 'Limited', limited: { limitResponse: {} } } },
    ['spec.limited.limitResponse.type: Unsupported value: "": supported values: "Queue", "Reject"'],
  ],
  [
    valid.priorityLevel,
    { 'spec.limited.limitResponse.queuing': { queues: 70_000, handSize: 4, queueLengthLimit: 1 } },
    [
      'spec.limited.limitResponse.queuing.handSize: Invalid value: 4: required entropy bits of deckSize 70000 and handSize 4 should not be greater than 60',
    ],
  ],
  [
    valid.flowSchema,
    { 'spec.rules.0.nonResourceRules': [{ verbs: [], nonResourceURLs: [] }] },
    [
      'spec.rules[0].nonResourceRules[0].verbs: Required value: verbs must contain at least one value',
      `${urls}: Required value: nonResourceURLs must contain at least one value`,
    ],
  ],
  // Storage.
  [
    valid.storageClass,
    { reclaimPolicy: 'Recycle' },
    ['reclaimPolicy: Unsupported value: "Recycle": supported values: "Delete", "Retain"'],
  ],
  [
    valid.storageClass,
    { allowedTopologies: [topology, topology, { matchLabelExpressions: [{ key: '', values: ['a', 'a'] }] }] },
    [
      'allowedTopologies[1].matchLabelExpressions: Duplicate value: ""',
      'allowedTopologies[2].matchLabelExpressions[0].values[1]: Duplicate value: "a"',
      'allowedTopologies[2].matchLabelExpressions[0].key: Invalid value: "": name part must be non-empty',
      'allowedTopologies[2].matchLabelExpressions[0].key: Invalid value: "": name part must consist of',
    ],
  ],
  [
    valid.csiNode,
    { 'spec.drivers.0.name': '' },
    ['spec.drivers[0].name: Required value', `spec.drivers[0].name: Invalid value: "": ${subdomain}`],
  ],
  // Slices.
  [
    valid.slice,
    { 'endpoints.0.addresses': ['x'], 'endpoints.0.hostname': '', 'ports.0.appProtocol': '' },
    [
      'endpoints[0].addresses[0]: Invalid value: "x": must be a valid IPv4 address',
      'endpoints[0].addresses[0]: Invalid value: "x": must be a valid IP address',
      'endpoints[0].hostname: Invalid value: "": a lowercase RFC 1123 label must consist of',
      'ports[0].appProtocol: Invalid value: "": name part must be non-empty',
      'ports[0].appProtocol: Invalid value: "": name part must consist of',
    ],
  ],
  // Requests for certificates.
  [
    valid.signingRequest,
    { 'spec.signerName': 'nobody/A', 'spec.usages': [] },
    [
      'spec.usages: Required value: usages must be provided',
      'spec.signerName: Invalid value: "nobody": should be a domain with at least two segments separated by dots',
      `spec.signerName: Invalid value: "A": validating label "A": ${subdomain}`,
    ],
  ],
  // API services.
  [
    valid.apiService,
    { ...local, 'spec.caBundle': 'AAAA' },
    ['spec.caBundle: Invalid value: "AAAA": local APIServices may not have a caBundle'],
  ],
  // Runtime classes.
  [
    valid.runtimeClass,
    { 'scheduling.tolerations': [{ key: 'a b', operator: 'Exists' }] },
    ['scheduling.tolerations.tolerations[0].key: Invalid value: "a b": name part must consist of'],
  ],
]
