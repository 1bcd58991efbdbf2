/**
 * What the types cost: building the registry, taking an object from parsed body to stored text, and validating it.
 *
 *     node dist/bench/schema.js
 */

import { createNames } from '../src/names/names.ts'
import { createObjectCodec } from '../src/types/codec.ts'
import { createTypeRegistry } from '../src/types/registry.ts'
import type { ResourceType, TypeRegistry } from '../src/types/resource.ts'

const options = { names: createNames('cluster'), runtimeConfig: new Map(), featureGates: new Map() }

function registry(): TypeRegistry {
  const created = createTypeRegistry(options)
  if (!created.ok) throw new Error(created.failure.message)
  return created.value
}

const startedMs = performance.now()
const types = registry()
console.log(`registry, first:       ${(performance.now() - startedMs).toFixed(1)} ms`)
const againMs = performance.now()
registry()
console.log(`registry, again:       ${(performance.now() - againMs).toFixed(1)} ms`)

const codec = createObjectCodec(options)

function store(type: ResourceType, text: string): string {
  const decoded = codec.decode(type.message, JSON.parse(text))
  if (!decoded.ok) throw new Error(decoded.failure.message)
  const { object } = decoded.value
  codec.applyDefaults(type.message, object)
  return JSON.stringify(codec.normalize(type.storageMessage, object))
}

/** Median of batches, in µs for each call, without what parsing the text costs. */
function measure(name: string, kind: string, text: string): void {
  const type = types.kind('', 'v1', kind)
  if (type === undefined) throw new Error(`no ${kind}`)
  const firstMs = performance.now()
  const stored = store(type, text)
  const first = performance.now() - firstMs
  const all = median(() => store(type, text))
  const parse = median(() => JSON.parse(text))
  const print = median(() => JSON.stringify(JSON.parse(stored))) - median(() => JSON.parse(stored))
  console.log(
    `${name}: ${(all - parse).toFixed(1)} µs (of it stringify ${print.toFixed(1)}; parse ${parse.toFixed(1)} beside), ` +
      `first ${first.toFixed(1)} ms, ${text.length} → ${stored.length} bytes`,
  )
}

/** Median of batches, in µs for each validation by the rules of the type. */
function measureValidation(name: string, kind: string, text: string): void {
  const type = types.kind('', 'v1', kind)
  if (type === undefined) throw new Error(`no ${kind}`)
  const decoded = codec.decode(type.message, JSON.parse(text))
  if (!decoded.ok) throw new Error(decoded.failure.message)
  const { object } = decoded.value
  codec.applyDefaults(type.message, object)
  const firstMs = performance.now()
  const causes = type.strategy.validate?.(object) ?? []
  const first = performance.now() - firstMs
  if (causes.length > 0) throw new Error(`${name} is not valid: ${JSON.stringify(causes)}`)
  const time = median(() => type.strategy.validate?.(object))
  console.log(`${name}: validated in ${time.toFixed(1)} µs, first ${first.toFixed(1)} ms`)
}

const batches = 41
const batchSize = 500

function median(run: () => unknown): number {
  for (let i = 0; i < 5000; i++) run()
  const times: number[] = []
  for (let batch = 0; batch < batches; batch++) {
    const from = performance.now()
    for (let i = 0; i < batchSize; i++) run()
    times.push(((performance.now() - from) * 1000) / batchSize)
  }
  return times.sort((a, b) => a - b)[batches >> 1] ?? 0
}

const configMap = {
  apiVersion: 'v1',
  kind: 'ConfigMap',
  metadata: { name: 'settings', namespace: 'default', labels: { app: 'web', tier: 'front' } },
  data: Object.fromEntries(Array.from({ length: 8 }, (_, i) => [`key-${i}`, 'x'.repeat(96)])),
}

const container = (name: string) => ({
  name,
  image: `registry.example.com/team/${name}:1.2.3`,
  args: ['--listen=0.0.0.0:8080', '--log-level=info', '--config=/etc/app/config.yaml'],
  ports: [
    { name: 'http', containerPort: 8080 },
    { name: 'metrics', containerPort: 9090, protocol: 'TCP' },
  ],
  env: [
    { name: 'POD_NAME', valueFrom: { fieldRef: { fieldPath: 'metadata.name' } } },
    { name: 'PASSWORD', valueFrom: { secretKeyRef: { name: 'db', key: 'password' } } },
    { name: 'MODE', value: 'production' },
  ],
  resources: { limits: { cpu: '1', memory: '512Mi' }, requests: { cpu: '250m', memory: '256Mi' } },
  livenessProbe: { httpGet: { path: '/healthz', port: 'http' }, initialDelaySeconds: 5 },
  readinessProbe: { httpGet: { path: '/ready', port: 8080 } },
  volumeMounts: [
    { name: 'config', mountPath: '/etc/app' },
    { name: 'data', mountPath: '/var/lib/app' },
  ],
  securityContext: { runAsNonRoot: true, allowPrivilegeEscalation: false, capabilities: { drop: ['ALL'] } },
})

const pod = {
  apiVersion: 'v1',
  kind: 'Pod',
  metadata: {
    generateName: 'web-7d9c5b-',
    namespace: 'default',
    labels: { app: 'web', 'pod-template-hash': '7d9c5b', tier: 'front' },
    annotations: { 'example.com/config-hash': 'a'.repeat(64) },
    ownerReferences: [
      {
        apiVersion: 'apps/v1',
        kind: 'ReplicaSet',
        name: 'web-7d9c5b',
        uid: '0b1c6a5e-0000-4000-8000-000000000000',
        controller: true,
        blockOwnerDeletion: true,
      },
    ],
  },
  spec: {
    containers: [container('web'), container('sidecar')],
    volumes: [
      { name: 'config', configMap: { name: 'settings' } },
      { name: 'data', emptyDir: {} },
    ],
    serviceAccountName: 'web',
    nodeSelector: { 'example.com/pool': 'general' },
    tolerations: [{ key: 'dedicated', operator: 'Equal', value: 'web', effect: 'NoSchedule' }],
    affinity: {
      podAntiAffinity: {
        preferredDuringSchedulingIgnoredDuringExecution: [
          {
            weight: 100,
            podAffinityTerm: { topologyKey: 'zone', labelSelector: { matchLabels: { app: 'web' } } },
          },
        ],
      },
    },
  },
}

measure('ConfigMap', 'ConfigMap', JSON.stringify(configMap))
measure('Pod', 'Pod', JSON.stringify(pod))
measureValidation('ConfigMap', 'ConfigMap', JSON.stringify(configMap))
measureValidation('Pod', 'Pod', JSON.stringify(pod))
