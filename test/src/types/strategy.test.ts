/** What is special to single types. */

import t from 'tap'
import { qualityOfService } from '../../../src/types/core/pod.ts'
import type { ApiObject } from '../../../src/types/object.ts'
import { codec, decoded, everything, typeOf, types } from './types.ts'

const registry = types(everything)
const objects = codec()

function object(apiVersion: string, kind: string, body: object): ApiObject {
  const type = typeOf(registry, apiVersion, kind)
  const made = decoded(objects, type, { apiVersion, kind, ...body })
  objects.applyDefaults(type.message, made)
  return made
}

/** The causes of a change, as `field: message`. */
function refused(apiVersion: string, kind: string, from: object, to: object): string[] {
  const type = typeOf(registry, apiVersion, kind)
  const old = objects.normalize(type.storageMessage, object(apiVersion, kind, from))
  const updated = object(apiVersion, kind, to)
  type.strategy.prepareForUpdate?.(updated, old, { now: '2024-01-01T00:00:00Z' })
  return (type.strategy.validateUpdate?.(updated, old) ?? []).map(
    ({ field, message }) => `${field}: ${message}`,
  )
}

const template = { metadata: { labels: { a: 'b' } }, spec: { containers: [{ name: 'c', image: 'x' }] } }
const selector = { matchLabels: { a: 'b' } }
const other = { matchLabels: { a: 'c' } }

t.test('what cannot change', (t) => {
  const roleRef = { apiGroup: 'rbac.authorization.k8s.io', kind: 'Role', name: 'r' }
  const pod = { spec: { containers: [{ name: 'c', image: 'x' }] } }
  const table: [apiVersion: string, kind: string, from: object, to: object, causes: string[]][] = [
    [
      'rbac.authorization.k8s.io/v1',
      'RoleBinding',
      { roleRef },
      { roleRef, subjects: [{ kind: 'User', name: 'u' }] },
      [],
    ],
    [
      'rbac.authorization.k8s.io/v1',
      'ClusterRoleBinding',
      { roleRef },
      { roleRef: { ...roleRef, name: 's' } },
      [
        'roleRef: Invalid value: {"apiGroup":"rbac.authorization.k8s.io","kind":"Role","name":"s"}: cannot change roleRef',
      ],
    ],
    [
      'apps/v1',
      'Deployment',
      { spec: { selector, template } },
      { spec: { selector, template, replicas: 3 } },
      [],
    ],
    [
      'apps/v1',
      'Deployment',
      { spec: { selector, template } },
      { spec: { selector: other, template } },
      ['spec.selector: Invalid value: {"matchLabels":{"a":"c"}}: field is immutable'],
    ],
    [
      'apps/v1',
      'StatefulSet',
      { spec: { selector, template } },
      { spec: { selector, template, replicas: 9 } },
      [],
    ],
    [
      'apps/v1',
      'StatefulSet',
      { spec: { selector, template, serviceName: 'a' } },
      { spec: { selector, template, serviceName: 'b' } },
      [
        "spec: Forbidden: updates to statefulset spec for fields other than 'replicas', 'ordinals', 'template', 'updateStrategy', 'persistentVolumeClaimRetentionPolicy' and 'minReadySeconds' are forbidden",
      ],
    ],
    ['v1', 'ConfigMap', { data: { a: '1' } }, { data: { a: '2' }, immutable: true }, []],
    [
      'v1',
      'ConfigMap',
      { data: { a: '1' }, immutable: true },
      { data: { a: '2' } },
      [
        'immutable: Forbidden: field is immutable when `immutable` is set',
        'data: Forbidden: field is immutable when `immutable` is set',
      ],
    ],
    [
      'v1',
      'ConfigMap',
      { data: { a: '1' }, immutable: true },
      { metadata: { labels: { x: 'y' } }, data: { a: '1' }, immutable: true },
      [],
    ],
    ['v1', 'Secret', {}, { type: 'other' }, ['type: Invalid value: "other": field is immutable']],
    [
      'v1',
      'Pod',
      pod,
      {
        metadata: { labels: { a: 'b' } },
        spec: { containers: [{ name: 'c', image: 'y' }], activeDeadlineSeconds: 5 },
      },
      [],
    ],
    [
      'v1',
      'Pod',
      { spec: { ...pod.spec, schedulingGates: [{ name: 'g' }] } },
      { spec: { ...pod.spec, nodeSelector: { a: 'b' } } },
      [],
    ],
    [
      'v1',
      'Pod',
      pod,
      { spec: { ...pod.spec, schedulingGates: [{ name: 'g' }] } },
      ['spec.schedulingGates: Forbidden: only deletion is allowed, but found new scheduling gates'],
    ],
    ['batch/v1', 'Job', { spec: { template } }, { spec: { template, parallelism: 3, completions: 1 } }, []],
    [
      'batch/v1',
      'Job',
      { spec: { template } },
      { spec: { template, completionMode: 'Indexed', parallelism: 2, completions: 2 } },
      ['spec.completionMode: Invalid value: "Indexed": field is immutable'],
    ],
    [
      'batch/v1',
      'Job',
      { spec: { template, suspend: true } },
      { spec: { template: { ...template, spec: { ...template.spec, nodeSelector: { a: 'b' } } } } },
      [],
    ],
    [
      'scheduling.k8s.io/v1',
      'PriorityClass',
      { value: 1 },
      { value: 2 },
      ['value: Forbidden: may not be changed in an update.'],
    ],
    [
      'storage.k8s.io/v1',
      'StorageClass',
      { provisioner: 'a' },
      { provisioner: 'b' },
      ['provisioner: Forbidden: updates to provisioner are forbidden.'],
    ],
    [
      'discovery.k8s.io/v1',
      'EndpointSlice',
      { addressType: 'IPv4' },
      { addressType: 'IPv6' },
      ['addressType: Invalid value: "IPv6": field is immutable'],
    ],
    [
      'v1',
      'PersistentVolumeClaim',
      { spec: { storageClassName: 'a' } },
      { spec: { storageClassName: 'a', volumeName: 'v' } },
      [],
    ],
    [
      'v1',
      'PersistentVolumeClaim',
      { spec: { storageClassName: 'a' } },
      { spec: { storageClassName: 'b' } },
      [
        'spec: Forbidden: spec is immutable after creation except resources.requests and volumeAttributesClassName for bound claims',
      ],
    ],
    [
      'v1',
      'PersistentVolume',
      { spec: { hostPath: { path: '/a' } } },
      { spec: { hostPath: { path: '/b' } } },
      ['spec.persistentvolumesource: Forbidden: spec.persistentvolumesource is immutable after creation'],
    ],
    [
      'v1',
      'PersistentVolume',
      { spec: { hostPath: { path: '/a' } } },
      { spec: { hostPath: { path: '/a' }, capacity: { storage: '1Gi' } } },
      [],
    ],
  ]
  for (const [apiVersion, kind, from, to, causes] of table) {
    t.strictSame(refused(apiVersion, kind, from, to), causes, `${kind} ${JSON.stringify(to)}`)
  }
  const [refusedPod = ''] = refused('v1', 'Pod', pod, { spec: { ...pod.spec, hostNetwork: true } })
  t.match(refusedPod, /^spec: Forbidden: pod updates may not change fields other than `spec\.containers/)
  t.end()
})

t.test('a service is called like a host', (t) => {
  const { strategy } = typeOf(registry, 'v1', 'Service')
  const causes = (name: string) =>
    strategy.validate?.({
      ...object('v1', 'Service', { spec: { ports: [{ port: 80 }] } }),
      metadata: { name },
    }) ?? []
  t.strictSame(causes('web'), [])
  t.match(causes('1web'), [{ field: 'metadata.name', reason: 'FieldValueInvalid', message: /DNS-1035/ }])
  t.end()
})

t.test('finalizers and identity are not for everybody to write', (t) => {
  const namespace = typeOf(registry, 'v1', 'Namespace').strategy
  const old = object('v1', 'Namespace', { spec: { finalizers: ['kubernetes'] } })
  const updated = object('v1', 'Namespace', { spec: { finalizers: [] } })
  namespace.prepareForUpdate?.(updated, old, { now: '' })
  t.match(updated, { spec: { finalizers: ['kubernetes'] } })

  const request = typeOf(registry, 'certificates.k8s.io/v1', 'CertificateSigningRequest').strategy
  const before = object('certificates.k8s.io/v1', 'CertificateSigningRequest', {
    spec: { username: 'jane', request: 'MQ==' },
  })
  const after = object('certificates.k8s.io/v1', 'CertificateSigningRequest', {
    spec: { username: 'root', request: 'Mg==' },
  })
  request.prepareForUpdate?.(after, before, { now: '' })
  t.match(after, { spec: { username: 'jane', request: 'MQ==' } })
  t.end()
})

t.test('a daemon set counts its templates', (t) => {
  const { strategy } = typeOf(registry, 'apps/v1', 'DaemonSet')
  const annotation = 'deprecated.daemonset.template.generation'
  const old = object('apps/v1', 'DaemonSet', {
    metadata: { annotations: { [annotation]: '4' } },
    spec: { selector, template },
  })
  const same = object('apps/v1', 'DaemonSet', { spec: { selector, template } })
  strategy.prepareForUpdate?.(same, old, { now: '' })
  t.equal(same.metadata.annotations?.[annotation], '4')
  const changed = object('apps/v1', 'DaemonSet', {
    spec: { selector, template: { spec: { containers: [] } } },
  })
  strategy.prepareForUpdate?.(changed, old, { now: '' })
  t.equal(changed.metadata.annotations?.[annotation], '5')
  t.end()
})

t.test('a job chosen by hand keeps its selector', (t) => {
  const { strategy } = typeOf(registry, 'batch/v1', 'Job')
  const job = object('batch/v1', 'Job', {
    metadata: { uid: 'u' },
    spec: { manualSelector: true, selector, template },
  })
  strategy.prepareForCreate?.(job, { now: '' })
  t.match(job, { spec: { selector, template: { metadata: { labels: { a: 'b' } } } } })
  t.notMatch(JSON.stringify(job), /controller-uid/)
  t.end()
})

t.test('quality of service', (t) => {
  const both = { cpu: '1', memory: '1Gi' }
  const table: [containers: object[], quality: string][] = [
    [[{}], 'BestEffort'],
    [[{ resources: { limits: both } }], 'Guaranteed'],
    [[{ resources: { limits: both, requests: { cpu: '1000m', memory: '1024Mi' } } }], 'Guaranteed'],
    [[{ resources: { limits: both, requests: { cpu: '500m', memory: '1Gi' } } }], 'Burstable'],
    [[{ resources: { limits: both } }, {}], 'Burstable'],
    [[{ resources: { requests: { cpu: '1' } } }], 'Burstable'],
    [[{ resources: { limits: { 'example.com/gpu': '1' } } }], 'BestEffort'],
    [[{ resources: { limits: { cpu: '0' } } }], 'BestEffort'],
  ]
  for (const [containers, quality] of table) {
    t.equal(qualityOfService({ containers } as never), quality, JSON.stringify(containers))
  }
  t.end()
})

t.test('how long a pod may take to end', (t) => {
  const { strategy } = typeOf(registry, 'v1', 'Pod')
  const grace = (spec: object, status: object = {}) =>
    strategy.gracePeriodSeconds?.(object('v1', 'Pod', { spec, status }))
  t.equal(grace({ nodeName: 'n' }), 30)
  t.equal(grace({ nodeName: 'n', terminationGracePeriodSeconds: 5 }), 5)
  t.equal(grace({ nodeName: 'n', terminationGracePeriodSeconds: -5 }), 1)
  t.equal(grace({ nodeName: 'n', terminationGracePeriodSeconds: 0 }), 0)
  t.equal(grace({}), 0, 'nobody runs it')
  t.equal(grace({ nodeName: 'n' }, { phase: 'Failed' }), 0)
  t.end()
})

t.test('selectable fields', (t) => {
  const table: [apiVersion: string, kind: string, body: object, values: Record<string, string>][] = [
    [
      'v1',
      'Pod',
      {
        spec: { nodeName: 'n', hostNetwork: true, containers: [] },
        status: { phase: 'Running', podIPs: [{ ip: '10.0.0.1' }] },
      },
      {
        'spec.nodeName': 'n',
        'spec.host': 'n',
        'spec.restartPolicy': 'Always',
        'spec.schedulerName': 'default-scheduler',
        'spec.serviceAccountName': '',
        'spec.hostNetwork': 'true',
        'status.phase': 'Running',
        'status.podIP': '10.0.0.1',
        'status.podIPs': '',
        'status.nominatedNodeName': '',
      },
    ],
    ['v1', 'Node', {}, { 'spec.unschedulable': 'false' }],
    ['v1', 'Node', { spec: { unschedulable: true } }, { 'spec.unschedulable': 'true' }],
    ['v1', 'Namespace', { status: { phase: 'Terminating' } }, { 'status.phase': 'Terminating' }],
    ['v1', 'Secret', {}, { type: 'Opaque' }],
    ['v1', 'ReplicationController', {}, { 'status.replicas': '0' }],
    ['batch/v1', 'Job', { status: { succeeded: 2 } }, { 'status.successful': '2' }],
    [
      'certificates.k8s.io/v1',
      'CertificateSigningRequest',
      { spec: { signerName: 's/x' } },
      { 'spec.signerName': 's/x' },
    ],
    [
      'resource.k8s.io/v1alpha2',
      'ResourceSlice',
      { nodeName: 'n', driverName: 'd' },
      { nodeName: 'n', driverName: 'd' },
    ],
  ]
  for (const [apiVersion, kind, body, values] of table) {
    const type = typeOf(registry, apiVersion, kind)
    t.strictSame(type.strategy.selectableFields?.(object(apiVersion, kind, body)), values, kind)
    for (const field of Object.keys(values)) t.ok(type.selectableFields.has(field), `${kind} ${field}`)
    t.equal(type.selectableFields.has('metadata.namespace'), type.namespaced, `${kind} metadata.namespace`)
    t.equal(type.fieldLabelMessage, 'field label not supported: {field}')
  }
  const configMap = typeOf(registry, 'v1', 'ConfigMap')
  t.strictSame([...configMap.selectableFields], ['metadata.name', 'metadata.namespace'])
  t.match(
    configMap.fieldLabelMessage,
    '"{field}" is not a known field selector: only "metadata.name", "metadata.namespace"',
  )
  t.end()
})

t.test('events are selected under the names of either group, and expire', (t) => {
  const event = object('v1', 'Event', {
    involvedObject: { kind: 'Pod', name: 'p' },
    source: { component: 'kubelet' },
    reason: 'Pulled',
  })
  const { strategy } = typeOf(registry, 'v1', 'Event')
  const values = strategy.selectableFields?.(event) ?? {}
  t.match(values, {
    'involvedObject.name': 'p',
    'regarding.name': 'p',
    source: 'kubelet',
    reason: 'Pulled',
    reportingComponent: '',
  })
  for (const apiVersion of ['v1', 'events.k8s.io/v1']) {
    for (const field of typeOf(registry, apiVersion, 'Event').selectableFields) {
      t.ok(field.startsWith('metadata.') || field in values, `${apiVersion} ${field}`)
    }
  }
  t.equal(strategy.ttlMs?.(event), 3_600_000)
  t.end()
})

t.test('one scale for all workloads', (t) => {
  const metadata = { name: 'w', namespace: 'n', uid: 'u', resourceVersion: '5', labels: { x: 'y' } }
  const table: [apiVersion: string, kind: string, spec: object, status: object, scale: object][] = [
    [
      'apps/v1',
      'Deployment',
      { replicas: 3, selector },
      { replicas: 2 },
      { spec: { replicas: 3 }, status: { replicas: 2, selector: 'a=b' } },
    ],
    [
      'apps/v1',
      'ReplicaSet',
      { replicas: 0, selector },
      {},
      { spec: {}, status: { replicas: 0, selector: 'a=b' } },
    ],
    [
      'apps/v1',
      'StatefulSet',
      {
        selector: {
          matchLabels: { z: '1' },
          matchExpressions: [
            { key: 'tier', operator: 'In', values: ['b', 'a'] },
            { key: 'env', operator: 'NotIn', values: ['dev'] },
            { key: 'old', operator: 'DoesNotExist' },
            { key: 'new', operator: 'Exists' },
          ],
        },
      },
      {},
      {
        spec: { replicas: 1 },
        status: { replicas: 0, selector: 'env notin (dev),new,!old,tier in (a,b),z=1' },
      },
    ],
    [
      'v1',
      'ReplicationController',
      { replicas: 2, selector: { b: '2', a: '1' } },
      { replicas: 2 },
      { spec: { replicas: 2 }, status: { replicas: 2, selector: 'a=1,b=2' } },
    ],
  ]
  for (const [apiVersion, kind, spec, status, scale] of table) {
    const { scale: adapter } = typeOf(registry, apiVersion, kind)
    const parent = object(apiVersion, kind, { metadata, spec, status })
    t.strictSame(
      adapter?.read(parent),
      {
        kind: 'Scale',
        apiVersion: 'autoscaling/v1',
        metadata: { name: 'w', namespace: 'n', uid: 'u', resourceVersion: '5' },
        ...scale,
      },
      kind,
    )
    adapter?.write(parent, 7)
    t.match(parent, { spec: { replicas: 7 } })
  }
  t.equal(typeOf(registry, 'apps/v1', 'DaemonSet').scale, undefined)
  t.end()
})
