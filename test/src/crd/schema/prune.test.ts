import t from 'tap'
import { prune } from '../../../../src/crd/schema/prune.ts'
import { readStructural } from '../../../../src/crd/schema/read.ts'
import type { JsonObject } from '../../../../src/json.ts'

const text: JsonObject = { type: 'string' }
const object = (properties: JsonObject, rest: JsonObject = {}): JsonObject => ({
  type: 'object',
  properties,
  ...rest,
})
const keeps: JsonObject = { 'x-kubernetes-preserve-unknown-fields': true }

interface Row {
  readonly schema: JsonObject
  readonly value: JsonObject
  readonly left: JsonObject
  readonly unknown: readonly string[]
}

const rows: Readonly<Record<string, Row>> = {
  'unknown members of objects and of elements': {
    schema: object({ spec: object({ foo: { type: 'array', items: object({ a: text }) } }) }),
    value: { spec: { foo: [{ a: 'x', bar: 1 }], z: 1 }, other: {} },
    left: { spec: { foo: [{ a: 'x' }] } },
    unknown: ['other', 'spec.foo[0].bar', 'spec.z'],
  },
  'what the root says of itself': {
    schema: object({}),
    value: { apiVersion: 'a/v1', kind: 'A', metadata: { name: 'a', bar: 1 }, spec: {} },
    left: { apiVersion: 'a/v1', kind: 'A', metadata: { name: 'a', bar: 1 } },
    unknown: ['spec'],
  },
  'maps take any name': {
    schema: object({ m: { type: 'object', additionalProperties: object({ a: text }) } }),
    value: { m: { x: { a: '1', b: '2' }, 'a.b/c': { c: 1 } } },
    left: { m: { x: { a: '1' }, 'a.b/c': {} } },
    unknown: ['m.a.b/c.c', 'm.x.b'],
  },
  'of what may be anything scalars stay': {
    schema: object({ m: { type: 'object', additionalProperties: true } }),
    value: { m: { x: 1, y: { z: 1 }, l: [1, { z: 1 }] } },
    left: { m: { x: 1, y: {}, l: [1, {}] } },
    unknown: ['m.l[1].z', 'm.y.z'],
  },
  'unknown members that are kept, and the known ones among them': {
    schema: object({ spec: object({ known: object({ a: text }) }, keeps) }),
    value: { spec: { x: { y: [1] }, known: { a: 'a', b: 'b' } } },
    left: { spec: { x: { y: [1] }, known: { a: 'a' } } },
    unknown: ['spec.known.b'],
  },
  'kept again below what is pruned': {
    schema: object({ spec: object({ known: object({ deep: keeps }) }, keeps) }),
    value: { spec: { known: { b: 1, deep: { c: 1 } } } },
    left: { spec: { known: { deep: { c: 1 } } } },
    unknown: ['spec.known.b'],
  },
  'an embedded resource keeps what it says of itself': {
    schema: object({ t: object({ spec: object({ a: text }) }, { 'x-kubernetes-embedded-resource': true }) }),
    value: { t: { apiVersion: 'v1', kind: 'Pod', metadata: { x: 1 }, spec: { a: 'a', b: 'b' }, status: {} } },
    left: { t: { apiVersion: 'v1', kind: 'Pod', metadata: { x: 1 }, spec: { a: 'a' } } },
    unknown: ['t.spec.b', 't.status'],
  },
  'a wrong type is not for pruning': {
    schema: object({ spec: object({ a: text }) }),
    value: { spec: 'text' },
    left: { spec: 'text' },
    unknown: [],
  },
  'a root that keeps all': {
    schema: object({}, keeps),
    value: { anything: { goes: 1 } },
    left: { anything: { goes: 1 } },
    unknown: [],
  },
}

for (const [name, { schema, value, left, unknown }] of Object.entries(rows)) {
  t.test(name, (t) => {
    t.same(prune(readStructural(schema), value), unknown)
    t.same(value, left)
    t.end()
  })
}

t.test('names that mean something to JavaScript are names', (t) => {
  const value = JSON.parse('{"__proto__": {"a": 1}, "constructor": 1, "spec": {"__proto__": {"b": 1}}}')
  const schema = JSON.parse(
    '{"type": "object", "properties": {"spec": {"type": "object", "properties": {"__proto__": {"type": "object"}}}}}',
  )
  t.same(prune(readStructural(schema), value), ['__proto__', 'constructor', 'spec.__proto__.b'])
  t.equal(JSON.stringify(value), '{"spec":{"__proto__":{}}}')
  t.end()
})
