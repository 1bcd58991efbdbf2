import t from 'tap'
import type { JsonValue } from '../../../src/json.ts'
import { decodeMessage, depthMax } from '../../../src/schema/decode.ts'
import { types } from '../types/types.ts'

function decode(kind: string, json: unknown) {
  return decodeMessage(types().message(kind), json as JsonValue)
}

/** The message of a failure; '' when there was none. */
function failure(kind: string, json: unknown): string {
  const decoded = decode(kind, json)
  return decoded.ok ? '' : decoded.failure.message
}

t.test('a wrong type is named with its path, what was expected and what was found', (t) => {
  const table: [message: string, body: unknown, failure: string][] = [
    ['core/v1.Pod', { metadata: { name: 1 } }, 'metadata.name: expected a string, found number 1'],
    [
      'core/v1.Pod',
      { spec: { hostNetwork: 'yes' } },
      'spec.hostNetwork: expected a boolean, found string "yes"',
    ],
    [
      'apps/v1.Deployment',
      { spec: { replicas: 'three' } },
      'spec.replicas: expected an integer (int32), found string "three"',
    ],
    [
      'apps/v1.Deployment',
      { spec: { replicas: 1.5 } },
      'spec.replicas: expected an integer (int32), found number 1.5',
    ],
    [
      'apps/v1.Deployment',
      { spec: { replicas: 2 ** 31 } },
      'spec.replicas: expected an integer (int32), found number 2147483648',
    ],
    [
      'core/v1.Pod',
      { spec: { activeDeadlineSeconds: 2 ** 63 } },
      'spec.activeDeadlineSeconds: expected an integer (int64, within 2^53), found number 9223372036854776000',
    ],
    ['apiextensions/v1.JSONSchemaProps', { maximum: '1' }, 'maximum: expected a number, found string "1"'],
    [
      'core/v1.Secret',
      { data: { key: 'not base64!' } },
      'data[key]: expected a base64 string, found string "not base64!"',
    ],
    [
      'core/v1.Secret',
      { data: { 'a.b/c': 'YQ' } },
      'data[a.b/c]: expected a base64 string, found string "YQ"',
    ],
    [
      'core/v1.Pod',
      { spec: { overhead: { cpu: 'lots' } } },
      'spec.overhead[cpu]: expected a quantity such as "100m" or "1Gi", found string "lots"',
    ],
    [
      'core/v1.Pod',
      { spec: { overhead: { cpu: true } } },
      'spec.overhead[cpu]: expected a quantity such as "100m" or "1Gi", found boolean true',
    ],
    [
      'core/v1.Service',
      { spec: { ports: [{ targetPort: 1.5 }] } },
      'spec.ports[0].targetPort: expected an integer (int32) or a string, found number 1.5',
    ],
    [
      'core/v1.Pod',
      { metadata: { creationTimestamp: 'now' } },
      'metadata.creationTimestamp: expected a time (RFC 3339), found string "now"',
    ],
    [
      'coordination/v1.Lease',
      { spec: { renewTime: 5 } },
      'spec.renewTime: expected a time (RFC 3339, with six digits of a second), found number 5',
    ],
    ['apps/v1.ControllerRevision', { data: [1] }, 'data: expected an object, found a list'],
    ['core/v1.Pod', { spec: [] }, 'spec: expected an object (PodSpec), found a list'],
    ['core/v1.Pod', { spec: 'x' }, 'spec: expected an object (PodSpec), found string "x"'],
    ['core/v1.Pod', { spec: { containers: {} } }, 'spec.containers: expected a list, found an object'],
    [
      'core/v1.Pod',
      { spec: { containers: [{}, 7] } },
      'spec.containers[1]: expected an object (Container), found number 7',
    ],
    ['core/v1.Pod', { metadata: { labels: ['a'] } }, 'metadata.labels: expected a map, found a list'],
    [
      'core/v1.Pod',
      { metadata: { labels: { a: 1 } } },
      'metadata.labels[a]: expected a string, found number 1',
    ],
    [
      'core/v1.Pod',
      { metadata: { finalizers: ['a', {}] } },
      'metadata.finalizers[1]: expected a string, found an object',
    ],
    ['core/v1.Pod', [], 'expected an object (Pod), found a list'],
    ['core/v1.Pod', null, 'expected an object (Pod), found null'],
    [
      'apiextensions/v1.JSONSchemaProps',
      { items: 1 },
      'items: expected a schema or a list of schemas, found number 1',
    ],
    [
      'apiextensions/v1.JSONSchemaProps',
      { additionalProperties: [] },
      'additionalProperties: expected a schema or a boolean, found a list',
    ],
    [
      'apiextensions/v1.JSONSchemaProps',
      { dependencies: { a: [1] } },
      'dependencies[a][0]: expected a string, found number 1',
    ],
    [
      'core/v1.ConfigMap',
      { data: { a: 1, b: 'x'.repeat(100) } },
      'data[a]: expected a string, found number 1',
    ],
  ]
  for (const [message, body, expected] of table)
    t.equal(failure(message, body), expected, JSON.stringify(body))
  t.match(failure('core/v1.Pod', { spec: { hostNetwork: 'x'.repeat(1000) } }), /x…$/, 'long values are cut')
  t.end()
})

t.test('unknown fields are dropped and reported with their paths, in order', (t) => {
  const decoded = decode('core/v1.Pod', {
    kind: 'Pod',
    apiVersion: 'v1',
    colour: 'red',
    metadata: { name: 'a', owner: 'b', labels: { anything: 'goes' } },
    spec: {
      containers: [{ name: 'a' }, { name: 'b', imagePullPolic: 'Always', ports: [{ port: 1 }] }],
      volumes: [{ name: 'v', emptyDir: { size: 1 } }],
    },
  })
  if (!decoded.ok) throw new Error(decoded.failure.message)
  t.strictSame(decoded.value.report.unknownFields, [
    'colour',
    'metadata.owner',
    'spec.containers[1].imagePullPolic',
    'spec.containers[1].ports[0].port',
    'spec.volumes[0].emptyDir.size',
  ])
  t.strictSame(decoded.value.value, {
    kind: 'Pod',
    apiVersion: 'v1',
    metadata: { name: 'a', labels: { anything: 'goes' } },
    spec: {
      containers: [{ name: 'a' }, { name: 'b', ports: [{}] }],
      volumes: [{ name: 'v', emptyDir: {} }],
    },
  })
  t.end()
})

t.test('apiVersion and kind are known where the original prints them, and nowhere else', (t) => {
  const unknown = (kind: string, json: unknown) => {
    const decoded = decode(kind, json)
    return decoded.ok ? decoded.value.report.unknownFields : decoded.failure.message
  }
  t.strictSame(
    unknown('apps/v1.StatefulSet', {
      spec: { volumeClaimTemplates: [{ kind: 'PersistentVolumeClaim', apiVersion: 'v1' }] },
    }),
    [],
  )
  t.strictSame(unknown('apps/v1.Deployment', { spec: { template: { kind: 'Pod' } } }), ['spec.template.kind'])
  t.end()
})

t.test('null is absent; in lists and maps it is the zero value', (t) => {
  const decoded = decode('core/v1.Pod', {
    metadata: { name: null, labels: { a: null }, finalizers: [null, 'x'] },
    spec: { containers: [null], nodeSelector: null },
    status: null,
  })
  t.match(decoded, {
    ok: true,
    value: {
      value: { metadata: { labels: { a: '' }, finalizers: ['', 'x'] }, spec: { containers: [{}] } },
      report: { unknownFields: [] },
    },
  })
  t.end()
})

t.test('values take their canonical form', (t) => {
  const decoded = decode('core/v1.Pod', {
    metadata: { creationTimestamp: '2024-01-01T00:00:00+01:00' },
    spec: { overhead: { cpu: 1.5, memory: '1024Mi', pods: 1000 } },
  })
  t.match(decoded, {
    ok: true,
    value: {
      value: {
        metadata: { creationTimestamp: '2023-12-31T23:00:00Z' },
        spec: { overhead: { cpu: '1500m', memory: '1Gi', pods: '1k' } },
      },
    },
  })
  t.end()
})

t.test('a label may be called __proto__', (t) => {
  const body: unknown = JSON.parse('{"metadata":{"labels":{"__proto__":"a","b":null}},"__proto__":{"x":1}}')
  const decoded = decode('core/v1.ConfigMap', body)
  if (!decoded.ok) throw new Error(decoded.failure.message)
  t.equal(JSON.stringify(decoded.value.value), '{"metadata":{"labels":{"__proto__":"a","b":""}}}')
  t.strictSame(decoded.value.report.unknownFields, ['__proto__'])
  const nullBody: unknown = JSON.parse('{"metadata":{"labels":{"__proto__":null}}}')
  const nulled = decode('core/v1.ConfigMap', nullBody)
  t.equal(nulled.ok && JSON.stringify(nulled.value.value), '{"metadata":{"labels":{"__proto__":""}}}')
  t.end()
})

t.test('bodies end somewhere', (t) => {
  const nested = (levels: number, wrap: (inner: unknown) => unknown): unknown => {
    let value: unknown = {}
    for (let i = 0; i < levels; i++) value = wrap(value)
    return value
  }
  const deepSchema = nested(depthMax + 5, (not) => ({ not }))
  const deepList = nested(depthMax + 5, (inner) => [inner])
  const shallow = nested(depthMax / 2, (not) => ({ not }))
  t.match(failure('apiextensions/v1.JSONSchemaProps', deepSchema), /nested deeper than 1000 levels/)
  t.match(failure('apps/v1.ControllerRevision', { data: { deepList } }), /nested deeper than 1000 levels/)
  t.match(
    failure('apiextensions/v1.JSONSchemaProps', { default: deepList }),
    /nested deeper than 1000 levels/,
  )
  t.equal(failure('apiextensions/v1.JSONSchemaProps', shallow), '')
  t.end()
})

t.test('a megabyte of base64 is checked to its end', (t) => {
  const long = 'QUJD'.repeat(300_000)
  t.equal(failure('core/v1.Secret', { data: { a: long } }), '')
  t.match(failure('core/v1.Secret', { data: { a: `${long}!` } }), /expected a base64 string/)
  t.match(failure('core/v1.Secret', { data: { a: `QQ==${long}` } }), /expected a base64 string/)
  t.match(
    failure('core/v1.Secret', { data: { a: `${'QUJD'.repeat(16_383)}QQ==${long}` } }),
    /expected a base64 string/,
  )
  t.end()
})
