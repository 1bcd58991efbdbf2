import t from 'tap'
import { applyDefaults } from '../../../../src/crd/schema/defaults.ts'
import { readStructural } from '../../../../src/crd/schema/read.ts'
import type { JsonObject } from '../../../../src/json.ts'

const object = (properties: JsonObject, rest: JsonObject = {}): JsonObject => ({
  type: 'object',
  properties,
  ...rest,
})
const text = (fallback: string, rest: JsonObject = {}): JsonObject => ({
  type: 'string',
  default: fallback,
  ...rest,
})

interface Row {
  readonly schema: JsonObject
  readonly value: JsonObject
  readonly filled: JsonObject
}

const rows: Readonly<Record<string, Row>> = {
  'what is absent, not what is empty': {
    schema: object({ a: text('x'), b: text('x'), c: { type: 'boolean', default: false } }),
    value: { b: '' },
    filled: { a: 'x', b: '', c: false },
  },
  'null where it is no value': {
    schema: object({ a: text('x'), b: text('x', { nullable: true }) }),
    value: { a: null, b: null },
    filled: { a: 'x', b: null },
  },
  'nothing in objects that are not there': {
    schema: object({ spec: object({ a: text('x') }) }),
    value: {},
    filled: {},
  },
  'what a default brings is filled in': {
    schema: object({ spec: object({ a: text('x'), b: text('y') }, { default: { b: 'z' } }) }),
    value: {},
    filled: { spec: { a: 'x', b: 'z' } },
  },
  'elements of lists and members of maps': {
    schema: object({
      l: { type: 'array', items: object({ a: text('x') }) },
      m: { type: 'object', additionalProperties: object({ a: text('x') }) },
    }),
    value: { l: [{}, { a: 'y' }], m: { k: {} } },
    filled: { l: [{ a: 'x' }, { a: 'y' }], m: { k: { a: 'x' } } },
  },
  'null as an element and as a member of a map': {
    schema: object({
      l: { type: 'array', items: text('x') },
      m: { type: 'object', additionalProperties: text('x') },
      n: { type: 'array', items: text('x', { nullable: true }) },
    }),
    value: { l: [null], m: { k: null }, n: [null] },
    filled: { l: ['x'], m: { k: 'x' }, n: [null] },
  },
  'a default of null is none': {
    schema: object({ a: { type: 'string', nullable: true, default: null } }),
    value: {},
    filled: {},
  },
  'a default is pruned': {
    schema: object({ a: object({ known: { type: 'string' } }, { default: { known: 'k', other: 1 } }) }),
    value: {},
    filled: { a: { known: 'k' } },
  },
  'a wrong type is left for validation': {
    schema: object({ spec: object({ a: text('x') }), l: { type: 'array', items: text('x') } }),
    value: { spec: 'text', l: {} },
    filled: { spec: 'text', l: {} },
  },
}

for (const [name, { schema, value, filled }] of Object.entries(rows)) {
  t.test(name, (t) => {
    applyDefaults(readStructural(schema), value)
    t.same(value, filled)
    t.end()
  })
}

t.test('a default is nobody’s: objects get copies', (t) => {
  const structural = readStructural(object({ a: object({ b: { type: 'string' } }, { default: { b: 'x' } }) }))
  const one: { a?: { b: string } } = {}
  const other: { a?: { b: string } } = {}
  applyDefaults(structural, one)
  if (one.a !== undefined) one.a.b = 'changed'
  applyDefaults(structural, other)
  t.same(other, { a: { b: 'x' } })
  t.end()
})
