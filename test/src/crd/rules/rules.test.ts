/** Rules on objects: what is refused, where and in which words; what a change is compared with; what it may cost. */

import t from 'tap'
import { createRules } from '../../../../src/crd/rules/rules.ts'
import { readStructural } from '../../../../src/crd/schema/read.ts'
import type { JsonObject, JsonValue } from '../../../../src/json.ts'

const rules = (...rules: readonly (string | JsonObject)[]): JsonObject => ({
  'x-kubernetes-validations': rules.map((rule) => (typeof rule === 'string' ? { rule } : rule)),
})
const object = (properties: JsonObject, more: JsonObject = {}): JsonObject => ({
  type: 'object',
  properties,
  ...more,
})
const text = { type: 'string' }
const integer = { type: 'integer' }

/** `reason field: message`. */
function found(schema: JsonObject, value: JsonObject, old?: JsonObject): readonly string[] {
  const causes = createRules(readStructural(schema)).validate(value, old)
  return causes.map(
    ({ reason, field, message }) => `${reason.replace('FieldValue', '')} ${field}: ${message}`,
  )
}

/** The rule on `spec`. */
function refused(
  properties: JsonObject,
  rule: string | JsonObject,
  spec: JsonValue,
  old?: JsonValue,
): string {
  const schema = object({ spec: object(properties, rules(rule)) })
  return found(schema, { spec }, old === undefined ? undefined : { spec: old }).join('; ')
}

t.test('a rule that is not kept', (t) => {
  const limits = {
    min: integer,
    max: integer,
    'a.b': text,
    m: { type: 'object', additionalProperties: integer },
  }
  const spec = { min: 5, max: 1, m: { 'x y': 1 } }
  const rule = 'self.min <= self.max'
  const rows: readonly (readonly [JsonObject, string])[] = [
    [{ rule }, 'Invalid spec: Invalid value: "object": failed rule: self.min <= self.max'],
    [{ rule: `  ${rule} ` }, 'Invalid spec: Invalid value: "object": failed rule: self.min <= self.max'],
    [{ rule, message: ' no ' }, 'Invalid spec: Invalid value: "object": no'],
    [{ rule, message: 'no', reason: 'FieldValueForbidden' }, 'Forbidden spec: Forbidden: no'],
    [{ rule, message: 'no', reason: 'FieldValueRequired' }, 'Required spec: Required value: no'],
    [{ rule, message: 'no', reason: 'FieldValueDuplicate' }, 'Duplicate spec: Duplicate value: "object"'],
    [{ rule, message: 'no', reason: 'FieldValueInvalid' }, 'Invalid spec: Invalid value: "object": no'],
    [{ rule, message: 'no', fieldPath: '.max' }, 'Invalid spec.max: Invalid value: "object": no'],
    [{ rule, message: 'no', fieldPath: "['a.b']" }, 'Invalid spec.a.b: Invalid value: "object": no'],
    [{ rule, message: 'no', fieldPath: ".m['x y']" }, 'Invalid spec.m[x y]: Invalid value: "object": no'],
    [
      { rule, message: 'no', messageExpression: "'min is ' + string(self.min)" },
      'Invalid spec: Invalid value: "object": min is 5',
    ],
    // a message that cannot be shown is none
    [{ rule, message: 'no', messageExpression: "''" }, 'Invalid spec: Invalid value: "object": no'],
    [{ rule, message: 'no', messageExpression: "'  '" }, 'Invalid spec: Invalid value: "object": no'],
    [{ rule, message: 'no', messageExpression: "'a\\nb'" }, 'Invalid spec: Invalid value: "object": no'],
    [
      { rule, messageExpression: "self.m['none'] > 0 ? '' : ''" },
      `Invalid spec: Invalid value: "object": failed rule: ${rule}`,
    ],
    [
      { rule, message: 'no', messageExpression: `'${'a'.repeat(5121)}'` },
      'Invalid spec: Invalid value: "object": no',
    ],
    [
      { rule: 'self.max / 0 == 1' },
      'Invalid spec: Invalid value: "object": division by zero evaluating rule: self.max / 0 == 1',
    ],
    [
      { rule: "self.m['y'] == 1", message: 'y is 1' },
      'Invalid spec: Invalid value: "object": no such key: y evaluating rule: y is 1',
    ],
    [{ rule: "!has(self.m.x) || self.m['x y'] > 5" }, ''],
  ]
  for (const [given, expected] of rows) t.equal(refused(limits, given, spec), expected, JSON.stringify(given))
  t.end()
})

t.test('where rules stand', (t) => {
  const no = rules({ rule: 'false', message: 'no' })
  const one = (schema: JsonObject, value: JsonObject): string => found(schema, value).join('; ')
  t.equal(one({ ...object({}), ...no }, {}), 'Invalid <nil>: Invalid value: "object": no')
  t.equal(
    one(
      { ...object({ spec: object({}) }), ...rules({ rule: 'false', message: 'no', fieldPath: '.spec' }) },
      {},
    ),
    'Invalid spec: Invalid value: "object": no',
  )
  const places: readonly (readonly [JsonObject, JsonValue, string])[] = [
    [{ ...text, ...no }, 'a', 'spec: Invalid value: "string"'],
    [{ ...integer, ...no }, 1, 'spec: Invalid value: "integer"'],
    [{ type: 'number', ...no }, 1, 'spec: Invalid value: "number"'],
    [{ type: 'boolean', ...no }, true, 'spec: Invalid value: "boolean"'],
    [{ 'x-kubernetes-int-or-string': true, ...no }, 1, 'spec: Invalid value: ""'],
    [{ type: 'array', items: text, ...no }, [], 'spec: Invalid value: "array"'],
    [{ type: 'array', items: { ...text, ...no } }, ['a'], 'spec[0]: Invalid value: "string"'],
    [
      { type: 'object', additionalProperties: { ...text, ...no } },
      { 'a b': '' },
      'spec[a b]: Invalid value: "string"',
    ],
    [object({ 'x y': { ...text, ...no } }), { 'x y': '' }, 'spec.x y: Invalid value: "string"'],
  ]
  for (const [schema, value, expected] of places) {
    t.equal(one(object({ spec: schema }), { spec: value }), `Invalid ${expected}: no`, JSON.stringify(schema))
    t.equal(one(object({ spec: schema }), {}), '', 'what is not there keeps every rule')
    t.equal(one(object({ spec: { ...schema, nullable: true } }), { spec: null }), '', 'and so does null')
  }
  const order = { ...object({ a: { ...text, ...no }, b: { ...text, ...no } }), ...no }
  t.same(
    createRules(readStructural(order))
      .validate({ b: '', a: '' }, undefined)
      .map(({ field }) => field),
    ['<nil>', 'b', 'a'],
    'from outside in',
  )
  t.end()
})

t.test('what expressions see of values', (t) => {
  const properties = {
    'a-b': integer,
    namespace: text,
    number: { type: 'number' },
    any: { 'x-kubernetes-int-or-string': true },
    bytes: { ...text, format: 'byte' },
    date: { ...text, format: 'date' },
    time: { ...text, format: 'date-time' },
    duration: { ...text, format: 'duration' },
    long: { ...text, format: 'duration' },
    nullable: { ...text, nullable: true },
    open: object({ known: text }, { 'x-kubernetes-preserve-unknown-fields': true }),
    free: { type: 'object', 'x-kubernetes-preserve-unknown-fields': true },
    set: { type: 'array', items: text, 'x-kubernetes-list-type': 'set' },
    map: {
      type: 'array',
      items: object({ 'k-1': text, v: integer }),
      'x-kubernetes-list-type': 'map',
      'x-kubernetes-list-map-keys': ['k-1'],
    },
    nulls: { type: 'array', items: { ...integer, nullable: true } },
    embedded: {
      type: 'object',
      'x-kubernetes-embedded-resource': true,
      'x-kubernetes-preserve-unknown-fields': true,
    },
  }
  const value = {
    'a-b': 1,
    namespace: 'x',
    number: 1,
    any: '5%',
    bytes: 'AAE=',
    date: '2024-02-29',
    time: '2024-02-29T12:00:00Z',
    duration: '1h30m',
    long: '1 week 9 hours',
    nullable: null,
    open: { known: 'k', other: { deep: 1 } },
    free: { a: 1 },
    set: ['a', 'b'],
    map: [
      { 'k-1': 'a', v: 1 },
      { 'k-1': 'b', v: 2 },
    ],
    nulls: [1, null],
    embedded: { apiVersion: 'v1', kind: 'K', metadata: { name: 'n', labels: {} }, spec: { x: 1 } },
  }
  const kept = [
    'self.a__dash__b == 1',
    "self.__namespace__ == 'x'",
    'self.number == 1.0 && type(self.number) == double',
    "type(self.any) == string && self.any.endsWith('%')",
    "self.bytes == b'\\x00\\x01'",
    'self.date.getMonth() == 1 && self.time > self.date',
    "self.duration == duration('90m') && self.long == duration('177h')",
    '!has(self.nullable)',
    "self.?nullable.orValue('none') == 'none'",
    'has(self.open.known)',
    "self.set == ['b', 'a'] && self.set + ['b', 'c'] == ['c', 'b', 'a']",
    'self.map.exists_one(e, e.k__dash__1 == "a" && e.v == 1)',
    'self.nulls.exists(n, dyn(n) == null)',
    "self.embedded.kind == 'K' && self.embedded.metadata.name == 'n'",
    "quantity('1Gi').isGreaterThan(quantity('1M'))",
  ]
  for (const rule of kept) t.equal(refused(properties, rule, value), '', rule)
  t.match(
    refused(properties, 'self.any > 5', value),
    /'no such overload': call arguments did not match a supported/,
  )
  t.equal(
    refused(properties, 'isIP("::1")', value),
    '',
    'stored expressions may use what only this release knows',
  )
  t.end()
})

t.test('changes', (t) => {
  const frozen = rules({ rule: 'self == oldSelf', message: 'frozen' })
  const keyed = { 'x-kubernetes-list-type': 'map', 'x-kubernetes-list-map-keys': ['k', 'n'] }
  const element = object({ k: text, n: integer, v: text })
  const rows: readonly (readonly [string, JsonObject, JsonValue | undefined, JsonValue, string])[] = [
    ['new', { ...text, ...frozen }, undefined, 'a', ''],
    ['null before', { ...text, nullable: true, ...frozen }, null, 'a', ''],
    ['the same', { ...text, ...frozen }, 'a', 'a', ''],
    ['another', { ...text, ...frozen }, 'a', 'b', 'spec: frozen'],
    [
      'value of a map',
      { type: 'object', additionalProperties: { ...text, ...frozen } },
      { a: '1' },
      { a: '2', b: '1' },
      'spec[a]: frozen',
    ],
    ['element of a list', { type: 'array', items: { ...text, ...frozen } }, ['a'], ['b'], ''],
    [
      'element with keys',
      { type: 'array', items: { ...element, ...frozen }, ...keyed },
      [
        { k: 'a', n: 1, v: 'x' },
        { k: 'b', n: 1, v: 'x' },
      ],
      [
        { k: 'b', n: 1, v: 'y' },
        { k: 'a', n: 1, v: 'x' },
        { k: 'a', n: 2, v: 'z' },
      ],
      'spec[0]: frozen',
    ],
    [
      'list with keys, in another order',
      { type: 'array', items: element, ...keyed, ...frozen },
      [
        { k: 'a', n: 1 },
        { k: 'b', n: 1 },
      ],
      [
        { k: 'b', n: 1 },
        { k: 'a', n: 1 },
      ],
      '',
    ],
    [
      'list with a key that no rule can name',
      {
        type: 'array',
        items: object({ 'k!': text }),
        'x-kubernetes-list-type': 'map',
        'x-kubernetes-list-map-keys': ['k!'],
        ...frozen,
      },
      [{ 'k!': 'a' }, { 'k!': 'b' }],
      [{ 'k!': 'b' }, { 'k!': 'a' }],
      '',
    ],
    [
      'list of another order',
      { type: 'array', items: text, ...frozen },
      ['a', 'b'],
      ['b', 'a'],
      'spec: frozen',
    ],
    [
      'what no rule can see',
      { ...object({ a: text }), 'x-kubernetes-preserve-unknown-fields': true, ...frozen },
      { a: 'x', other: { b: 1 } },
      { a: 'x', other: { b: 2 } },
      'spec: frozen',
    ],
    [
      'what no rule can see, the same',
      { ...object({ a: text }), 'x-kubernetes-preserve-unknown-fields': true, ...frozen },
      { a: 'x', other: { b: 1 } },
      { other: { b: 1 }, a: 'x' },
      '',
    ],
    [
      'deep in it',
      object({
        l: {
          type: 'array',
          items: { ...object({ k: text, o: object({ v: { ...text, ...frozen } }) }) },
          'x-kubernetes-list-type': 'map',
          'x-kubernetes-list-map-keys': ['k'],
        },
      }),
      { l: [{ k: 'a', o: { v: '1' } }] },
      { l: [{ k: 'a', o: { v: '2' } }] },
      'spec.l[0].o.v: frozen',
    ],
  ]
  for (const [name, spec, old, value, expected] of rows) {
    const before = old === undefined ? {} : { spec: old }
    const causes = createRules(readStructural(object({ spec }))).validate({ spec: value }, before)
    t.equal(
      causes.map(({ field, message }) => `${field}: ${message.replace(/.*: /, '')}`).join('; '),
      expected,
      name,
    )
    t.same(
      createRules(readStructural(object({ spec }))).validate({ spec: value }, undefined),
      [],
      `${name}: a new object`,
    )
  }
  t.end()
})

t.test('the value before a change as an optional', (t) => {
  const optional = { rule: 'oldSelf.hasValue() ? self >= oldSelf.value() : self == 0', optionalOldSelf: true }
  const refusedWith = (value: number, old: JsonObject | undefined): number =>
    createRules(readStructural(object({ n: { ...integer, ...rules(optional) } }))).validate({ n: value }, old)
      .length
  t.equal(refusedWith(0, undefined), 0)
  t.equal(refusedWith(1, undefined), 1, 'a new object must begin with 0')
  t.equal(refusedWith(1, {}), 1, 'and so must a new value of an object')
  t.equal(refusedWith(5, { n: 4 }), 0)
  t.equal(refusedWith(3, { n: 4 }), 1)
  const path = rules({ rule: "oldSelf.?a.orValue('x') == 'x'", optionalOldSelf: true })
  const schema = readStructural({ ...object({ a: text }), ...path })
  t.equal(createRules(schema).validate({ a: 'y' }, undefined).length, 0)
  t.equal(createRules(schema).validate({ a: 'x' }, { a: 'y' }).length, 1)
  t.end()
})

t.test('what did not change need not keep a rule that came later', (t) => {
  const no = rules({ rule: 'self.v > 5', message: 'too small' })
  const item = { ...object({ k: text, v: integer }), ...no }
  const keyed = { 'x-kubernetes-list-type': 'map', 'x-kubernetes-list-map-keys': ['k'] }
  const validate = (schema: JsonObject, value: JsonObject, old: JsonObject): readonly [string, string] => {
    const warnings: string[] = []
    const causes = createRules(readStructural(schema)).validate(value, old, {
      warn: ({ field }) => warnings.push(field ?? ''),
    })
    return [causes.map(({ field }) => field).join(), warnings.join()]
  }
  const bad = { k: 'a', v: 1 }
  const other = { k: 'b', v: 2 }
  const schema = object({
    one: item,
    atomic: { type: 'array', items: item },
    keyed: { type: 'array', items: item, ...keyed },
    open: { ...item, 'x-kubernetes-preserve-unknown-fields': true },
    note: text,
  })
  const rows: readonly (readonly [string, JsonObject, JsonObject, string, string])[] = [
    ['the same', { one: bad, note: 'y' }, { one: bad }, '', 'one'],
    ['changed', { one: { ...bad, v: 2 } }, { one: bad }, 'one', ''],
    ['new', { one: bad }, {}, 'one', ''],
    [
      'in a list that is the same',
      { atomic: [bad, other], note: 'y' },
      { atomic: [bad, other] },
      '',
      'atomic[0],atomic[1]',
    ],
    ['in a list that is not', { atomic: [bad, other] }, { atomic: [bad] }, 'atomic[0],atomic[1]', ''],
    ['in a list with keys', { keyed: [other, bad] }, { keyed: [bad] }, 'keyed[0]', 'keyed[1]'],
    [
      'beside what the schema does not know',
      { open: { ...bad, x: 1 } },
      { open: { ...bad, x: 1 } },
      'open',
      '',
    ],
  ]
  for (const [name, value, old, causes, warnings] of rows)
    t.same(validate(schema, value, old), [causes, warnings], name)
  const transition = {
    ...object({ v: integer }),
    ...rules({ rule: 'self.v > oldSelf.v', message: 'must grow' }),
  }
  t.same(
    validate(object({ one: transition }), { one: { v: 1 } }, { one: { v: 1 } }),
    ['one', ''],
    'rules of changes hold',
  )
  t.same(
    createRules(readStructural(schema))
      .validate({ one: bad }, { one: bad })
      .map(({ field }) => field),
    ['one'],
    'nothing is let pass where nobody hears of it',
  )
  t.end()
})

t.test('budgets', (t) => {
  const list = { type: 'array', items: integer }
  const outOfBudget =
    'validation failed due to running out of cost budget, no further validation rules will be run'
  const dear = 'self.all(x, x >= 0)'
  const numbers = (count: number): JsonValue => Array.from({ length: count }, (_, at) => at)
  // about five units for each element: one rule may cost 1,000,000
  const tooDear = refused({ list, b: integer }, `self.list.all(x, self.list.all(y, x + y >= 0))`, {
    list: numbers(1000),
    b: 1,
  })
  t.equal(
    tooDear,
    'Invalid spec: Invalid value: "object": \'operation cancelled: actual cost limit exceeded\': no further validation rules will be run due to call cost exceeds limit for rule: self.list.all(x, self.list.all(y, x + y >= 0))',
  )
  // all rules of an object 10,000,000
  const properties = Object.fromEntries(
    Array.from({ length: 12 }, (_, at) => [`l${at}`, { ...list, ...rules(dear) }]),
  )
  const filled = (count: number): JsonObject =>
    Object.fromEntries(Object.keys(properties).map((name) => [name, numbers(count)]))
  t.same(found(object(properties), filled(1000)), [])
  const causes = found(object({ ...properties, last: { ...text, ...rules('false') } }), {
    ...filled(180_000),
    last: 'x',
  })
  t.same(causes, [`Invalid l11: Invalid value: "array": ${outOfBudget}`])
  // a message has a budget too
  const message = {
    rule: 'false',
    message: 'no',
    messageExpression: `self.list.all(x, self.list.all(y, x + y >= 0)) ? '' : ''`,
  }
  t.match(
    refused({ list }, message, { list: numbers(1000) }),
    /^Invalid spec: Invalid value: "object": no further validation rules will be run due to call cost exceeds limit for messageExpression: "self/,
  )
  t.end()
})

t.test('schemas without rules', (t) => {
  const plain = readStructural(object({ spec: object({ a: text }) }))
  t.equal(createRules(plain), createRules(readStructural(object({ b: text }))), 'nothing is made for them')
  t.same(createRules(plain).validate({ spec: { a: 'x' } }, { spec: {} }), [])
  t.end()
})
