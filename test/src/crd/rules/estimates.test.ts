/** What rules are estimated to cost: the figures that Kubernetes 1.30 gives, unbounded and with bounds in the schema. */

import t from 'tap'
import { compileRules } from '../../../../src/crd/rules/compile.ts'
import { declare } from '../../../../src/crd/rules/declare.ts'
import { readStructural } from '../../../../src/crd/schema/read.ts'
import type { JsonObject } from '../../../../src/json.ts'

/** A schema, with the bound where the table wants it. */
type Schema = (bound: number | undefined) => JsonObject

const number = { type: 'number' }
const text = { type: 'string' }
const format = (name: string): JsonObject => ({ type: 'string', format: name })
const intOrString = { 'x-kubernetes-int-or-string': true }
const pair = { type: 'object', properties: { required: text, optional: text }, required: ['required'] }
const object = (properties: JsonObject): JsonObject => ({ type: 'object', properties })

function bounded(schema: JsonObject, name: string, bound: number | undefined): JsonObject {
  return bound === undefined ? schema : { ...schema, [name]: bound }
}

const list =
  (items: JsonObject): Schema =>
  (bound) =>
    bounded({ type: 'array', items }, 'maxItems', bound)
const map =
  (values: JsonObject): Schema =>
  (bound) =>
    bounded({ type: 'object', additionalProperties: values }, 'maxProperties', bound)
const string: Schema = (bound) => bounded(text, 'maxLength', bound)
const texts: Schema = (bound) => list(string(bound))(bound)

function estimate(schema: JsonObject, rule: string): number | string {
  const structural = readStructural({ ...schema, 'x-kubernetes-validations': [{ rule }] })
  const declared = declare(structural, false, 'self')
  if (declared === undefined) return 'no type'
  const [compiled] = compileRules(structural, declared.type, undefined)
  return compiled?.program?.estimatedCost(declared.type) ?? compiled?.problem ?? 'no rule'
}

t.test('unbounded, and with a bound', (t) => {
  const rows: readonly (readonly [Schema, string, number, number, number])[] = [
    [list(number), 'self.all(x, true)', 4_718_591, 10, 32],
    [list(text), 'self.all(x, true)', 3_145_727, 20, 62],
    [list({ type: 'boolean' }), 'self.all(x, true)', 1_887_437, 5, 17],
    [list({ type: 'array', items: number }), 'self.all(x, true)', 3_145_727, 100, 302],
    [list(pair), 'self.all(x, true)', 555_128, 50, 152],
    [map(number), 'self.all(x, true)', 1_348_169, 10, 32],
    [map(text), 'self.all(x, true)', 1_179_647, 3, 11],
    [map({ type: 'boolean' }), 'self.all(x, true)', 943_718, 100, 302],
    [string, "self.contains('test')", 314_574, 10, 5],
    [string, "self.startsWith('test')", 2, 15, 2],
    [string, "self.endsWith('test')", 2, 30, 2],
    [string, 'size(self + "hello") > size("hello")', 314_578, 4, 7],
    [list(number), 'self[1] == 0.0', 2, 5000, 2],
    [list(text), 'self[1] == self[1]', 314_577, 8, 314_577],
    [string, 'self.matches("x")', 314_574, 50, 22],
    [string, '"".matches("(((((((((())))))))))[0-9]")', 7, 10, 7],
    [string, 'self.matches("")', 1, 100, 1],
    [(bound) => map(string(bound))(bound), 'self.all(x, x.contains(self[x]))', 2_752_507, 10, 72],
    [map(number), 'self["x"] == 0.0', 2, 0, 2],
    [string, 'self == "x"', 2, 0, 1],
    [(bound) => bounded(format('byte'), 'maxLength', bound), 'self == b"x"', 2, 0, 1],
    [list(number), 'self.all(x, x == 0.0)', 6_291_454, 3 * 1024 * 2048, 25_165_826],
    [
      (bound) => list(map(bounded(pair, 'maxProperties', bound))(bound))(bound),
      'self.all(x, x["y"].required == "z")',
      7_340_027,
      10,
      72,
    ],
    [
      (bound) => list(map(pair)(bound))(undefined),
      'self.all(x, x["y"].required == "z")',
      7_340_027,
      10,
      7_340_027,
    ],
    [list(intOrString), 'self.all(x, true)', 4_718_591, 10, 32],
    [list(intOrString), 'self[0] == 5', 3, 10, 3],
    [list({ type: 'boolean' }), 'self[0] == false', 2, 25, 2],
    [list(pair), 'self[0] == null', 2, 422, 2],
    [list({ type: 'array', items: number }), 'self[0][0] == -1.0', 3, 51, 3],
    [list(map(number)(undefined)), 'self.all(x, x.y == 25.2)', 6_291_452, 12, 74],
    [list(map(number)(undefined)), 'self[0].x > 2.0', 4, 3000, 4],
    [list(format('duration')), 'self.all(x, true)', 2_359_295, 5, 17],
    [list(format('duration')), 'self[0].getHours() == 2', 4, 525, 4],
    [list(format('date')), 'self.all(x, true)', 725_936, 15, 47],
    [list(format('date')), 'self[2].getDayOfMonth() == 13', 4, 42, 4],
    [list(format('date-time')), 'self.all(x, true)', 428_963, 25, 77],
    [list(format('date-time')), 'self[2].getMinutes() == 45', 4, 99, 4],
    [map(intOrString), 'self.all(x, true)', 1_348_169, 15, 47],
    [map(pair), 'self.all(x, true)', 428_963, 20, 62],
    [map(map(number)(undefined)), 'self.all(x, true)', 1_179_647, 10, 32],
    [map(list(number)(undefined)), 'self.all(x, true)', 1_179_647, 25, 77],
    [map(format('duration')), 'self.all(x, true)', 1_048_577, 5, 17],
    [map(format('date')), 'self.all(x, true)', 524_288, 10, 32],
    [map(format('date-time')), 'self.all(x, true)', 349_526, 25, 77],
    [string, "self.find('[0-9]+') == ''", 629_147, 10, 11],
    [texts, "self.join(' ') == 'aa bb'", 329_853_068_905, 10, 43],
    [texts, 'self.isSorted() == true', 329_854_432_052, 10, 52],
    [
      (bound) =>
        object({ str: string(bound), before: { ...text, maxLength: 2 }, after: { ...text, maxLength: 4 } }),
      "self.str.replace(self.before, self.after) == 'does not matter'",
      629_154,
      4,
      12,
    ],
    [
      (bound) => object({ str: string(bound), separator: string(bound) }),
      'self.str.split(self.separator) == []',
      629_160,
      10,
      22,
    ],
    [string, "self.lowerAscii() == 'lower!'", 314_575, 10, 6],
    [map({ type: 'integer' }), 'oldSelf.size() == self.size()', 5, 10, 5],
    [map(format('date-time')), 'self["a"] == self["b"]', 8, 7, 8],
    [map(format('duration')), 'self["c"] == self["d"]', 8, 42, 8],
    [
      (bound) => bounded({ ...text, enum: ['A', 'B', 'C', 'LongValue'] }, 'maxLength', bound),
      "self.contains('A')",
      2,
      1000,
      401,
    ],
  ]
  for (const [schema, rule, free, bound, withBound] of rows) {
    t.equal(estimate(schema(undefined), rule), free, `${rule} of ${JSON.stringify(schema(undefined))}`)
    t.equal(estimate(schema(bound), rule), withBound, `${rule} of ${JSON.stringify(schema(bound))}`)
  }
  t.end()
})

t.test('loops in loops', (t) => {
  const rows = [
    ['self.all(x, self.all(y, true))', 352],
    ['self.all(x, self.all(y, self.all(z, true)))', 3552],
    ['self.exists(x, true)', 42],
    ['self.exists_one(x, true)', 23],
    ['self.filter(x, true) == []', 1 + 10 + 10 * 13 + 1 + 10 + 0],
    ['self.map(x, x) == []', 1 + 10 + 10 * 13 + 1 + 10 + 0],
    ['self.map(x, x > 1.0, x) == []', 1 + 10 + 10 * 15 + 1 + 10 + 0],
    ['[1, 2].all(x, x in [1, 2])', 10 + 2 * (3 + 1 + 10 + 2) + 1],
  ] as const
  for (const [rule, cost] of rows) {
    t.ok(Number(estimate(list(number)(undefined), rule)) >= 29, rule)
    t.equal(estimate(list(number)(10), rule), cost, rule)
  }
  t.ok(Number(estimate(list(number)(undefined), rows[0][0])) > 10_000_000)
  t.end()
})

t.test('what no path leads to has no bound', (t) => {
  const schema = object({ a: { ...text, maxLength: 10 }, n: { type: 'integer' } })
  const rows = [
    ["self.?a.orValue('') == ''", 1 + 1 + 1 + 0],
    ["self.a.contains('x')", 2 + 4],
    ["string(self.n).contains('x')", 2 ** 64],
    ["optional.of(self.a).value().contains('x')", 2 ** 64],
    ['self.n == 1', 2],
    ['type(self.n) == int', 1 + 1 + 1 + 1 + 0],
    ['sets.contains([self.n], [1, 2])', 10 + 2 + 10 + 1 + 2],
    ["quantity(self.a).isGreaterThan(quantity('1Gi'))", 2 + 4 + 1 + 1],
  ] as const
  for (const [rule, cost] of rows) {
    const found = estimate(schema, rule)
    t.ok(found === cost || (cost === 2 ** 64 && Number(found) > 1e17), `${rule}: ${found}`)
  }
  t.end()
})
