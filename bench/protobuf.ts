/**
 * What protobuf costs, in microseconds of one core: from stored JSON bytes to the document and back to the JSON value,
 * with what JSON itself costs beside it.
 *
 *     node dist/bench/protobuf.js
 */

import { protobufBody } from '../src/codec/protobuf/body.ts'
import { encodeDocument } from '../src/codec/protobuf/documents.ts'
import { objectWriter } from '../src/codec/protobuf/encode.ts'
import type { JsonObject } from '../src/json.ts'
import { createNames } from '../src/names/names.ts'
import { loadPackage } from '../src/schema/load.ts'
import { normalizeMessage } from '../src/schema/normalize.ts'
import { createSchemas } from '../src/schema/schemas.ts'

const names = createNames('cluster')
const schemas = createSchemas({ load: loadPackage, expand: names.expand })

function measure(kind: string, object: JsonObject): void {
  const message = schemas.message(`core/v1.${kind}`)
  const typeMeta = { apiVersion: 'v1', kind }
  const firstMs = performance.now()
  const write = objectWriter(message)
  const stored = Buffer.from(JSON.stringify(normalizeMessage(message, object)))
  const parse = (): JsonObject => JSON.parse(stored.toString('utf8'))
  const document = encodeDocument(typeMeta, write, parse())
  const body = protobufBody(names.protobufMediaType, { kind, message })
  if (!body.parse(document).ok) throw new Error('what is written cannot be read')
  const first = performance.now() - firstMs
  const parsed = parse()
  console.log(
    `${kind}, ${stored.length} bytes of JSON, ${document.length} of protobuf: ` +
      `encode ${microseconds(() => encodeDocument(typeMeta, write, parsed))} µs ` +
      `(JSON.parse before it ${microseconds(parse)}), ` +
      `decode ${microseconds(() => body.parse(document))} µs, ` +
      `JSON.stringify ${microseconds(() => Buffer.from(JSON.stringify(parsed)))}; first use ${first.toFixed(1)} ms`,
  )
}

const batches = 41
const batchSize = 500
const warmUp = 5000

/** Median of batches, for one call. */
function microseconds(run: () => unknown): string {
  for (let i = 0; i < warmUp; i++) run()
  const times: number[] = []
  for (let batch = 0; batch < batches; batch++) {
    const from = performance.now()
    for (let i = 0; i < batchSize; i++) run()
    times.push(((performance.now() - from) * 1000) / batchSize)
  }
  return (times.sort((a, b) => a - b)[batches >> 1] ?? 0).toFixed(1)
}

const metadata = {
  namespace: 'default',
  uid: '0b1c6a5e-0000-4000-8000-000000000000',
  resourceVersion: '12345',
  creationTimestamp: '2030-01-01T00:00:00Z',
  labels: { app: 'web', tier: 'front' },
}

measure('ConfigMap', {
  apiVersion: 'v1',
  kind: 'ConfigMap',
  metadata: { name: 'settings', ...metadata },
  data: Object.fromEntries(Array.from({ length: 8 }, (_, i) => [`key-${i}`, 'x'.repeat(88)])),
})

const container = (name: string): JsonObject => ({
  name,
  image: `registry.example.com/team/${name}:1.2.3`,
  imagePullPolicy: 'IfNotPresent',
  args: ['--listen=0.0.0.0:8080', '--log-level=info', '--config=/etc/app/config.yaml'],
  ports: [
    { name: 'http', containerPort: 8080, protocol: 'TCP' },
    { name: 'metrics', containerPort: 9090, protocol: 'TCP' },
  ],
  env: [
    { name: 'POD_NAME', valueFrom: { fieldRef: { apiVersion: 'v1', fieldPath: 'metadata.name' } } },
    { name: 'PASSWORD', valueFrom: { secretKeyRef: { name: 'db', key: 'password' } } },
    { name: 'MODE', value: 'production' },
  ],
  resources: { limits: { cpu: '1', memory: '512Mi' }, requests: { cpu: '250m', memory: '256Mi' } },
  livenessProbe: {
    httpGet: { path: '/healthz', port: 'http', scheme: 'HTTP' },
    initialDelaySeconds: 5,
    timeoutSeconds: 1,
    periodSeconds: 10,
    successThreshold: 1,
    failureThreshold: 3,
  },
  volumeMounts: [
    { name: 'config', mountPath: '/etc/app' },
    { name: 'data', mountPath: '/var/lib/app' },
  ],
  terminationMessagePath: '/dev/termination-log',
  terminationMessagePolicy: 'File',
  securityContext: { runAsNonRoot: true, allowPrivilegeEscalation: false, capabilities: { drop: ['ALL'] } },
})

measure('Pod', {
  apiVersion: 'v1',
  kind: 'Pod',
  metadata: { name: 'web-7d9c5b-abcde', generateName: 'web-7d9c5b-', ...metadata },
  spec: {
    containers: [container('web'), container('sidecar')],
    volumes: [
      { name: 'config', configMap: { name: 'settings', defaultMode: 420 } },
      { name: 'data', emptyDir: {} },
    ],
    restartPolicy: 'Always',
    terminationGracePeriodSeconds: 30,
    dnsPolicy: 'ClusterFirst',
    serviceAccountName: 'web',
    nodeSelector: { 'example.com/pool': 'general' },
    tolerations: [{ key: 'dedicated', operator: 'Equal', value: 'web', effect: 'NoSchedule' }],
    securityContext: {},
    schedulerName: 'default-scheduler',
    priority: 0,
    enableServiceLinks: true,
  },
  status: { phase: 'Pending', qosClass: 'Burstable' },
})
