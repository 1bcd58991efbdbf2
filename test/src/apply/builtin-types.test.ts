/** Ownership on the types that people write every day, to the field as clients of release 1.30 know it. */

import t from 'tap'
import { measureApply } from '../../../bench/apply.ts'
import { createFieldManager, type FieldManager } from '../../../src/apply/field-manager.ts'
import type { JsonObject } from '../../../src/json.ts'
import { createNames } from '../../../src/names/names.ts'
import { applyStrategicMergePatch } from '../../../src/patch/strategic.ts'
import type { MessageType } from '../../../src/schema/descriptor.ts'
import { loadPackage } from '../../../src/schema/load.ts'
import { normalizeMessage } from '../../../src/schema/normalize.ts'
import { createSchemas } from '../../../src/schema/schemas.ts'
import type { ApiObject } from '../../../src/types/object.ts'
import { ownersOf } from './harness.ts'

const schemas = createSchemas({ load: loadPackage, expand: createNames('cluster').expand })
const now = '2030-01-01T00:00:00Z'

interface Door {
  readonly message: MessageType
  readonly manager: FieldManager
}

function door(id: string, apiVersion: string, kind: string): Door {
  const message = schemas.message(id)
  return { message, manager: createFieldManager({ message, apiVersion, kind, ignoredFields: [['status']] }) }
}

const deployments = door('apps/v1.Deployment', 'apps/v1', 'Deployment')
const services = door('core/v1.Service', 'v1', 'Service')
const pods = door('core/v1.Pod', 'v1', 'Pod')
const configMaps = door('core/v1.ConfigMap', 'v1', 'ConfigMap')

function complete(message: MessageType, object: JsonObject): ApiObject {
  return normalizeMessage(message, object) as unknown as ApiObject
}

function create({ message, manager }: Door, object: JsonObject): ApiObject {
  const updated = complete(message, object)
  return manager.updateManagedFields({ live: undefined, updated, manager: 'creator', now }).object
}

function apply(
  { message, manager }: Door,
  live: ApiObject,
  applied: JsonObject,
  name: string,
  force = false,
): ApiObject {
  const result = manager.apply({ live, applied, manager: name, force, now })
  if (!result.ok) throw new Error(result.failure.message)
  return complete(message, result.value.object as unknown as JsonObject)
}

const deployment = {
  apiVersion: 'apps/v1',
  kind: 'Deployment',
  metadata: { name: 'web', namespace: 'default', labels: { app: 'web' } },
  spec: {
    replicas: 1,
    progressDeadlineSeconds: 600,
    revisionHistoryLimit: 10,
    selector: { matchLabels: { app: 'web' } },
    strategy: { type: 'RollingUpdate', rollingUpdate: { maxSurge: '25%', maxUnavailable: '25%' } },
    template: {
      metadata: { labels: { app: 'web' } },
      spec: {
        containers: [
          {
            name: 'web',
            image: 'web:1',
            imagePullPolicy: 'IfNotPresent',
            terminationMessagePath: '/dev/termination-log',
            terminationMessagePolicy: 'File',
          },
        ],
        dnsPolicy: 'ClusterFirst',
        restartPolicy: 'Always',
        schedulerName: 'default-scheduler',
        securityContext: {},
        terminationGracePeriodSeconds: 30,
      },
    },
  },
}

t.test('what the creator of a deployment owns', (t) => {
  const created = create(deployments, { ...deployment, status: { replicas: 7 } })
  t.equal(
    JSON.stringify(created.metadata.managedFields?.[0]?.['fieldsV1']),
    '{"f:metadata":{"f:labels":{".":{},"f:app":{}}},"f:spec":{"f:progressDeadlineSeconds":{},"f:replicas":{},' +
      '"f:revisionHistoryLimit":{},"f:selector":{},"f:strategy":{"f:rollingUpdate":{".":{},"f:maxSurge":{},' +
      '"f:maxUnavailable":{}},"f:type":{}},"f:template":{"f:metadata":{"f:labels":{".":{},"f:app":{}}},"f:spec":' +
      '{"f:containers":{"k:{\\"name\\":\\"web\\"}":{".":{},"f:image":{},"f:imagePullPolicy":{},"f:name":{},' +
      '"f:resources":{},"f:terminationMessagePath":{},"f:terminationMessagePolicy":{}}},"f:dnsPolicy":{},' +
      '"f:restartPolicy":{},"f:schedulerName":{},"f:securityContext":{},"f:terminationGracePeriodSeconds":{}}}}}',
  )
  t.end()
})

t.test('what the creator of a service owns', (t) => {
  const created = create(services, {
    apiVersion: 'v1',
    kind: 'Service',
    metadata: { name: 's' },
    spec: {
      type: 'ClusterIP',
      sessionAffinity: 'None',
      internalTrafficPolicy: 'Cluster',
      selector: { app: 'web' },
      ports: [{ port: 80, protocol: 'TCP', targetPort: 8080 }],
    },
  })
  t.equal(
    JSON.stringify(created.metadata.managedFields?.[0]?.['fieldsV1']),
    '{"f:spec":{"f:internalTrafficPolicy":{},"f:ports":{".":{},"k:{\\"port\\":80,\\"protocol\\":\\"TCP\\"}":{".":{},' +
      '"f:port":{},"f:protocol":{},"f:targetPort":{}}},"f:selector":{},"f:sessionAffinity":{},"f:type":{}}}',
  )
  const applied = { apiVersion: 'v1', kind: 'Service', metadata: { name: 's' } }
  const live = apply(services, created, { ...applied, spec: { ports: [{ port: 80, name: 'web' }] } }, 'a')
  t.same(
    (live['spec'] as unknown as { ports: unknown }).ports,
    [{ name: 'web', protocol: 'TCP', port: 80, targetPort: 8080 }],
    'the key is completed by its default',
  )
  t.end()
})

t.test('what the creator of a config map owns', (t) => {
  const created = create(configMaps, {
    apiVersion: 'v1',
    kind: 'ConfigMap',
    metadata: {
      name: 'c',
      generateName: 'c-',
      ownerReferences: [{ apiVersion: 'v1', kind: 'Pod', name: 'p', uid: 'u' }],
    },
    data: { b: '1', a: '2' },
  })
  t.same(ownersOf(created), {
    'creator Update': [
      '.data',
      '.data.a',
      '.data.b',
      '.metadata.generateName',
      '.metadata.ownerReferences',
      '.metadata.ownerReferences[uid="u"]',
    ],
  })
  t.end()
})

t.test('an autoscaler takes the replicas over, and the applier lets go', (t) => {
  const manifest = (replicas: number | undefined): JsonObject => {
    const { replicas: _, ...spec } = deployment.spec
    return { ...deployment, spec: replicas === undefined ? spec : { ...spec, replicas } }
  }
  const first = deployments.manager.apply({
    live: undefined,
    applied: manifest(3),
    manager: 'ci',
    force: false,
    now,
  })
  if (!first.ok) throw new Error(first.failure.message)
  const live = complete(deployments.message, first.value.object as unknown as JsonObject)
  const scaled = structuredClone(live)
  scaled['spec'] = { ...(scaled['spec'] as unknown as JsonObject), replicas: 9 } as never
  const scale = createFieldManager({
    message: deployments.message,
    apiVersion: 'apps/v1',
    kind: 'Deployment',
    subresource: 'scale',
  })
  scale.updateManagedFields({ live, updated: scaled, manager: 'autoscaler', now })
  const refused = deployments.manager.apply({
    live: scaled,
    applied: manifest(3),
    manager: 'ci',
    force: false,
    now,
  })
  t.equal(
    refused.ok ? '' : refused.failure.message,
    'Apply failed with 1 conflict: conflict with "autoscaler" with subresource "scale" using apps/v1: .spec.replicas',
  )
  const after = apply(deployments, scaled, manifest(undefined), 'ci')
  t.equal((after['spec'] as unknown as { replicas: number }).replicas, 9)
  t.same(ownersOf(after)['autoscaler Update scale'], ['.spec.replicas'])
  t.end()
})

t.test('strategic merge on a pod, and who owns the outcome', (t) => {
  const created = create(pods, {
    apiVersion: 'v1',
    kind: 'Pod',
    metadata: { name: 'p', labels: { app: 'x' } },
    spec: {
      containers: [
        {
          name: 'main',
          image: 'main:1',
          ports: [{ containerPort: 80, protocol: 'TCP' }],
          env: [{ name: 'A', value: '1' }],
        },
        { name: 'side', image: 'side:1' },
      ],
      tolerations: [{ key: 'k', operator: 'Exists' }],
    },
  })
  const patched = applyStrategicMergePatch({
    message: pods.message,
    original: created as unknown as JsonObject,
    patch: {
      metadata: { labels: { app: null, tier: 'one' } },
      spec: {
        '$setElementOrder/containers': [{ name: 'side' }, { name: 'main' }],
        containers: [
          { name: 'side', image: 'side:2' },
          {
            name: 'main',
            env: [
              { name: 'A', $patch: 'delete' },
              { name: 'B', value: '2' },
            ],
          },
        ],
        tolerations: [{ key: 'l', operator: 'Exists' }],
      },
    },
  })
  if (!patched.ok) throw new Error(patched.failure.message)
  const updated = complete(pods.message, patched.value)
  const spec = updated['spec'] as unknown as {
    containers: { name: string; image: string; env?: unknown }[]
    tolerations: unknown
  }
  t.same(
    spec.containers.map(({ name, image, env }) => ({ name, image, env })),
    [
      { name: 'side', image: 'side:2', env: undefined },
      { name: 'main', image: 'main:1', env: [{ name: 'B', value: '2' }] },
    ],
  )
  t.same(spec.tolerations, [{ key: 'l', operator: 'Exists' }])
  pods.manager.updateManagedFields({ live: created, updated, manager: 'patcher', now })
  t.same(ownersOf(updated)['patcher Update'], [
    '.metadata.labels.tier',
    '.spec.containers[name="main"].env[name="B"]',
    '.spec.containers[name="main"].env[name="B"].name',
    '.spec.containers[name="main"].env[name="B"].value',
    '.spec.containers[name="side"].image',
    '.spec.tolerations',
  ])
  t.end()
})

t.test('the bench runs', (t) => {
  const costs = measureApply(40)
  t.ok(costs.length > 0 && costs.every(({ microseconds }) => microseconds > 0))
  t.end()
})
