/** What clients are warned of, in the words of a 1.30 server. */

import t from 'tap'
import type { ApiObject } from '../../../src/types/object.ts'
import { exchangeWith } from '../../support/fake-exchange.ts'
import { adminToken, startInProcess } from '../../support/in-process-server.ts'
import { codec, decoded, everything, typeOf, types } from './types.ts'

const registry = types(everything)
const objects = codec()

interface Body {
  readonly apiVersion: string
  readonly kind: string
  readonly [field: string]: unknown
}

function warned(body: Body, old?: object): readonly string[] {
  const type = typeOf(registry, body.apiVersion, body.kind)
  const stored = (from: object): ApiObject => {
    const object = decoded(objects, type, from)
    objects.applyDefaults(type.message, object)
    return type.toStorage(object)
  }
  return type.strategy.warnings?.(stored(body), old === undefined ? undefined : stored(old)) ?? []
}

const spec = {
  nodeSelector: { 'beta.kubernetes.io/arch': 'amd64' },
  affinity: {
    nodeAffinity: {
      requiredDuringSchedulingIgnoredDuringExecution: {
        nodeSelectorTerms: [
          { matchExpressions: [{ key: 'failure-domain.beta.kubernetes.io/zone', operator: 'Exists' }] },
        ],
      },
    },
    podAntiAffinity: { requiredDuringSchedulingIgnoredDuringExecution: [{ topologyKey: 'zone' }] },
  },
  topologySpreadConstraints: [
    { maxSkew: 1, topologyKey: 'beta.kubernetes.io/os', whenUnsatisfiable: 'DoNotSchedule' },
  ],
  volumes: [
    { name: 'a', gitRepo: { repository: 'x' } },
    { name: 'b', rbd: { monitors: ['m'], image: 'i' } },
  ],
  hostAliases: [{ ip: '127.0.0.1' }, { ip: '127.0.0.1' }],
  imagePullSecrets: [{ name: 'a' }, { name: 'a' }, {}],
  terminationGracePeriodSeconds: -1,
  containers: [
    {
      name: 'c',
      image: 'i',
      resources: { requests: { memory: '100m', cpu: '100m' } },
      env: [
        { name: 'A', value: '1' },
        { name: 'A', value: '$(A):2' },
        { name: 'A', value: '3' },
      ],
      ports: [{ containerPort: 80 }, { containerPort: 80 }, { containerPort: 80, hostPort: 8080 }],
    },
  ],
}
const said = (at: string) => [
  `${at}.nodeSelector[beta.kubernetes.io/arch]: deprecated since v1.14; use "kubernetes.io/arch" instead`,
  `${at}.affinity.nodeAffinity.requiredDuringSchedulingIgnoredDuringExecution.nodeSelectorTerms[0].matchExpressions[0].key: failure-domain.beta.kubernetes.io/zone is deprecated since v1.17; use "topology.kubernetes.io/zone" instead`,
  `${at}.topologySpreadConstraints[0].topologyKey: beta.kubernetes.io/os is deprecated since v1.14; use "kubernetes.io/os" instead`,
  `${at}.topologySpreadConstraints[0].labelSelector: a null labelSelector results in matching no pod`,
  `${at.replace(/spec$/, '')}metadata.annotations[security.alpha.kubernetes.io/sysctls]: non-functional in v1.11+; use the "sysctls" field instead`,
  `${at.replace(/spec$/, '')}metadata.annotations[container.seccomp.security.alpha.kubernetes.io/c]: non-functional in v1.27+; use the "seccompProfile" field instead`,
  `${at}.volumes[0].gitRepo: deprecated in v1.11`,
  `${at}.volumes[1].rbd: deprecated in v1.28, non-functional in v1.31+`,
  `${at}.hostAliases[1].ip: duplicate ip "127.0.0.1"`,
  `${at}.imagePullSecrets[1].name: duplicate name "a"`,
  `${at}.imagePullSecrets[2].name: invalid empty name ""`,
  `${at}.containers[0].resources.requests[memory]: fractional byte value "100m" is invalid, must be an integer`,
  `${at}.containers[0].env[2]: hides previous definition of "A", which may be dropped when using apply`,
  `${at}.containers[0].ports[1]: duplicate port definition with ${at}.containers[0].ports[0]`,
  `${at}.containers[0].ports[2]: overlapping port definition with ${at}.containers[0].ports[0]`,
  `${at}.containers[0].ports[2]: overlapping port definition with ${at}.containers[0].ports[1]`,
  `${at}.terminationGracePeriodSeconds: must be >= 0; negative values are invalid and will be treated as 1`,
  `${at}.affinity.podAntiAffinity.requiredDuringSchedulingIgnoredDuringExecution[0].labelSelector: a null labelSelector results in matching no pod`,
]
const annotations = {
  'security.alpha.kubernetes.io/sysctls': 'x',
  'container.seccomp.security.alpha.kubernetes.io/c': 'unconfined',
}

t.test('pods and templates of pods', (t) => {
  const pod = { apiVersion: 'v1', kind: 'Pod', metadata: { name: 'p', annotations }, spec }
  t.same(warned(pod), said('spec'))
  t.same(warned(pod, pod), [], 'whoever changes a pod is a machine')
  const template = { metadata: { labels: { a: 'b' }, annotations }, spec }
  const deployment = (generation: number, name = 'd') => ({
    apiVersion: 'apps/v1',
    kind: 'Deployment',
    metadata: { name, generation },
    spec: { selector: { matchLabels: { a: 'b' } }, template },
  })
  t.same(warned(deployment(1)), said('spec.template.spec'))
  t.same(warned(deployment(1), deployment(1)), [])
  t.same(warned(deployment(2), deployment(1)), said('spec.template.spec'))
  t.match(
    warned(deployment(1, 'd.e'))[0],
    /^metadata\.name: this is used in Pod names and hostnames, which can result in surprising behavior; a DNS label is recommended: \[.+\]$/,
  )
  t.match(
    warned({ ...pod, metadata: { ...pod.metadata, name: 'p.q' } })[0],
    /^metadata\.name: this is used in the Pod's hostname, which can result in surprising behavior; a DNS label is recommended: \[/,
  )
  const cronJob = {
    apiVersion: 'batch/v1',
    kind: 'CronJob',
    metadata: { name: 'c' },
    spec: { schedule: '* * * * *', jobTemplate: { spec: { template } } },
  }
  t.same(warned(cronJob), said('spec.jobTemplate.spec.template.spec'))
  t.end()
})

t.test('others: (object → warnings)', (t) => {
  const service = { apiVersion: 'v1', kind: 'Service', metadata: { name: 's' } }
  const volume = { apiVersion: 'v1', kind: 'PersistentVolume', metadata: { name: 'v' } }
  const rows: readonly (readonly [Body, readonly string[]])[] = [
    [
      {
        ...service,
        spec: {
          clusterIP: 'None',
          clusterIPs: ['None'],
          externalIPs: ['010.0.0.1', '2001:DB8:0::1', '10.0.0.1'],
          externalName: 'x',
          loadBalancerSourceRanges: ['2001:db8:0:0::/64', '10.0.0.0/8'],
        },
      },
      [
        'spec.externalIPs[0]: IP address was accepted, but will be invalid in a future Kubernetes release: ParseAddr("010.0.0.1"): IPv4 field has octet with leading zero',
        'spec.externalIPs[1]: IPv6 address "2001:DB8:0::1" is not in RFC 5952 canonical format ("2001:db8::1"), which may cause controller apply-loops',
        'spec.loadBalancerSourceRanges[0]: IPv6 prefix "2001:db8:0:0::/64" is not in RFC 5952 canonical format ("2001:db8::/64"), which may cause controller apply-loops',
        'spec.externalName is ignored when spec.type is not "ExternalName"',
      ],
    ],
    [
      {
        ...service,
        metadata: { name: 's', annotations: { 'service.kubernetes.io/topology-aware-hints': 'auto' } },
        spec: { type: 'ExternalName', externalName: 'x', externalIPs: ['10.0.0.1'] },
      },
      [
        'annotation service.kubernetes.io/topology-aware-hints is deprecated, please use service.kubernetes.io/topology-mode instead',
        'spec.externalIPs is ignored when spec.type is "ExternalName"',
      ],
    ],
    [
      {
        ...volume,
        spec: {
          persistentVolumeReclaimPolicy: 'Recycle',
          capacity: { storage: '100m' },
          cephfs: { monitors: ['m'] },
        },
      },
      [
        'spec.persistentVolumeReclaimPolicy: The Recycle reclaim policy is deprecated. Instead, the recommended approach is to use dynamic provisioning.',
        'spec.cephfs: deprecated in v1.28, non-functional in v1.31+',
        'spec.capacity[storage]: fractional byte value "100m" is invalid, must be an integer',
      ],
    ],
    [
      {
        apiVersion: 'v1',
        kind: 'PersistentVolumeClaim',
        metadata: { name: 'c' },
        spec: { accessModes: ['ReadWriteOnce'], resources: { requests: { storage: '1500m' } } },
      },
      ['spec.resources.requests[storage]: fractional byte value "1500m" is invalid, must be an integer'],
    ],
    [
      {
        apiVersion: 'networking.k8s.io/v1',
        kind: 'Ingress',
        metadata: { name: 'i', annotations: { 'kubernetes.io/ingress.class': 'x' } },
        spec: {},
      },
      [`annotation "kubernetes.io/ingress.class" is deprecated, please use 'spec.ingressClassName' instead`],
    ],
  ]
  for (const [body, warnings] of rows) t.same(warned(body), warnings, body.kind)
  t.end()
})

t.test('clients get them as headers, of what is accepted alone', async (t) => {
  const server = await startInProcess()
  t.teardown(() => server.close())
  const send = async (containers: readonly object[]) => {
    const { status, headers } = await exchangeWith(server.api.handler, {
      method: 'POST',
      target: '/api/v1/namespaces/default/podtemplates',
      headers: { authorization: `Bearer ${adminToken}`, 'content-type': 'application/json' },
      body: Buffer.from(
        JSON.stringify({
          metadata: { generateName: 't-' },
          template: { spec: { terminationGracePeriodSeconds: -1, containers } },
        }),
      ),
    }).answered
    return [status, headers['warning']]
  }
  t.same(await send([{ name: 'c', image: 'i' }]), [
    201,
    [
      '299 - "template.spec.terminationGracePeriodSeconds: must be >= 0; negative values are invalid and will be treated as 1"',
    ],
  ])
  t.same(await send([]), [422, undefined])
})
