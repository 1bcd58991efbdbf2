/** Rules when a definition is written: what is refused, in which words, and what they may cost. */

import t from 'tap'
import { checkRules } from '../../../../src/crd/rules/check.ts'
import { checkForm } from '../../../../src/crd/rules/rule-form.ts'
import { readStructural } from '../../../../src/crd/schema/read.ts'
import type { JsonObject } from '../../../../src/json.ts'
import type { Cause } from '../../../../src/status/status.ts'

const rules = (...rules: readonly (string | JsonObject)[]): JsonObject => ({
  'x-kubernetes-validations': rules.map((rule) => (typeof rule === 'string' ? { rule } : rule)),
})
const object = (properties: JsonObject, more: JsonObject = {}): JsonObject => ({
  type: 'object',
  properties,
  ...more,
})
const text = { type: 'string', maxLength: 10 }
const integer = { type: 'integer' }

/** `field: message`, the path of the schema left out. */
function found(schema: JsonObject, options?: Parameters<typeof checkRules>[2]): readonly string[] {
  return shownCauses(checkRules(readStructural(schema), 'schema', options))
}

function shownCauses(causes: readonly Cause[]): readonly string[] {
  return causes.map(
    ({ field, message }) => `${field?.replace('x-kubernetes-validations', 'rules')}: ${message}`,
  )
}

/** Of the first rule at the root. */
function formOf(schema: JsonObject): readonly string[] {
  const structural = readStructural(schema)
  const [rule] = structural.rules
  return rule === undefined ? [] : shownCauses(checkForm(rule, structural, 'schema.rules[0]'))
}

const spec = object({ n: integer, m: integer, name: text })
const shown = (rule: string, more = 'Message:"", MessageExpression:""'): string =>
  `Invalid value: apiextensions.ValidationRule{Rule:${JSON.stringify(rule)}, ${more}, Reason:(*apiextensions.FieldValueErrorReason)(nil), FieldPath:"", OptionalOldSelf:(*bool)(nil)}: `

t.test('what a rule says', (t) => {
  const compiled = (rule: string, text: string): readonly string[] => [
    `schema.rules[0].rule: ${shown(rule)}${text}`,
  ]
  const rows: readonly (readonly [JsonObject, readonly string[]])[] = [
    [rules('self.n > self.m'), []],
    [rules('self.n > self.m', "self.name != 'x'"), []],
    [rules('self.n + self.m'), compiled('self.n + self.m', 'cel expression must evaluate to a bool')],
    [
      rules('self.x > 1'),
      compiled(
        'self.x > 1',
        "compilation failed: ERROR: <input>:1:5: undefined field 'x'\n | self.x > 1\n | ....^",
      ),
    ],
    [
      rules("self.n == 'a'"),
      compiled(
        "self.n == 'a'",
        "compilation failed: ERROR: <input>:1:8: found no matching overload for '_==_' applied to '(int, string)'\n | self.n == 'a'\n | .......^",
      ),
    ],
    [
      rules({ rule: 'self.n > 1', messageExpression: 'self.n' }),
      [
        `schema.rules[0].messageExpression: ${shown('self.n > 1', 'Message:"", MessageExpression:"self.n"')}messageExpression must evaluate to a string`,
      ],
    ],
    [
      rules({ rule: 'self.n > 1', messageExpression: '1 +' }),
      [
        `schema.rules[0].messageExpression: ${shown('self.n > 1', 'Message:"", MessageExpression:"1 +"')}messageExpression compilation failed: `,
      ],
    ],
    [rules({ rule: 'self.n > 1', messageExpression: "'name is ' + self.name" }), []],
    // what the release before does not know may not be written yet
    [
      rules('isIP(self.name)'),
      compiled(
        'isIP(self.name)',
        "compilation failed: ERROR: <input>:1:5: undeclared reference to 'isIP' (in container '')\n | isIP(self.name)\n | ....^",
      ),
    ],
    // properties of every resource
    [
      rules("self.apiVersion != '' && self.kind != '' && self.metadata.name != self.metadata.generateName"),
      [],
    ],
    [rules('size(self.metadata.labels) > 0'), ["undefined field 'labels'"]],
  ]
  for (const [schema, expected] of rows) {
    const causes = found({ ...spec, ...schema })
    const is =
      causes.length === expected.length && causes.every((cause, at) => cause.includes(expected[at] ?? '?'))
    t.ok(is, `${JSON.stringify(schema)}: ${causes.join('; ')}`)
  }
  t.end()
})

t.test('what a rule must look like', (t) => {
  const at = 'schema.rules[0]'
  const rows: readonly (readonly [JsonObject, readonly string[]])[] = [
    [{ rule: ' ' }, [`${at}.rule: Required value: rule is not specified`]],
    [
      { rule: 'true', message: ' ' },
      [`${at}.message: Invalid value: " ": message must be non-empty if specified`],
    ],
    [
      { rule: 'true', message: 'a\nb' },
      [`${at}.message: Invalid value: "a\\nb": message must not contain line breaks`],
    ],
    [
      { rule: 'true\n|| false' },
      [`${at}.message: Required value: message must be specified if rule contains line breaks`],
    ],
    [{ rule: 'true\n|| false', message: 'no' }, []],
    [
      { rule: 'true', messageExpression: ' ' },
      [`${at}.messageExpression: Required value: messageExpression must be non-empty if specified`],
    ],
    [
      { rule: 'true', reason: 'Bad' },
      [
        `${at}.reason: Unsupported value: "Bad": supported values: "FieldValueDuplicate", "FieldValueForbidden", "FieldValueInvalid", "FieldValueRequired"`,
      ],
    ],
    [{ rule: 'true', reason: 'FieldValueForbidden', fieldPath: '.n' }, []],
    [
      { rule: 'true', fieldPath: '.x' },
      [`${at}.fieldPath: Invalid value: ".x": fieldPath must be a valid path`],
    ],
    [
      { rule: 'true', fieldPath: ' ' },
      [
        `${at}.fieldPath: Invalid value: " ": fieldPath must be non-empty if specified`,
        `${at}.fieldPath: Invalid value: " ": fieldPath must be a valid path`,
      ],
    ],
  ]
  for (const [rule, expected] of rows)
    t.same(formOf({ ...spec, ...rules(rule) }), expected, JSON.stringify(rule))
  t.end()
})

t.test('the value before as an optional', (t) => {
  const optional = (rule: string): readonly string[] =>
    found({ ...spec, ...rules({ rule, optionalOldSelf: true }) })
  t.same(optional('self.n > 1'), [
    'schema.rules[0].optionalOldSelf: Invalid value: true: may not be set if oldSelf is not used in rule',
  ])
  t.same(optional('oldSelf.hasValue() || self.n > 1'), [])
  t.end()
})

t.test('where a field path leads', (t) => {
  const schema = object({
    spec,
    'a.b': text,
    map: { type: 'object', additionalProperties: object({ x: text }) },
    any: { type: 'object', additionalProperties: true },
    list: { type: 'array', maxItems: 1, items: object({ x: text }) },
  })
  const rows = [
    ['.spec', true],
    ['.spec.n', true],
    ["['spec']['n']", true],
    ["['a.b']", true],
    ['.a.b', false],
    [".map['x y'].x", true],
    ['.map.anything', true],
    [".map['it\\'s']", true],
    [".map['\\q']", false],
    ['.any.x', true],
    ['.any.x.y', false],
    ['.list[0]', false],
    ['.list.x', false],
    ['spec', false],
    ['.spec.', false],
    ['..spec', false],
    ['.spec[n]', false],
    ["['spec'", false],
  ] as const
  for (const [path, leads] of rows) {
    const causes = formOf({ ...schema, ...rules({ rule: 'true', fieldPath: path }) })
    t.equal(causes.length === 0, leads, `${path} ${causes.join()}`)
  }
  t.end()
})

t.test('changes are compared where the schema says what was there before', (t) => {
  const inner = { ...object({ k: text }, { required: ['k'] }), ...rules('self == oldSelf') }
  const list = (more: JsonObject): JsonObject =>
    object({ list: { type: 'array', maxItems: 5, items: inner, ...more } })
  t.same(found(object({ inner })), [])
  t.same(found(object({ map: { type: 'object', maxProperties: 5, additionalProperties: inner } })), [])
  t.same(found(list({ 'x-kubernetes-list-type': 'map', 'x-kubernetes-list-map-keys': ['k'] })), [])
  const refused = (place: string, within: string): readonly string[] => [
    `schema.${place}.rules[0].rule: Invalid value: "self == oldSelf": oldSelf cannot be used on the uncorrelatable portion of the schema within ${within}`,
  ]
  for (const type of ['atomic', 'set']) {
    t.same(
      found(list({ 'x-kubernetes-list-type': type })),
      refused('properties[list].items', 'schema.properties[list]'),
    )
  }
  const deep = object({
    outer: { type: 'array', maxItems: 2, items: { type: 'array', maxItems: 2, items: inner } },
  })
  t.same(found(deep), refused('properties[outer].items.items', 'schema.properties[outer]'))
  t.end()
})

t.test('what a rule may cost, over all places where it runs', (t) => {
  const advice =
    '(try simplifying the rule, or adding maxItems, maxProperties, and maxLength where arrays, maps, and strings are declared)'
  const all = rules('self.all(x, true)')
  const list = (items: JsonObject, more: JsonObject = {}): JsonObject => ({ type: 'array', items, ...more })
  const rule = (place: string, factor: string): string =>
    `schema.${place}.rules[0].rule: Forbidden: estimated rule cost exceeds budget by factor of ${factor} ${advice}`
  t.same(found(object({ list: list(integer, all) })), [])
  t.same(found(object({ list: list(integer, rules('self.all(x, self.all(y, x == y))')) })).slice(0, 1), [
    rule('properties[list]', 'more than 100x'),
  ])
  t.same(
    found(object({ list: list(integer, rules('self.all(x, x in [1, 2])')) })),
    // 1,572,863 elements cost 3 + 1 + 10 + 2 each
    [rule('properties[list]', '2.5x')],
  )
  // a rule of 5 units for each of 2,500,000
  const often = { ...object({ a: integer, b: integer }), ...rules('self.a > self.b') }
  t.same(found(object({ list: list(often, { maxItems: 2_500_000 }) })), [
    rule('properties[list].items', '1.250000x'),
  ])
  t.same(found(object({ list: list(often, { maxItems: 1000 }) })), [])
  // without a bound, as often as such objects fit into a request: 3 MiB / 3 bytes
  t.same(found(object({ list: list(often) })), [])
  t.same(found(object({ list: list(often) }), { isUnchanged: true }), [])
  const twice = object({
    m: { type: 'object', maxProperties: 4000, additionalProperties: list(often, { maxItems: 1000 }) },
  })
  t.same(found(twice), [rule('properties[m].additionalProperties.items', '2.0x')])
  t.same(found(twice, { isUnchanged: true }), [], 'what is stored may cost what it did')
  t.end()
})

t.test('what all rules together may cost', (t) => {
  const dear = { type: 'array', items: integer, ...rules('self.all(x, x > 0)') } // 7,864,317 units
  const names = Array.from({ length: 13 }, (_, at) => `p${at}`)
  t.same(found(object(Object.fromEntries(names.slice(0, 12).map((name) => [name, dear])))), [])
  const causes = found(object(Object.fromEntries(names.map((name) => [name, dear]))))
  const contributed =
    'Forbidden: contributed to estimated rule cost total exceeding cost limit for entire OpenAPIv3 schema'
  t.same(
    causes.slice(0, 4),
    names.slice(0, 4).map((name) => `schema.properties[${name}].rules[0].rule: ${contributed}`),
  )
  t.match(
    causes[4],
    /^schema: Forbidden: x-kubernetes-validations estimated rule cost total for entire OpenAPIv3 schema exceeds budget by factor of 1\.0223\d\dx /,
  )
  t.equal(causes.length, 5)
  t.end()
})

t.test('what was accepted before is accepted again', (t) => {
  const schema = {
    ...spec,
    ...rules({ rule: 'isIP(self.name)', messageExpression: "isIP(self.name) ? '' : ''" }),
  }
  t.equal(found(schema).length, 1, 'the message is not looked at while the rule is wrong')
  const accepted = {
    rules: new Set(['isIP(self.name)']),
    messageExpressions: new Set(["isIP(self.name) ? '' : ''"]),
  }
  t.same(found(schema, { accepted }), [])
  t.match(found(schema, { accepted: { ...accepted, messageExpressions: new Set() } })[0], /messageExpression/)
  t.end()
})

t.test('types that no rule can see', (t) => {
  const failed =
    'Internal error: internal error: failed to construct type information for x-kubernetes-validations rules: unable to convert structural schema to CEL declarations'
  const any = { 'x-kubernetes-preserve-unknown-fields': true }
  t.same(found(object({ any: { ...any, ...rules('true') } })), [`schema.properties[any].rules: ${failed}`])
  t.same(found(object({ list: { type: 'array', items: any, ...rules('true') } })), [
    `schema.properties[list].rules: ${failed}`,
  ])
  t.same(
    found({ ...object({ any }), ...rules('has(self.any)') }).length,
    1,
    'the property is not there for rules',
  )
  t.same(found({ ...object({ open: { type: 'object', ...any } }), ...rules('has(self.open)') }), [])
  t.same(
    found({
      ...object({ n: { 'x-kubernetes-int-or-string': true } }),
      ...rules('self.n == 1 || self.n == "1"'),
    }),
    [],
  )
  t.end()
})

t.test('names of properties as rules spell them', (t) => {
  const names = {
    'a.b': 'a__dot__b',
    'a-b': 'a__dash__b',
    'a/b': 'a__slash__b',
    a__b: 'a__underscores__b',
    '-x': '__dash__x',
    in: '__in__',
    namespace: '__namespace__',
    int: 'int',
    _a: '_a',
  }
  for (const [name, spelled] of Object.entries(names)) {
    t.same(found({ ...object({ [name]: integer }), ...rules(`self.${spelled} > 0`) }), [], name)
  }
  for (const name of ['1a', 'a b', 'é', '']) {
    const own = { ...integer, ...rules('self > 0') }
    t.same(found(object({ [name]: own })), [], `${name}: its own rules see it`)
    t.same(found({ ...object({ [name]: own }), ...rules("self.kind != ''") }), [], name)
  }
  t.end()
})
