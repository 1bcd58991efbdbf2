/** Changes that a 1.30 server refuses or allows, beside those of fields that are simply fixed. */

import t from 'tap'
import { claim, configMap, fullPod, node, service, volume } from './valid-core.ts'
import { event, indexedJob, ingressClass, signingRequest } from './valid-groups.ts'
import { changed, differing, type Refusal, shown, updateRefusals } from './validation.ts'

const addressed = changed(service, { 'spec.clusterIP': '10.0.0.1', 'spec.clusterIPs': ['10.0.0.1'] })
const named = changed(node, { 'spec.podCIDR': '10.0.0.0/24', 'spec.podCIDRs': ['10.0.0.0/24'] })
const affinity = {
  required: { nodeSelectorTerms: [{ matchExpressions: [{ key: 'a', operator: 'Exists' }] }] },
}
const fixedSpec = 'spec: Forbidden: pod updates may not change fields other than'

const table: readonly Refusal[] = [
  [event, { note: 'other' }, ['message: Invalid value: "other": field is immutable']],
  [
    event,
    { reportingController: 'other.example.com/x', series: { count: 1 } },
    [
      'series.count: Invalid value: "": should be at least 2',
      'series.lastObservedTime: Required value',
      'reportingController: Invalid value: "other.example.com/x": field is immutable',
    ],
  ],
  [event, { series: { count: 2, lastObservedTime: '2024-01-01T00:00:00.000000Z' } }, []],
  [fullPod, { 'spec.containers.0.image': 'other:2' }, []],
  [fullPod, { 'spec.containers.0.image': '' }, ['spec.containers[0].image: Required value']],
  [fullPod, { 'spec.containers.0.command': ['x'] }, [fixedSpec]],
  [fullPod, { 'spec.activeDeadlineSeconds': 10 }, []],
  [
    fullPod,
    { 'spec.activeDeadlineSeconds': 9999 },
    ['spec.activeDeadlineSeconds: Invalid value: 9999: must be less than or equal to previous value'],
  ],
  [
    fullPod,
    { 'spec.activeDeadlineSeconds': undefined },
    [
      'spec.activeDeadlineSeconds: Invalid value: "null": must not update from a positive integer to nil value',
    ],
  ],
  [fullPod, { 'spec.tolerations.3': { key: 'more', operator: 'Exists' } }, []],
  [fullPod, { 'spec.tolerations.2.tolerationSeconds': 5 }, []],
  [
    fullPod,
    { 'spec.tolerations': [] },
    ['spec.tolerations: Forbidden: existing toleration can not be modified except its tolerationSeconds'],
  ],
  [
    fullPod,
    { 'spec.containers.1': { name: 'more', image: 'x' } },
    ['spec.containers: Forbidden: pod updates may not add or remove containers'],
  ],
  [addressed, { 'spec.clusterIP': undefined, 'spec.clusterIPs': undefined }, []],
  [
    addressed,
    {
      'spec.type': 'ExternalName',
      'spec.externalName': 'a.b',
      'spec.clusterIP': undefined,
      'spec.clusterIPs': undefined,
    },
    [],
  ],
  [
    addressed,
    { 'spec.clusterIP': '10.0.0.2', 'spec.clusterIPs': ['10.0.0.2'] },
    ['spec.clusterIPs[0]: Invalid value: []string{"10.0.0.2"}: may not change once set'],
  ],
  // An address that changes alone changes the first of the list.
  [
    addressed,
    { 'spec.clusterIP': '10.0.0.2' },
    ['spec.clusterIPs[0]: Invalid value: []string{"10.0.0.2"}: may not change once set'],
  ],
  [
    addressed,
    { 'spec.clusterIPs': ['10.0.0.2'] },
    [
      'spec.clusterIPs: Invalid value: []string{"10.0.0.2"}: first value must match `clusterIP`',
      'spec.clusterIPs[0]: Invalid value: []string{"10.0.0.2"}: may not change once set',
    ],
  ],
  [
    changed(addressed, { 'spec.ipFamilies': ['IPv4'] }),
    { 'spec.ipFamilies': ['IPv6'] },
    [
      'spec.ipFamilies[0]: Invalid value: []string{"IPv6"}: may not change once set',
      'spec.clusterIPs[0]: Invalid value: "10.0.0.1": expected an IPv6 value as indicated by `ipFamilies[0]`',
    ],
  ],
  [changed(addressed, { 'spec.ipFamilies': ['IPv4'] }), { 'spec.ipFamilies': undefined }, []],
  [
    changed(configMap, { immutable: true }),
    { 'data.more': '' },
    ['data: Forbidden: field is immutable when `immutable` is set'],
  ],
  [volume, { 'spec.volumeMode': 'Block' }, ['volumeMode: Invalid value: "Block": field is immutable']],
  [volume, { 'spec.nodeAffinity': affinity }, []],
  [
    changed(volume, { 'spec.nodeAffinity': affinity }),
    { 'spec.nodeAffinity': undefined },
    ['nodeAffinity: Invalid value: "null": field is immutable'],
  ],
  [
    ingressClass,
    { 'spec.controller': '' },
    ['spec.controller: Required value', 'spec.controller: Invalid value: "": field is immutable'],
  ],
  [
    claim,
    { 'spec.resources.requests': undefined },
    [
      'spec: Forbidden: spec is immutable after creation',
      'spec.resources[storage]: Required value',
      'spec.resources.requests.storage: Forbidden: field can not be less than previous value',
    ],
  ],
  [
    named,
    { 'spec.podCIDR': '10.1.0.0/24' },
    [
      'spec.podCIDRs: Forbidden: node updates may not change podCIDR except from "" to valid',
      '[]: Forbidden: node updates may only change labels, taints, or capacity',
    ],
  ],
  [node, { 'spec.providerID': 'cloud://1' }, []],
  [
    named,
    { 'spec.externalID': 'x', 'spec.unschedulable': true },
    ['[]: Forbidden: node updates may only change labels, taints, or capacity'],
  ],
  [
    fullPod,
    { 'spec.containers.1': { name: 'more', image: 'x' }, 'spec.initContainers': [] },
    ['spec.containers: Forbidden: pod updates may not add or remove containers'],
  ],
  [
    fullPod,
    { 'spec.initContainers': [] },
    ['spec.initContainers: Forbidden: pod updates may not add or remove containers'],
  ],
  [
    claim,
    { 'spec.resources.requests.storage': '1Gi' },
    [
      'spec: Forbidden: spec is immutable after creation',
      'spec.resources.requests.storage: Forbidden: field can not be less than previous value',
    ],
  ],
  [
    changed(signingRequest, { 'status.conditions': [{ type: 'Approved', status: 'True' }] }),
    { 'status.conditions': [] },
    ['status.conditions: Forbidden: updates may not remove a condition of type "Approved"'],
  ],
]

for (const [body, changes, causes] of table) {
  t.test(`${body.kind} with ${JSON.stringify(changes).slice(0, 100)}`, (t) => {
    t.strictSame(differing(shown(updateRefusals(body, changed(body, changes))), causes), [])
    t.end()
  })
}

t.test('an indexed job grows and shrinks with its parallelism', (t) => {
  const selected = {
    'spec.selector': { matchLabels: { 'batch.kubernetes.io/controller-uid': 'uid-1' } },
    'spec.template.metadata': {
      labels: {
        'batch.kubernetes.io/controller-uid': 'uid-1',
        'batch.kubernetes.io/job-name': 'thing',
        'controller-uid': 'uid-1',
        'job-name': 'thing',
      },
    },
  }
  const causes = (changes: object) =>
    shown(updateRefusals(indexedJob, changed(indexedJob, { ...selected, ...changes })))
  t.strictSame(causes({ 'spec.completions': 5, 'spec.parallelism': 5 }), [])
  t.strictSame(causes({ 'spec.completions': 5 }), [
    'spec.completions: Invalid value: 5: can only be modified in tandem with spec.parallelism',
  ])
  t.end()
})

t.test(
  'a suspended job that has not started may be told where its pods shall run, and how they are called',
  (t) => {
    const suspended = changed(indexedJob, { 'spec.suspend': true })
    const template = 'spec.template'
    const anywhere = { requiredDuringSchedulingIgnoredDuringExecution: [{ topologyKey: 'zone' }] }
    const rows: readonly (readonly [Record<string, unknown>, boolean])[] = [
      [{ [`${template}.metadata`]: { labels: { a: 'b' }, annotations: { c: 'd' } } }, true],
      [{ [`${template}.spec.nodeSelector`]: { a: 'b' } }, true],
      [{ [`${template}.spec.affinity`]: { nodeAffinity: {} } }, true],
      [{ [`${template}.spec.affinity`]: { podAffinity: anywhere } }, false],
      [{ [`${template}.spec.hostname`]: 'h' }, false],
    ]
    for (const [changes, allowed] of rows) {
      const causes = updateRefusals(suspended, changed(suspended, changes)).filter(
        ({ field }) => field === template,
      )
      t.equal(causes.length === 0, allowed, JSON.stringify(changes))
    }
    t.end()
  },
)
