/** Versions of one resource: what is stored says all that either version can say. */

import t from 'tap'
import type { JsonValue } from '../../../src/json.ts'
import type { ApiObject } from '../../../src/types/object.ts'
import { createRandom } from '../../support/random.ts'
import { filled } from './filled.ts'
import { codec, decoded, everything, typeOf, types } from './types.ts'

const registry = types(everything)
const objects = codec()
const autoscaling = 'autoscaling.alpha.kubernetes.io'

/** Served → stored → served, both normalised. */
function roundTrip(
  apiVersion: string,
  kind: string,
  body: unknown,
): { stored: ApiObject; served: ApiObject } {
  const type = typeOf(registry, apiVersion, kind)
  const stored = objects.normalize(type.storageMessage, type.toStorage(decoded(objects, type, body)))
  const text = JSON.stringify(stored)
  const served = type.fromStorage(stored)
  t.equal(JSON.stringify(stored), text, 'what is stored is not touched')
  return { stored, served }
}

t.test('all fields of a version survive being stored', (t) => {
  const table: [apiVersion: string, kind: string][] = [
    ['events.k8s.io/v1', 'Event'],
    ['flowcontrol.apiserver.k8s.io/v1beta3', 'FlowSchema'],
    ['flowcontrol.apiserver.k8s.io/v1beta3', 'PriorityLevelConfiguration'],
    ['admissionregistration.k8s.io/v1alpha1', 'ValidatingAdmissionPolicy'],
    ['admissionregistration.k8s.io/v1beta1', 'ValidatingAdmissionPolicy'],
    ['admissionregistration.k8s.io/v1alpha1', 'ValidatingAdmissionPolicyBinding'],
    ['admissionregistration.k8s.io/v1beta1', 'ValidatingAdmissionPolicyBinding'],
  ]
  for (const [apiVersion, kind] of table) {
    const type = typeOf(registry, apiVersion, kind)
    const object = { ...filled(type.message, createRandom(7)), apiVersion }
    const { stored, served } = roundTrip(apiVersion, kind, object)
    t.strictSame(JSON.stringify(served), JSON.stringify(object), `${apiVersion} ${kind}`)
    t.equal(
      stored.apiVersion,
      type.storage?.version.group === '' ? 'v1' : `${type.storage?.version.group}/v1`,
    )
    const known = objects.decode(type.storageMessage, stored as unknown as JsonValue)
    t.match(
      known,
      { ok: true, value: { report: { unknownFields: [] } } },
      'the stored form has all its fields',
    )
  }
  t.end()
})

t.test('every resource that is served in several versions has a conversion', (t) => {
  for (const type of registry.resources.filter(
    ({ isStorageVersion, storage }) => !isStorageVersion && storage,
  )) {
    const stored = type.toStorage(decoded(objects, type, { apiVersion: type.apiVersion, kind: type.kind }))
    t.equal(
      stored.apiVersion,
      type.storageMessage.id.startsWith('core/')
        ? 'v1'
        : `${type.storage?.version.group}/${type.storage?.version.version}`,
    )
    t.equal(type.fromStorage(stored).apiVersion, type.apiVersion)
  }
  t.end()
})

t.test('an event of one group is the event of the other', (t) => {
  const { stored } = roundTrip('events.k8s.io/v1', 'Event', {
    note: 'pulled',
    regarding: { kind: 'Pod', name: 'p' },
    reportingController: 'kubelet',
    deprecatedCount: 2,
    deprecatedSource: { component: 'kubelet' },
    deprecatedFirstTimestamp: '2024-01-01T00:00:00Z',
  })
  t.match(stored, {
    message: 'pulled',
    involvedObject: { kind: 'Pod', name: 'p' },
    reportingComponent: 'kubelet',
    count: 2,
    source: { component: 'kubelet' },
    firstTimestamp: '2024-01-01T00:00:00Z',
  })
  t.end()
})

t.test('zero shares of a priority level stay zero in v1beta3', (t) => {
  const meant = 'flowcontrol.k8s.io/v1beta3-preserve-zero-concurrency-shares'
  const v1 = typeOf(registry, 'flowcontrol.apiserver.k8s.io/v1', 'PriorityLevelConfiguration')
  const beta = typeOf(registry, 'flowcontrol.apiserver.k8s.io/v1beta3', 'PriorityLevelConfiguration')
  const shares = (object: ApiObject) =>
    (object['spec'] as { limited: { nominalConcurrencyShares?: number } }).limited.nominalConcurrencyShares
  const stored = decoded(objects, v1, { spec: { type: 'Limited', limited: { nominalConcurrencyShares: 0 } } })
  const shown = beta.fromStorage(stored)
  t.equal(shown.metadata.annotations?.[meant], '')
  objects.applyDefaults(beta.message, shown)
  const back = beta.toStorage(shown)
  t.equal(shares(back), 0, 'the annotation keeps the default away')
  t.equal(back.metadata.annotations?.[meant], undefined)
  const silent = decoded(objects, beta, { spec: { type: 'Limited', limited: {} } })
  objects.applyDefaults(beta.message, silent)
  t.equal(shares(beta.toStorage(silent)), 30)
  t.end()
})

const metrics = [
  { type: 'Resource', resource: { name: 'memory', target: { type: 'AverageValue', averageValue: '1Gi' } } },
  {
    type: 'ContainerResource',
    containerResource: {
      name: 'cpu',
      target: { type: 'Utilization', averageUtilization: 50 },
      container: 'c',
    },
  },
  {
    type: 'Pods',
    pods: {
      metric: { name: 'requests', selector: { matchLabels: { a: 'b' } } },
      target: { type: 'AverageValue', averageValue: '10' },
    },
  },
  {
    type: 'Object',
    object: {
      describedObject: { kind: 'Ingress', name: 'i', apiVersion: 'networking.k8s.io/v1' },
      target: { type: 'Value', value: '2k' },
      metric: { name: 'hits' },
    },
  },
  {
    type: 'Object',
    object: {
      describedObject: { kind: 'Ingress', name: 'i' },
      target: { type: 'AverageValue', averageValue: '5' },
      metric: { name: 'hits' },
    },
  },
  {
    type: 'External',
    external: {
      metric: { name: 'queue', selector: { matchLabels: { q: 'x' } } },
      target: { type: 'Value', value: '30' },
    },
  },
  {
    type: 'External',
    external: { metric: { name: 'queue' }, target: { type: 'AverageValue', averageValue: '30' } },
  },
  { type: 'Resource', resource: { name: 'cpu', target: { type: 'Utilization', averageUtilization: 70 } } },
]

const autoscaler = {
  kind: 'HorizontalPodAutoscaler',
  apiVersion: 'autoscaling/v2',
  metadata: { name: 'a', annotations: { own: 'kept' } },
  spec: {
    scaleTargetRef: { kind: 'Deployment', name: 'd', apiVersion: 'apps/v1' },
    minReplicas: 2,
    maxReplicas: 5,
    metrics,
    behavior: {
      scaleUp: {
        stabilizationWindowSeconds: 0,
        selectPolicy: 'Min',
        policies: [{ type: 'Pods', value: 4, periodSeconds: 15 }],
      },
    },
  },
  status: {
    observedGeneration: 3,
    lastScaleTime: '2024-01-01T00:00:00Z',
    currentReplicas: 2,
    desiredReplicas: 3,
    currentMetrics: [
      {
        type: 'Resource',
        resource: { name: 'cpu', current: { averageValue: '10m', averageUtilization: 65 } },
      },
      {
        type: 'Object',
        object: {
          metric: { name: 'hits' },
          current: { value: '7' },
          describedObject: { kind: 'Ingress', name: 'i' },
        },
      },
      { type: 'External', external: { metric: { name: 'queue' }, current: { averageValue: '3' } } },
    ],
    conditions: [
      {
        type: 'AbleToScale',
        status: 'True',
        lastTransitionTime: '2024-01-01T00:00:00Z',
        reason: 'r',
        message: 'm',
      },
    ],
  },
}

t.test('a client of autoscaling/v1 reads and writes without losing what only v2 can say', (t) => {
  const v1 = typeOf(registry, 'autoscaling/v1', 'HorizontalPodAutoscaler')
  const v2 = typeOf(registry, 'autoscaling/v2', 'HorizontalPodAutoscaler')
  const stored = objects.normalize(v2.message, decoded(objects, v2, autoscaler))
  const shown = v1.fromStorage(stored)
  t.match(shown, {
    apiVersion: 'autoscaling/v1',
    spec: { minReplicas: 2, maxReplicas: 5, targetCPUUtilizationPercentage: 70 },
    status: {
      currentCPUUtilizationPercentage: 65,
      currentReplicas: 2,
      desiredReplicas: 3,
      observedGeneration: 3,
    },
  })
  const { annotations = {} } = shown.metadata
  t.strictSame(Object.keys(annotations), [
    `${autoscaling}/behavior`,
    `${autoscaling}/conditions`,
    `${autoscaling}/current-metrics`,
    `${autoscaling}/metrics`,
    'own',
  ])
  t.match(JSON.parse(annotations[`${autoscaling}/metrics`] ?? ''), [
    { type: 'Resource', resource: { name: 'memory', targetAverageValue: '1Gi' } },
    { type: 'ContainerResource', containerResource: { container: 'c', targetAverageUtilization: 50 } },
    { type: 'Pods', pods: { metricName: 'requests', targetAverageValue: '10' } },
    { type: 'Object', object: { target: { kind: 'Ingress' }, metricName: 'hits', targetValue: '2k' } },
    { type: 'Object', object: { averageValue: '5', targetValue: '0' } },
    { type: 'External', external: { metricName: 'queue', targetValue: '30' } },
    { type: 'External', external: { targetAverageValue: '30' } },
  ])
  t.match(JSON.parse(annotations[`${autoscaling}/behavior`] ?? ''), {
    ScaleUp: { StabilizationWindowSeconds: 0, SelectPolicy: 'Min', Policies: [{ Type: 'Pods', Value: 4 }] },
  })
  const back = v1.toStorage(decoded(objects, v1, shown))
  t.equal(JSON.stringify(objects.normalize(v2.message, back)), JSON.stringify(stored))
  t.end()
})

t.test('what v1 alone says becomes metrics', (t) => {
  const { stored, served } = roundTrip('autoscaling/v1', 'HorizontalPodAutoscaler', {
    metadata: { annotations: { [`${autoscaling}/metrics`]: 'not json' } },
    spec: { maxReplicas: 1, targetCPUUtilizationPercentage: 60 },
    status: { currentCPUUtilizationPercentage: 40 },
  })
  t.match(stored, {
    apiVersion: 'autoscaling/v2',
    spec: { metrics: [{ type: 'Resource', resource: { name: 'cpu', target: { averageUtilization: 60 } } }] },
    status: { currentMetrics: [{ resource: { current: { averageUtilization: 40 } } }] },
  })
  t.match(served, {
    spec: { targetCPUUtilizationPercentage: 60 },
    status: { currentCPUUtilizationPercentage: 40 },
  })
  t.end()
})
