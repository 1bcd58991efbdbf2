/** JSON in, JavaScript out: values by declared type, and what errors say. */

import t from 'tap'
import { cel } from '../../../src/cel/expression.ts'
import { outcome } from './evaluate.ts'

const self = cel.object('Self', {
  count: cel.int,
  ratio: cel.double,
  name: cel.maybe(cel.string),
  data: cel.bytes,
  at: cel.timestamp,
  every: cel.duration,
  labels: cel.map(cel.string, cel.string),
  ports: cel.list(cel.object('Port', { port: cel.int, name: cel.string }), { by: 'keys', keys: ['port'] }),
  tags: cel.list(cel.string, { by: 'element' }),
  my__dash__field: { type: cel.int, jsonName: 'my-field' },
})

const world = {
  types: { self, claims: cel.map(cel.string, cel.dyn), any: cel.dyn },
  values: {
    self: {
      count: 3,
      ratio: 2,
      data: 'AP8=',
      at: '2024-02-29T12:30:15.5Z',
      every: '1h30m',
      labels: JSON.parse('{"__proto__": "mine", "app": "x", "constructor": "own"}'),
      ports: [
        { port: 80, name: 'http' },
        { port: 443, name: 'https' },
      ],
      tags: ['b', 'a'],
      'my-field': 7,
      undeclared: true,
    },
    claims: {
      exp: 1700000000,
      half: 0.5,
      groups: ['a', 1, null],
      nothing: null,
      big: 1e300,
      nested: { x: [1] },
    },
  },
}

t.test('values by their declared types', (t) => {
  const rows = [
    ['self.count / 2', '1'],
    ['self.ratio / 4.0', '0.5'],
    ['self.data', 'b00ff'],
    ['self.at.getFullYear()', '2024'],
    ['self.at.getMilliseconds()', '500'],
    ['self.at.getHours("America/New_York")', '7'],
    ['self.at.getDayOfWeek("-23:59")', '3'],
    ['self.every.getMinutes()', '90'],
    ['self.every > duration("1h")', 'true'],
    ['self.my__dash__field', '7'],
    ['has(self.name)', 'false'],
    ['self.name', 'error: no such key: name'],
    ['self.ports[0].port + 1', '81'],
    ['self.ports.exists(p, p.name == "https")', 'true'],
    ['type(self.count) == int && type(self.ratio) == double', 'true'],
    ['claims.exp + 1', '1700000001'],
    ['claims.half', '0.5'],
    ['claims.big', '1e+300'.replace('1e+300', (1e300).toFixed(1))],
    ['claims.groups', '["a", 1, null]'],
    ['has(claims.nothing) && claims.nothing == null', 'true'],
    ['"nothing" in claims', 'true'],
    ['claims.nested.x[0]', '1'],
    ['claims.size()', '6'],
    ['claims.absent', 'error: no such key: absent'],
    ['claims["absent"]', 'error: no such key: absent'],
    ['claims.half.deeper', 'error: no such overload'],
    ['claims.groups.all(g, g == "a")', 'false'],
  ] as const
  for (const [source, expected] of rows) t.equal(outcome(source, world), expected, source)
  t.end()
})

t.test('properties of prototypes are no keys', (t) => {
  const rows = [
    ['claims.constructor', 'error: no such key: constructor'],
    ['has(claims.toString)', 'false'],
    ['claims.__proto__', 'error: no such key: __proto__'],
    ['claims["hasOwnProperty"]', 'error: no such key: hasOwnProperty'],
    ['"valueOf" in claims', 'false'],
    ['self.labels.__proto__', '"mine"'],
    ['self.labels["constructor"]', '"own"'],
    ['any.constructor', 'error: no such attribute(s): any'],
  ] as const
  for (const [source, expected] of rows) t.equal(outcome(source, world), expected, source)
  t.end()
})

t.test('objects of classes do not show their properties', (t) => {
  class Secret {
    readonly token = 'hidden'
  }
  const values = { any: new Secret(), claims: { s: new Secret() } }
  t.equal(outcome('any.token', { ...world, values }), 'error: unsupported value')
  t.equal(outcome('claims.s.token', { ...world, values }), 'error: unsupported value')
  t.end()
})

t.test('values that are not of the declared type are errors, not crashes', (t) => {
  const wrong = {
    count: 'three',
    ratio: '2',
    data: 'not base64!',
    at: 'now',
    every: 5,
    labels: [],
    ports: {},
    tags: 'x',
  }
  const sources = [
    'self.count + 1',
    'self.ratio * 2.0',
    'size(self.data)',
    'self.at',
    'self.every',
    'self.labels',
    'self.ports',
    'self.tags',
  ]
  for (const source of sources) {
    const values = { self: wrong }
    t.match(outcome(source, { ...world, values }), /^error: invalid data, expected a value of type '/, source)
  }
  const nulls = { self: Object.fromEntries(Object.keys(wrong).map((key) => [key, null])) }
  for (const source of [
    'self.count + 1',
    'self.ratio * 2.0',
    'self.tags.size()',
    'self.ports.all(p, true)',
    'self.every.getHours()',
  ]) {
    t.equal(outcome(source, { ...world, values: nulls }), 'error: no such overload', source)
  }
  t.end()
})

t.test('set and map lists have no order, and add up as such', (t) => {
  const oldSelf = { ...world.values.self, tags: ['a', 'b'], ports: [...world.values.self.ports].reverse() }
  const both = { types: { ...world.types, oldSelf: self }, values: { ...world.values, oldSelf } }
  t.equal(outcome('self.tags == oldSelf.tags', both), 'true')
  t.equal(outcome('self.ports == oldSelf.ports', both), 'true')
  t.equal(outcome('self.tags == ["a", "b", "b"]', both), 'false')
  t.equal(outcome('(self.tags + ["c", "a"]).size()', both), '3')
  t.equal(outcome('(self.ports + oldSelf.ports).map(p, p.port)', both), '[80, 443]')
  t.end()
})

t.test('integers keep their 64 bits', (t) => {
  const types = { n: cel.int, d: cel.dyn }
  const values = { n: 9007199254740993n, d: 9223372036854775807n }
  t.equal(outcome('n + 1', { types, values }), '9007199254740994')
  t.equal(outcome('d == 9223372036854775807', { types, values }), 'true')
  t.equal(outcome('d + 1', { types, values }), 'error: integer overflow')
  t.equal(outcome('-9223372036854775808 / -1', {}), 'error: integer overflow')
  t.equal(outcome('7 % -2', {}), '1')
  t.equal(outcome('-7 / 2', {}), '-3')
  t.equal(outcome('0 * -1', {}), '0')
  t.equal(outcome('1 / 0', {}), 'error: division by zero')
  t.equal(outcome('1u - 2u', {}), 'error: unsigned integer overflow')
  t.end()
})

t.test('results', (t) => {
  const rows = [
    ['[1, -2]', '[1, -2]'],
    ['3u', '3'],
    ['2.5', '2.5'],
    ["b'\\x00'", 'b00'],
    ["duration('90s')", '90s'],
    ['optional.none()', 'optional.none()'],
    ["optional.of('x')", 'optional.of("x")'],
    ["{'__proto__': null}", '{"__proto__": null}'],
  ] as const
  for (const [source, expected] of rows) t.equal(outcome(source), expected, source)
  t.end()
})

t.test('variables that were declared but not given', (t) => {
  t.equal(outcome('any == 1', world), 'error: no such attribute(s): any')
  t.equal(outcome('any == 1 || true', world), 'true')
  t.equal(outcome('has(self.name) && self.name == "x" || any', world), 'error: no such attribute(s): any')
  t.end()
})
