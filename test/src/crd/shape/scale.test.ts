/** The scale of custom resources: where it reads and writes, and what it says of objects that have none. */

import t from 'tap'
import { customScale, scaleCauses } from '../../../../src/crd/shape/scale.ts'
import type { JsonValue } from '../../../../src/json.ts'
import type { ApiObject } from '../../../../src/types/object.ts'

const definition = {
  specReplicasPath: '.spec.workers.count',
  statusReplicasPath: '.status.ready',
  labelSelectorPath: '.status.selector',
}
const scale = customScale(definition)

function parent(rest: Record<string, JsonValue>): ApiObject {
  const metadata = { name: 'w', namespace: 'ns', uid: 'u', resourceVersion: '7', labels: { a: 'b' } }
  return { apiVersion: 'example.com/v1', kind: 'Widget', metadata, ...rest }
}

t.test('reads and writes at the paths of the definition', (t) => {
  const object = parent({ spec: { workers: { count: 3 } }, status: { ready: 2, selector: 'app=w' } })
  t.same(scale.read(object), {
    kind: 'Scale',
    apiVersion: 'autoscaling/v1',
    metadata: { name: 'w', namespace: 'ns', uid: 'u', resourceVersion: '7' },
    spec: { replicas: 3 },
    status: { replicas: 2, selector: 'app=w' },
  })
  t.equal(scale.readFailure?.(object), undefined)
  scale.write(object, 5)
  t.same(object['spec'], { workers: { count: 5 } })
  const bare = parent({})
  scale.write(bare, 1)
  t.same(bare['spec'], { workers: { count: 1 } })
  t.same(scale.read(bare)['status'], { replicas: 0 })
  t.end()
})

t.test('parents that have no scale', (t) => {
  const absent = parent({ spec: {} })
  t.match(scale.readFailure?.(absent), {
    reason: 'InternalError',
    message: 'Internal error occurred: the spec replicas field ".spec.workers.count" does not exist',
  })
  t.equal(scale.writeFailure?.(absent, 0), undefined, 'a write may set them')
  const unsaid = scale.read(absent)['spec'] as { replicas: number }
  t.match(scale.writeFailure?.(absent, unsaid.replicas), {
    reason: 'BadRequest',
    message: 'the spec replicas field ".spec.workers.count" cannot be empty',
  })
  const wrong: readonly [spec: JsonValue, message: string][] = [
    [
      { workers: { count: 'x' } },
      '.spec.workers.count accessor error: x is of the type string, expected int64',
    ],
    [
      { workers: { count: 1.5 } },
      '.spec.workers.count accessor error: 1.5 is of the type float64, expected int64',
    ],
    [
      { workers: ['a', { b: 1 }] },
      '.spec.workers.count accessor error: [a map[b:1]] is of the type []interface {}, expected map[string]interface{}',
    ],
    [
      { workers: { count: null } },
      '.spec.workers.count accessor error: <nil> is of the type <nil>, expected int64',
    ],
  ]
  for (const [spec, message] of wrong) {
    t.same(scale.readFailure?.(parent({ spec })), { reason: 'InternalError', saidReason: '', message })
    t.same(scale.writeFailure?.(parent({ spec }), 1)?.message, message)
  }
  t.end()
})

t.test('what is wrong with an object that has a scale', (t) => {
  const causes = scaleCauses(definition, false)
  const table: readonly [object: Record<string, JsonValue>, causes: readonly string[]][] = [
    [{}, []],
    [{ spec: { workers: { count: 0 } }, status: { ready: 1, selector: 'a' } }, []],
    [
      { spec: { workers: { count: -1 } } },
      ['.spec.workers.count: Invalid value: -1: should be a non-negative integer'],
    ],
    [
      { status: { ready: 2147483648, selector: 1 } },
      [
        '.status.ready: Invalid value: 2147483648: should be less than or equal to 2147483647',
        '.status.selector: Invalid value: "": .status.selector accessor error: 1 is of the type int64, expected string',
      ],
    ],
  ]
  for (const [object, expected] of table) {
    t.same(
      causes(parent(object)).map(({ field, message }) => `${field}: ${message}`),
      expected,
    )
  }
  const ofStatus = scaleCauses(definition, true)
  t.same(ofStatus(parent({ spec: { workers: { count: -1 } } })), [])
  t.match(ofStatus(parent({ status: { ready: -1 } })), [{ field: '.status.ready' }])
  t.end()
})
