/** Owners of the fields of custom resources: what their schemas say of maps, lists and what they do not name. */

import t from 'tap'
import { createFieldManager } from '../../../src/apply/field-manager.ts'
import { readStructural } from '../../../src/crd/schema/read.ts'
import { customMessage } from '../../../src/crd/shape/message.ts'
import type { JsonObject, JsonValue } from '../../../src/json.ts'
import type { ApiObject } from '../../../src/types/object.ts'
import { metadata } from '../../support/schema.ts'
import { ownersOf } from './harness.ts'

const object = (properties: Record<string, JsonValue>, more: JsonObject = {}): JsonObject => ({
  type: 'object',
  properties,
  ...more,
})
const text: JsonObject = { type: 'string' }
const integer: JsonObject = { type: 'integer' }

const items = object({ name: text, port: { type: 'integer', default: 80 }, image: text })
const spec = object({
  replicas: integer,
  when: { type: 'string', format: 'date-time' },
  anyway: { 'x-kubernetes-int-or-string': true },
  names: { type: 'array', items: text },
  tags: { type: 'array', items: text, 'x-kubernetes-list-type': 'set' },
  parts: {
    type: 'array',
    items,
    'x-kubernetes-list-type': 'map',
    'x-kubernetes-list-map-keys': ['port', 'name'],
  },
  labels: { type: 'object', additionalProperties: text },
  whole: object({ a: text, b: text }, { 'x-kubernetes-map-type': 'atomic' }),
  wholeMap: { type: 'object', additionalProperties: text, 'x-kubernetes-map-type': 'atomic' },
  free: { type: 'object', 'x-kubernetes-preserve-unknown-fields': true },
  half: object({ known: object({ a: text }) }, { 'x-kubernetes-preserve-unknown-fields': true }),
  anything: { 'x-kubernetes-preserve-unknown-fields': true },
  template: { type: 'object', 'x-kubernetes-embedded-resource': true, properties: { data: text } },
  maybe: { type: 'string', nullable: true },
})

const apiVersion = 'test.example.com/v1'
const message = customMessage(
  readStructural(object({ spec, status: object({ ready: integer }) })),
  { group: 'test.example.com', version: 'v1', kind: 'Widget' },
  metadata,
)

function objectOf(rest: Record<string, JsonValue>): JsonObject {
  return { apiVersion, kind: 'Widget', metadata: { name: 'w', namespace: 'ns' }, ...rest }
}

function manager(subresource = '', ignored: readonly string[] = []) {
  return createFieldManager({
    message,
    apiVersion,
    kind: 'Widget',
    subresource,
    ignoredFields: ignored.map((field) => [field]),
  })
}

function apply(
  live: ApiObject | undefined,
  who: string,
  said: Record<string, JsonValue>,
  more: { force?: boolean } = {},
) {
  const { force = false } = more
  const now = '2030-01-01T00:00:00Z'
  return manager().apply({ live, applied: objectOf(said), manager: who, force, now })
}

function applied(live: ApiObject | undefined, who: string, said: Record<string, JsonValue>, force = false) {
  const result = apply(live, who, said, { force })
  if (!result.ok) throw new Error(result.failure.message)
  return result.value.object
}

const owned: readonly [what: string, spec: JsonObject, owned: readonly string[]][] = [
  ['scalars', { replicas: 1, when: 'now' }, ['.spec.replicas', '.spec.when']],
  ['a number or a text', { anyway: '5%' }, ['.spec.anyway']],
  ['lists as a whole', { names: ['a', 'b'] }, ['.spec.names']],
  ['sets by value', { tags: ['a', 'b'] }, ['.spec.tags[="a"]', '.spec.tags[="b"]']],
  [
    'list maps by their keys, absent ones by their default',
    { parts: [{ name: 'x', image: 'i' }] },
    [
      '.spec.parts[name="x",port=80]',
      '.spec.parts[name="x",port=80].image',
      '.spec.parts[name="x",port=80].name',
    ],
  ],
  ['maps by key', { labels: { a: '1', b: '2' } }, ['.spec.labels.a', '.spec.labels.b']],
  ['objects that are atomic', { whole: { a: '1', b: '2' } }, ['.spec.whole']],
  ['maps that are atomic', { wholeMap: { a: '1', b: '2' } }, ['.spec.wholeMap']],
  [
    'what no schema describes: objects by field, lists as a whole',
    { free: { a: { b: 1 }, l: [{ c: 2 }] } },
    ['.spec.free.a', '.spec.free.a.b', '.spec.free.l'],
  ],
  [
    'unknown fields, of what keeps them and below it',
    { half: { known: { a: '1', more: 1 }, other: { x: 1 } } },
    ['.spec.half.known.a', '.spec.half.known.more', '.spec.half.other', '.spec.half.other.x'],
  ],
  ['anything: a text', { anything: 'x' }, ['.spec.anything']],
  ['anything: an object', { anything: { a: [1] } }, ['.spec.anything.a']],
  [
    'an object within, its identity included',
    { template: { apiVersion: 'v1', kind: 'X', metadata: { name: 'n', labels: { a: 'b' } }, data: 'd' } },
    [
      '.spec.template.apiVersion',
      '.spec.template.data',
      '.spec.template.kind',
      '.spec.template.metadata.labels.a',
      '.spec.template.metadata.name',
    ],
  ],
  ['null', { maybe: null }, ['.spec.maybe']],
]

t.test('what an apply owns', (t) => {
  for (const [what, said, paths] of owned) {
    const made = applied(undefined, 'a', { spec: said })
    t.same(ownersOf(made), { 'a Apply': paths }, what)
    t.same(made['spec'], said, `${what}: stands as it was said`)
  }
  t.end()
})

t.test('two managers', (t) => {
  const first = applied(undefined, 'a', {
    spec: { replicas: 1, tags: ['a'], parts: [{ name: 'x' }], free: { a: 1 } },
  })
  const refused = apply(first, 'b', { spec: { replicas: 2, free: { a: 2 } } })
  t.same(refused.ok ? [] : refused.failure.details?.causes?.map(({ field }) => field), [
    '.spec.replicas',
    '.spec.free.a',
  ])
  const second = applied(first, 'b', {
    spec: { tags: ['b'], parts: [{ name: 'x', image: 'i' }], free: { b: 1 } },
  })
  t.same(second['spec'], {
    replicas: 1,
    tags: ['a', 'b'],
    parts: [{ name: 'x', image: 'i' }],
    free: { a: 1, b: 1 },
  })
  const forced = applied(second, 'b', { spec: { replicas: 2 } }, true)
  t.same(forced['spec'], { replicas: 2, tags: ['a'], parts: [{ name: 'x' }], free: { a: 1 } })
  t.same(ownersOf(forced)['b Apply'], ['.spec.replicas'])
  t.end()
})

t.test('what is emptied but still owned is null, and what holds it stays', (t) => {
  const first = applied(undefined, 'a', { spec: { labels: { x: '1' } } })
  const emptied = applied(first, 'a', { spec: { labels: {} } })
  t.same(emptied['spec'], { labels: null })
  t.same(ownersOf(emptied), { 'a Apply': ['.spec.labels'] })
  const gone = applied(first, 'a', {})
  t.equal(gone['spec'], undefined)
  t.end()
})

const refused: readonly [spec: JsonValue, problem: string][] = [
  [{ nope: 1 }, '.spec.nope: field not declared in schema'],
  [{ replicas: 'x' }, '.spec.replicas: expected numeric (int or float), got string'],
  [{ maybe: 1 }, '.spec.maybe: expected string, got &value.valueUnstructured{Value:1}'],
  [{ when: {} }, '.spec.when: expected any scalar, got &{map[]}'],
  [{ names: 'x' }, '.spec.names: expected list, got &{x}'],
  [{ labels: [1] }, '.spec.labels: expected map, got &{[1]}'],
  [{ tags: ['a', 'a'] }, '.spec.tags: duplicate entries for key [="a"]'],
  [
    { parts: [{ port: 1 }] },
    '.spec.parts: element 0: associative list with keys has an element that omits key field "name" (and doesn\'t have default value)',
  ],
  [{ template: { other: 1 } }, '.spec.template.other: field not declared in schema'],
  ['x', '.spec: expected map, got &{x}'],
]

t.test('bodies that are not of the type', (t) => {
  for (const [said, problem] of refused) {
    const result = apply(undefined, 'a', { spec: said })
    t.same(result.ok ? undefined : result.failure, {
      reason: 'BadRequest',
      message: `failed to create typed patch object (ns/w; ${apiVersion}, Kind=Widget): ${problem}`,
    })
  }
  t.end()
})

t.test('updates own what they change, through the status only that', (t) => {
  const request = (rest: Record<string, JsonValue>) => objectOf(rest) as unknown as ApiObject
  const now = '2030-01-01T00:00:00Z'
  const created = manager('', ['status']).updateManagedFields({
    live: undefined,
    updated: request({ spec: { replicas: 1, free: { a: [1] } } }),
    manager: 'u',
    now,
  }).object
  t.same(ownersOf(created), {
    'u Update': ['.spec', '.spec.free', '.spec.free.a', '.spec.replicas'],
  })
  const updated = {
    ...structuredClone(created),
    spec: { replicas: 1, free: { a: [1] } },
    status: { ready: 1 },
  } as unknown as ApiObject
  const done = manager('status', ['spec']).updateManagedFields({
    live: created,
    updated,
    manager: 's',
    now,
  }).object
  t.same(ownersOf(done)['s Update status'], ['.status', '.status.ready'])
  t.end()
})
