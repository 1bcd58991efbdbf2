/** What was wrong before a change, and did not change, is no reason to refuse it: KEP-4008. */

import t from 'tap'
import { readStructural } from '../../../../src/crd/schema/read.ts'
import { validateStatus, validateValue } from '../../../../src/crd/schema/validate.ts'
import type { JsonObject, JsonValue } from '../../../../src/json.ts'

const short: JsonObject = { type: 'string', maxLength: 1 }
const object = (properties: JsonObject, rest: JsonObject = {}): JsonObject => ({
  type: 'object',
  properties,
  ...rest,
})
const list = (items: JsonObject, rest: JsonObject = {}): JsonObject => ({ type: 'array', items, ...rest })
const keyed = (items: JsonObject): JsonObject =>
  list(items, { 'x-kubernetes-list-type': 'map', 'x-kubernetes-list-map-keys': ['k'] })

interface Row {
  readonly schema: JsonObject
  readonly old: JsonValue
  readonly now: JsonValue
  /** Where something is told. */
  readonly told: readonly string[]
}

const rows: Readonly<Record<string, Row>> = {
  'a member that did not change': {
    schema: object({ a: short, b: short }),
    old: { a: 'long', b: 'b' },
    now: { a: 'long', b: 'c' },
    told: [],
  },
  'a member that changed, and still is wrong': {
    schema: object({ a: short }),
    old: { a: 'long' },
    now: { a: 'longer' },
    told: ['spec.x.a'],
  },
  'a member that was not there': {
    schema: object({ a: short }),
    old: {},
    now: { a: 'long' },
    told: ['spec.x.a'],
  },
  'a member of a map': {
    schema: { type: 'object', additionalProperties: short },
    old: { a: 'long', b: 'long' },
    now: { a: 'long', b: 'other' },
    told: ['spec.x.b'],
  },
  'what is missing is told of an object that changed': {
    schema: object({ a: short, b: short }, { required: ['b'] }),
    old: { a: 'a' },
    now: { a: 'c' },
    told: ['spec.x.b'],
  },
  'what is missing from an object that did not': {
    schema: object({ a: short, b: short }, { required: ['b'] }),
    old: { a: 'a' },
    now: { a: 'a' },
    told: [],
  },
  'a list as a whole': {
    schema: list(short),
    old: ['long', 'a'],
    now: ['long', 'a'],
    told: [],
  },
  'a list that changed anywhere': {
    schema: list(short),
    old: ['long', 'a'],
    now: ['long', 'b'],
    told: ['spec.x[0]'],
  },
  'elements with keys, wherever they stand': {
    schema: keyed(object({ k: { type: 'string' }, v: short })),
    old: [
      { k: 'a', v: 'long' },
      { k: 'b', v: 'long' },
    ],
    now: [
      { k: 'c', v: '1' },
      { k: 'b', v: 'other' },
      { k: 'a', v: 'long' },
    ],
    told: ['spec.x[1].v'],
  },
  'alternatives of a value that did not change': {
    schema: { type: 'string', oneOf: [{ maxLength: 1 }, { pattern: '^z' }] },
    old: 'long',
    now: 'long',
    told: [],
  },
  'what alternatives say of a part that did not change': {
    schema: object({ a: { type: 'string' }, b: short }, { allOf: [{ properties: { a: { maxLength: 1 } } }] }),
    old: { a: 'long', b: '1' },
    now: { a: 'long', b: '2' },
    told: ['spec.x.a', '<nil>'],
  },
  'an object is never the same that has a member which nothing names': {
    schema: object({ a: short }, { 'x-kubernetes-preserve-unknown-fields': true, maxProperties: 1 }),
    old: { a: 'a', other: 1 },
    now: { a: 'a', other: 1 },
    told: ['spec.x'],
  },
  'what is twice in a list, and was': {
    schema: list({ type: 'string' }, { 'x-kubernetes-list-type': 'set' }),
    old: ['a', 'a'],
    now: ['b', 'b'],
    told: [],
  },
  'what is twice in a list, and was not': {
    schema: list({ type: 'string' }, { 'x-kubernetes-list-type': 'set' }),
    old: ['a', 'b'],
    now: ['a', 'a'],
    told: ['spec.x[1]'],
  },
  'null that did not change': { schema: object({ a: short }), old: { a: null }, now: { a: null }, told: [] },
}

for (const [name, { schema, old, now, told }] of Object.entries(rows)) {
  t.test(name, (t) => {
    const structural = readStructural(object({ spec: object({ x: schema, other: { type: 'string' } }) }))
    const causes = validateValue(structural, { spec: { x: now } }, { spec: { x: old, other: 'changed' } })
    t.same(
      causes.map(({ field }) => field),
      told,
    )
    t.end()
  })
}

t.test('the version of an object is never forgiven: that it changed is not seen', (t) => {
  const structural = readStructural(object({ apiVersion: { type: 'string', pattern: '^b' } }))
  const value = { apiVersion: 'a/v1', kind: 'A' }
  t.equal(validateValue(structural, value, value).length, 1)
  t.end()
})

t.test('a change through status: the status alone, named from within, and nothing is forgiven', (t) => {
  const structural = readStructural(object({ spec: object({ a: short }), status: object({ b: short }) }))
  const value = { spec: { a: 'long' }, status: { b: 'long' } }
  t.same(validateStatus(structural, value, value), [
    { reason: 'FieldValueTooLong', message: 'Too long: may not be longer than 1', field: 'b' },
  ])
  t.same(validateStatus(structural, { spec: { a: 'long' } }, value), [])
  t.end()
})

t.test('deep alternatives cost what the value and the schema cost', (t) => {
  const nested = (depth: number): JsonObject =>
    depth === 0 ? { maxLength: 1 } : { anyOf: [nested(depth - 1), { maxLength: 2 }] }
  const structural = readStructural(object({ a: { type: 'string', ...nested(60) } }))
  t.equal(validateValue(structural, { a: 'long' }).length, 2)
  t.end()
})
