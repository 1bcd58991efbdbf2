import t from 'tap'
import { readStructural } from '../../../../src/crd/schema/read.ts'
import { customMessage } from '../../../../src/crd/shape/message.ts'
import type { JsonObject } from '../../../../src/json.ts'
import type { MessageType } from '../../../../src/schema/descriptor.ts'
import { codec, types } from '../../types/types.ts'

const objects = codec()
const objectMeta = types().message('meta/v1.ObjectMeta')

const text: JsonObject = { type: 'string' }
const object = (properties: JsonObject, rest: JsonObject = {}): JsonObject => ({
  type: 'object',
  properties,
  ...rest,
})

function messageOf(schema: JsonObject): MessageType {
  return customMessage(readStructural(schema), { group: 'a.example', version: 'v1', kind: 'A' }, objectMeta)
}

const schema = object({
  spec: object({
    text,
    nullable: { type: 'string', nullable: true },
    filled: { type: 'string', default: 'x' },
    list: { type: 'array', items: text },
    free: { type: 'object', 'x-kubernetes-preserve-unknown-fields': true },
    template: {
      type: 'object',
      'x-kubernetes-embedded-resource': true,
      properties: { spec: object({ text }) },
    },
    templates: {
      type: 'object',
      additionalProperties: {
        type: 'object',
        'x-kubernetes-embedded-resource': true,
        'x-kubernetes-preserve-unknown-fields': true,
      },
    },
  }),
})
const message = messageOf(schema)

const self = { apiVersion: 'a.example/v1', kind: 'A' }

interface Row {
  readonly body: JsonObject
  readonly kept?: JsonObject
  readonly unknown?: readonly string[]
  readonly failure?: string
}

const rows: Readonly<Record<string, Row>> = {
  'unknown fields: of the metadata first, then of the schema, then of embedded metadata': {
    body: {
      ...self,
      metadata: { name: 'a', z: 1 },
      spec: { b: 1, template: { metadata: { name: 'x', y: 1 }, spec: { c: 1 } }, a: 1 },
      other: 1,
    },
    kept: { ...self, metadata: { name: 'a' }, spec: { template: { metadata: { name: 'x' }, spec: {} } } },
    unknown: ['metadata.z', 'other', 'spec.a', 'spec.b', 'spec.template.spec.c', 'spec.template.metadata.y'],
  },
  'metadata is always there': { body: self, kept: { ...self, metadata: {} } },
  'metadata of a wrong type': {
    body: { ...self, metadata: { name: 5 } },
    failure: 'metadata.name: expected a string, found number 5',
  },
  'a wrong type is left for validation': {
    body: { ...self, spec: { text: 5, list: {} } },
    kept: { ...self, metadata: {}, spec: { text: 5, list: {} } },
  },
  'null where it is no value': {
    body: { ...self, spec: { text: null, nullable: null, filled: null, list: [null], free: { a: null } } },
    kept: { ...self, metadata: {}, spec: { nullable: null, filled: null, list: [null], free: { a: null } } },
  },
  'embedded metadata is that of every object': {
    body: {
      ...self,
      spec: {
        templates: { k: { metadata: { name: 'a', labels: {}, creationTimestamp: null, x: 1 }, any: 1 } },
      },
    },
    kept: { ...self, metadata: {}, spec: { templates: { k: { metadata: { name: 'a' }, any: 1 } } } },
    unknown: ['spec.templates[k].metadata.x'],
  },
  'embedded metadata of a wrong type': {
    body: { ...self, spec: { template: { metadata: { labels: 5 } } } },
    failure:
      'spec.template.metadata: Invalid value: map[string]interface {}{"labels":5}: labels: expected a map, found number 5',
  },
  'an embedded kind of a wrong type': {
    body: { ...self, spec: { template: { kind: 5 } } },
    failure: 'spec.template.kind: Invalid value: 5: must be a string',
  },
  'a kind of a wrong type': {
    body: { ...self, kind: 5 },
    failure: 'kind: expected a string, found number 5',
  },
}

for (const [name, { body, kept, unknown = [], failure }] of Object.entries(rows)) {
  t.test(name, (t) => {
    const result = objects.decode(message, structuredClone(body))
    if (result.ok) {
      t.same(result.value.object, kept)
      t.same(result.value.report.unknownFields, unknown)
    } else t.equal(result.failure.message, failure)
    t.equal(result.ok, failure === undefined)
    t.end()
  })
}

t.test('what nests too deep is refused', (t) => {
  const deep = JSON.parse(`${'{"a":'.repeat(1001)}1${'}'.repeat(1001)}`)
  const result = objects.decode(message, { ...self, spec: { free: deep } })
  t.same(result, { ok: false, failure: { message: 'nested deeper than 1000 levels' } })
  t.end()
})

t.test('it is stored sorted, with all that came', (t) => {
  const result = objects.decode(message, {
    spec: { text: '', list: [], free: { z: {}, a: [{ y: 1, b: null }] } },
    ...self,
    metadata: { name: 'a', labels: { b: '', a: '' }, finalizers: [] },
  })
  if (!result.ok) throw new Error(result.failure.message)
  objects.applyDefaults(message, result.value.object)
  t.equal(
    JSON.stringify(objects.normalize(message, result.value.object)),
    '{"apiVersion":"a.example/v1","kind":"A","metadata":{"creationTimestamp":null,"labels":{"a":"","b":""},"name":"a"},' +
      '"spec":{"filled":"x","free":{"a":[{"b":null,"y":1}],"z":{}},"list":[],"text":""}}',
  )
  t.end()
})

t.test('names that mean something to JavaScript are names', (t) => {
  const body = JSON.parse(
    '{"apiVersion":"a.example/v1","kind":"A","metadata":{},"spec":{"free":{"__proto__":{"b":1,"a":2},"constructor":1}}}',
  )
  const result = objects.decode(message, body)
  if (!result.ok) throw new Error(result.failure.message)
  t.equal(
    JSON.stringify(objects.normalize(message, result.value.object)['spec']),
    '{"free":{"__proto__":{"a":2,"b":1},"constructor":1}}',
  )
  t.end()
})
