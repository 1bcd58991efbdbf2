import t from 'tap'
import { readStructural } from '../../../../src/crd/schema/read.ts'
import { validateValue } from '../../../../src/crd/schema/validate.ts'
import type { JsonObject, JsonValue } from '../../../../src/json.ts'

/** What is told of a value at `spec.x`, as `<reason> <field>: <message>`. */
function told(schema: JsonObject, value: JsonValue): readonly string[] {
  const structural = readStructural(object({ spec: object({ x: schema }) }))
  return validateValue(structural, { spec: { x: value } }).map(
    ({ reason, field, message }) => `${reason} ${field}: ${message}`,
  )
}

function object(properties: JsonObject, rest: JsonObject = {}): JsonObject {
  return { type: 'object', properties, ...rest }
}

const x = 'spec.x'
const typed = (expected: string, found: string) => [
  `FieldValueTypeInvalid ${x}: Invalid value: "${found}": ${x} in body must be of type ${expected}: "${found}"`,
]
const invalid = (value: string, detail: string) => [
  `FieldValueInvalid ${x}: Invalid value: ${value}: ${x} in body ${detail}`,
]
const nowhere = (detail: string) => `FieldValueInvalid <nil>: Invalid value: "": "${x}" ${detail}`

const rows: readonly (readonly [string, JsonObject, JsonValue, readonly string[]])[] = [
  ['a text', { type: 'string' }, 'a', []],
  ['no text', { type: 'string' }, 1, typed('string', 'integer')],
  ['a list for a text', { type: 'string' }, [], typed('string', 'array')],
  ['null for a text', { type: 'string' }, null, typed('string', 'null')],
  ['null where it may be', { type: 'string', nullable: true }, null, []],
  ['a whole number', { type: 'integer' }, 3, []],
  ['a whole number for a number', { type: 'number' }, 3, []],
  ['a fraction for an integer', { type: 'integer' }, 1.5, typed('integer', 'number')],
  ['an integer beyond 64 bits', { type: 'integer' }, 1e30, typed('integer', 'number')],
  ['an object for a boolean', { type: 'boolean' }, {}, typed('boolean', 'object')],
  ['a number or a text: a number', { 'x-kubernetes-int-or-string': true }, 1, []],
  ['a number or a text: a text', { 'x-kubernetes-int-or-string': true }, '10%', []],
  [
    'a number or a text: neither',
    { 'x-kubernetes-int-or-string': true },
    true,
    typed('integer,string', 'boolean'),
  ],
  ['a text for an integer', { type: 'integer', format: 'int32' }, 'a', typed('integer', 'string')],
  [
    'an integer that would be stored as another',
    { type: 'integer' },
    JSON.parse('9007199254740993'),
    invalid('9007199254740992', 'must be an integer within 2^53 to be kept as it is'),
  ],
  [
    'the greatest integer of 64 bits',
    { type: 'integer' },
    JSON.parse('9223372036854775807'),
    invalid('9.223372036854776e+18', 'must be an integer within 2^53 to be kept as it is'),
  ],
  ['a number is as near as it gets', { type: 'number' }, JSON.parse('9007199254740993'), []],
  ['no range is asked of an int32', { type: 'integer', format: 'int32' }, 2 ** 40, []],

  [
    'long',
    { type: 'string', maxLength: 2 },
    'abc',
    [`FieldValueTooLong ${x}: Too long: may not be longer than 2`],
  ],
  ['characters count, not code units', { type: 'string', maxLength: 2 }, '😀😀', []],
  ['short', { type: 'string', minLength: 3 }, '😀😀', invalid('"😀😀"', 'should be at least 3 chars long')],
  ['a pattern', { type: 'string', pattern: '^a$' }, 'b', invalid('"b"', "should match '^a$'")],
  ['a pattern that is found', { type: 'string', pattern: 'a' }, 'bab', []],
  ['a format', { type: 'string', format: 'ipv4' }, '1.2.3', typed('ipv4', '1.2.3')],
  ['a format with a dash', { type: 'string', format: 'date-time' }, 'now', typed('date-time', 'now')],
  ['a format that nobody knows', { type: 'string', format: 'colour' }, 'now', []],
  [
    'a number where a format is',
    { type: 'string', format: 'date' },
    5,
    [`FieldValueTypeInvalid ${x}: Invalid value: "int64": ${x} in body must be of type date: "int64"`],
  ],
  ['a list where a format is passes', { type: 'string', format: 'date' }, [], []],

  ['small', { type: 'integer', minimum: 2 }, 1, invalid('1', 'should be greater than or equal to 2')],
  [
    'small, exclusively',
    { type: 'integer', minimum: 2, exclusiveMinimum: true },
    2,
    invalid('2', 'should be greater than 2'),
  ],
  ['great', { type: 'integer', maximum: 2 }, 3, invalid('3', 'should be less than or equal to 2')],
  [
    'great, exclusively',
    { type: 'number', maximum: 2.5, exclusiveMaximum: true },
    2.5,
    invalid('2.5', 'should be less than 2.5'),
  ],
  ['integers and bounds with a fraction', { type: 'number', minimum: 2.5 }, 2, []],
  ['no multiple', { type: 'integer', multipleOf: 5 }, 7, invalid('7', 'should be a multiple of 5')],
  ['a multiple', { type: 'number', multipleOf: 0.1 }, 0.3, []],
  [
    'no multiple of a fraction',
    { type: 'number', multipleOf: 0.5 },
    0.7,
    invalid('0.7', 'should be a multiple of 0.5'),
  ],

  [
    'none of those listed',
    { type: 'string', enum: ['a', 'b'] },
    'c',
    [`FieldValueNotSupported ${x}: Unsupported value: "c": supported values: "a", "b"`],
  ],
  [
    'none of the numbers listed',
    { type: 'integer', enum: [1, 2] },
    3,
    [`FieldValueNotSupported ${x}: Unsupported value: 3: supported values: "1", "2"`],
  ],
  [
    'null is never listed',
    { type: 'string', nullable: true, enum: ['a', null] },
    null,
    [`FieldValueNotSupported ${x}: Unsupported value: "null": supported values: "a", "null"`],
  ],

  [
    'many',
    { type: 'array', items: { type: 'string' }, maxItems: 2 },
    ['a', 'b', 'c'],
    [`FieldValueTooMany ${x}: Too many: 3: must have at most 2 items`],
  ],
  [
    'few',
    { type: 'array', items: { type: 'string' }, minItems: 2 },
    ['a'],
    invalid('1', 'should have at least 2 items'),
  ],
  [
    'an element',
    { type: 'array', items: { type: 'string' } },
    ['a', 1],
    [
      `FieldValueTypeInvalid ${x}[1]: Invalid value: "integer": ${x}[1] in body must be of type string: "integer"`,
    ],
  ],
  [
    'many members',
    { type: 'object', additionalProperties: { type: 'string' }, maxProperties: 1 },
    { a: '', b: '' },
    [`FieldValueTooMany ${x}: Too many: 2: must have at most 1 items`],
  ],
  [
    'few members',
    { type: 'object', additionalProperties: { type: 'string' }, minProperties: 1 },
    {},
    invalid('0', 'should have at least 1 properties'),
  ],
  [
    'a member of a map',
    { type: 'object', additionalProperties: { type: 'string' } },
    { 'a.b/c': 1 },
    [
      `FieldValueTypeInvalid ${x}.a.b/c: Invalid value: "integer": ${x}.a.b/c in body must be of type string: "integer"`,
    ],
  ],
  [
    'missing members',
    object({ a: { type: 'string' } }, { required: ['a', 'b'] }),
    {},
    [`FieldValueRequired ${x}.a: Required value`, `FieldValueRequired ${x}.b: Required value`],
  ],

  [
    'none of the alternatives: the nearest one says why',
    object(
      { a: { type: 'string' }, b: { type: 'string' } },
      { anyOf: [{ required: ['a'] }, { required: ['b'], properties: { a: { pattern: 'z' } } }] },
    ),
    { c: 1 },
    [nowhere('must validate at least one schema (anyOf)'), `FieldValueRequired ${x}.a: Required value`],
  ],
  [
    'none of one',
    object({ a: { type: 'string' } }, { oneOf: [{ required: ['a'] }, { required: ['b'] }] }),
    {},
    [
      nowhere('must validate one and only one schema (oneOf). Found none valid'),
      `FieldValueRequired ${x}.a: Required value`,
    ],
  ],
  [
    'two of one',
    object({}, { oneOf: [{ required: ['a'] }, { required: ['b'] }] }),
    { a: 1, b: 2 },
    [nowhere('must validate one and only one schema (oneOf). Found 2 valid alternatives')],
  ],
  [
    'not all',
    { type: 'integer', allOf: [{ minimum: 5 }, { maximum: 9 }] },
    3,
    [
      ...invalid('3', 'should be greater than or equal to 5'),
      nowhere('must validate all the schemas (allOf)'),
    ],
  ],
  [
    'none of all',
    { type: 'integer', allOf: [{ minimum: 5 }] },
    3,
    [
      ...invalid('3', 'should be greater than or equal to 5'),
      nowhere('must validate all the schemas (allOf). None validated'),
    ],
  ],
  [
    'what must not be',
    { type: 'string', not: { enum: ['a'] } },
    'a',
    [nowhere('must not validate the schema (not)')],
  ],
  [
    'the same is said once',
    { type: 'integer', minimum: 5, allOf: [{ minimum: 5 }] },
    3,
    [
      ...invalid('3', 'should be greater than or equal to 5'),
      nowhere('must validate all the schemas (allOf). None validated'),
    ],
  ],
  [
    'values are shown as programs write them',
    { type: 'array', items: object({}), 'x-kubernetes-list-type': 'set' },
    [
      { b: [1, 'x', null], a: 1.5 },
      { a: 1.5, b: [1, 'x', null] },
    ],
    [
      `FieldValueDuplicate ${x}[1]: Duplicate value: map[string]interface {}{"a":1.5, "b":[]interface {}{1, "x", interface {}(nil)}}`,
    ],
  ],
  [
    'the third of a kind is not told',
    { type: 'array', items: { type: 'string' }, 'x-kubernetes-list-type': 'set' },
    ['a', 'a', 'a', 'b', 'b'],
    [
      `FieldValueDuplicate ${x}[1]: Duplicate value: "a"`,
      `FieldValueDuplicate ${x}[4]: Duplicate value: "b"`,
    ],
  ],
  [
    'keys',
    {
      type: 'array',
      items: object({ k: { type: 'string' }, v: { type: 'integer' } }),
      'x-kubernetes-list-type': 'map',
      'x-kubernetes-list-map-keys': ['k'],
    },
    [{ k: 'a', v: 1 }, { k: 'a', v: 2 }, { v: 1 }, {}],
    [
      `FieldValueDuplicate ${x}[1]: Duplicate value: map[string]interface {}{"k":"a"}`,
      `FieldValueDuplicate ${x}[3]: Duplicate value: map[string]interface {}{}`,
    ],
  ],
]

for (const [name, schema, value, expected] of rows) {
  t.test(name, (t) => {
    t.same(told(schema, value), expected)
    t.end()
  })
}

t.test('of very many problems the first are told', (t) => {
  const list: JsonObject = { type: 'array', items: { type: 'string' }, maxItems: 3 }
  const causes = told({ ...list, 'x-kubernetes-list-type': 'set' }, new Array(5000).fill(1))
  t.equal(causes.length, 1001)
  t.match(causes[999], /spec.x\[999\]/)
  t.end()
})
