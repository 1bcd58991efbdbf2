/** Costs are deterministic; the budget ends everything, and nothing written or fed in can throw, hang or grow. */

import t from 'tap'
import { cel, compileExpression } from '../../../src/cel/expression.ts'
import { costOf, environmentOf, outcome } from './evaluate.ts'

const world = {
  types: { x: cel.int, text: cel.string, items: cel.list(cel.int), self: cel.map(cel.string, cel.dyn) },
  values: {
    x: 5,
    text: 'a'.repeat(100),
    items: Array.from({ length: 50 }, (_, at) => at),
    self: { a: { b: 1 } },
  },
}

t.test('costs', (t) => {
  const rows = [
    ['1 == 2', 1],
    ['x', 1],
    ['x == 5', 2],
    ['self.a.b', 3],
    ['has(self.a)', 1],
    ['has(self.a.b)', 2],
    ['[]', 40],
    ['[1, 2]', 40],
    ['{}', 30],
    ["text == 'b'", 2],
    ['text == text', 12],
    ["text.startsWith('aaaaaaaaaaa')", 3],
    ["text.contains('aaaaaaaaaaa')", 21],
    // 101 characters of text, 20 of pattern
    ["text.matches('aaaaaaaaaaaaaaaaaaaa')", 1 + 11 * 5],
    ['text + text', 22],
    ['text.upperAscii()', 11],
    ["text.replace('a', 'b')", 21],
    ['x in items', 52],
    ['items.all(i, true)', 1 + 50 * 3 + 1],
    ['items.exists(i, i == 0)', 1 + 4 + 2 + 4],
    ['items.map(i, i)', 1 + 50 * 13 + 1],
    ['items.sum()', 51],
    ['true ? 1 : x', 0],
    ['false && x == 5', 0],
    ['sets.contains([1], [1, 2])', 40 + 40 + 1 + 2],
  ] as const
  for (const [source, cost] of rows) t.equal(costOf(source, world), cost, source)
  t.end()
})

const sizedTypes = {
  ...world.types,
  text: cel.atMost(cel.string, 100),
  items: cel.atMost(cel.list(cel.int), 50),
}

t.test('no operator absorbs the end of the budget', (t) => {
  const exceeded = 'error: operation cancelled: actual cost limit exceeded'
  const greedy = 'items.all(i, items.all(j, items.all(k, k >= 0)))'
  const sources = [
    greedy,
    `${greedy} || true`,
    `true && (false || ${greedy} || true)`,
    `!(${greedy} && false)`,
    `items.exists(i, ${greedy} || true)`,
    `[1].all(i, ${greedy}) ? true : true`,
    `optional.of(1).optMap(v, ${greedy}).orValue(true)`,
  ]
  for (const source of sources) t.equal(outcome(source, { ...world, costMax: 1000 }), exceeded, source)
  const compiled = compileExpression(greedy, environmentOf(world), cel.bool)
  t.ok(compiled.ok)
  if (!compiled.ok) throw new Error(compiled.failure.message)
  const { result, cost } = compiled.value.measure(world.values, { costMax: 1000 })
  t.match(result, { ok: false, failure: { code: 'CostExceeded' } })
  t.ok(cost > 1000 && cost < 1100, `stopped at ${cost}`)
  t.end()
})

function chain(start: string, count: number, link: (name: string) => string): string {
  let source = start
  for (let at = 0; at < count; at++) source += link(`v${at}`)
  return source
}

const doubling = chain('[1]', 40, (v) => `.map(${v}, [${v}, ${v}])`)

t.test('small expressions of enormous values, types and texts', (t) => {
  const exceeded = 'error: operation cancelled: actual cost limit exceeded'
  const rows = [
    [doubling, exceeded],
    [`${doubling} == ${doubling}`, exceeded],
    [`'%s'.format([${doubling}])`, 'error: formatted value is too long'],
    [chain("['aaaaaaaaaa']", 60, (v) => `.map(${v}, ${v} + ${v})`), exceeded],
    [chain('[[1, 2]]', 60, (v) => `.map(${v}, ${v} + ${v})`), exceeded],
    [`'a'${".replace('', 'aaaaaaaaaaaaaaaaaaaa')".repeat(30)}`, exceeded],
    [chain('[1]', 40, (v) => `.map(${v}, {${v}: ${v}})`), 'types of the expression are too complex'],
    [`${'('.repeat(5000)}1${')'.repeat(5000)}`, 'expression recursion limit exceeded: 250'],
    [`1${' + 1'.repeat(5000)}`, 'expression recursion limit exceeded: 250'],
    [`${'['.repeat(50_000)}`, 'expression recursion limit exceeded: 250'],
    [`'${'a'.repeat(100_000)}'`, 'expression code point size exceeds limit: size: 100002, limit 100000'],
    [`${'!'.repeat(50_000)}true`, 'true'],
    [`true${' && true'.repeat(10_000)}`, 'true'],
  ] as const
  for (const [source, expected] of rows) {
    const start = process.cpuUsage()
    const found = outcome(source)
    const millis = process.cpuUsage(start).user / 1000
    t.ok(found.includes(expected), `${source.slice(0, 60)} → ${found.slice(0, 80)}`)
    t.ok(millis < 3000, `took ${millis} ms`)
  }
  t.end()
})

t.test('long texts that are almost numbers, times, addresses', (t) => {
  const text = `${'1'.repeat(200_000)}x`
  const sources = [
    'int(text)',
    'uint(text)',
    'double(text)',
    'bool(text)',
    'duration(text)',
    'timestamp(text)',
  ]
  const others = [
    'quantity(text)',
    'ip(text)',
    'cidr(text)',
    'url(text)',
    'isURL("https://" + text)',
    'text.trim()',
  ]
  const start = process.cpuUsage()
  for (const source of [...sources, ...others]) {
    t.type(outcome(source, { types: { text: cel.string }, values: { text } }), 'string', source)
  }
  const millis = process.cpuUsage(start).user / 1000
  t.ok(millis < 2000, `took ${millis} ms`)
  t.end()
})

t.test('patterns that make other engines exponential', (t) => {
  const text = `${'a'.repeat(5000)}!`
  t.equal(outcome("text.matches('^(a+)+$')", { types: { text: cel.string }, values: { text } }), 'false')
  t.end()
})

/** Deterministic: the same seed, the same expressions. */
function randomOf(seed: number): (below: number) => number {
  let state = seed
  return (below) => {
    state = (Math.imul(state, 1664525) + 1013904223) >>> 0
    return Math.floor((state / 2 ** 32) * below)
  }
}

const atoms = [
  'x',
  'text',
  'items',
  'self',
  'any',
  'i',
  '1',
  '-1',
  '0',
  '2u',
  '1.5',
  "'a'",
  "''",
  "b'x'",
  'null',
  'true',
  'false',
  '[]',
  '{}',
  "'%s%d'",
  '9223372036854775807',
  "'1Gi'",
  "'10.0.0.0/8'",
  "'https://a/b?c=d'",
  "'2024-01-01T00:00:00Z'",
] as const
const methods = [
  'size',
  'charAt',
  'indexOf',
  'substring',
  'replace',
  'split',
  'join',
  'trim',
  'format',
  'sum',
  'min',
  'isSorted',
  'matches',
  'find',
  'findAll',
  'contains',
  'getHours',
  'getHost',
  'asInteger',
  'add',
  'containsIP',
  'orValue',
  'value',
] as const
const functions = [
  'size',
  'int',
  'uint',
  'double',
  'string',
  'bytes',
  'bool',
  'type',
  'dyn',
  'duration',
  'timestamp',
  'quantity',
  'url',
  'ip',
  'cidr',
  'optional.of',
  'sets.contains',
  'isQuantity',
  'strings.quote',
] as const
const binaries = ['+', '-', '*', '/', '%', '==', '!=', '<', '<=', '>', '>=', 'in', '&&', '||'] as const
const macros = ['all', 'exists', 'exists_one', 'map', 'filter'] as const

function expression(random: (below: number) => number, depth: number): string {
  const pick = <T>(options: readonly [T, ...T[]]): T => options[random(options.length)] ?? options[0]
  const inner = (): string => expression(random, depth - 1)
  if (depth === 0) return pick(atoms)
  switch (random(11)) {
    case 0:
    case 1:
      return `dyn(${inner()}) ${pick(binaries)} dyn(${inner()})`
    case 2:
      return `(${inner()} ${pick(binaries)} ${inner()})`
    case 3:
      return `dyn(${inner()}).${pick(methods)}(${random(2) === 0 ? '' : `dyn(${inner()})`})`
    case 4:
      return `${pick(functions)}(dyn(${inner()}))`
    case 5:
      return `dyn(${inner()}).${pick(macros)}(i, ${inner()})`
    case 6:
      return `dyn(${inner()})[dyn(${inner()})]`
    case 7:
      return `(dyn(${inner()}) ? dyn(${inner()}) : dyn(${inner()}))`
    case 8:
      return `dyn(${inner()}).${random(2) === 0 ? '?' : ''}${pick(['a', 'constructor', '__proto__'])}`
    case 9:
      return `[dyn(${inner()}), dyn(${inner()})]`
    default:
      return pick(atoms)
  }
}

const seed = Number(process.env['SEED'] ?? 20_241_121)

t.test(`random expressions never throw and never exceed their budget (SEED=${seed})`, (t) => {
  const random = randomOf(seed)
  const types = { ...sizedTypes, any: cel.dyn, i: cel.dyn }
  const anyValues = [
    1,
    'x',
    null,
    [1, 'a', null, { a: 1 }],
    { a: { a: [] } },
    1.5,
    true,
    undefined,
    2n ** 62n,
    new Date(0),
  ]
  let compiledCount = 0
  let valueCount = 0
  for (let round = 0; round < 6000; round++) {
    const source = expression(random, 1 + random(4))
    const compiled = compileExpression(source, environmentOf({ types }), cel.dyn)
    if (!compiled.ok) continue
    compiledCount++
    const values = {
      ...world.values,
      any: anyValues[random(anyValues.length)],
      i: anyValues[random(anyValues.length)],
    }
    const costMax = 1 + random(2000)
    const { result, cost } = compiled.value.measure(values, { costMax })
    if (result.ok) valueCount++
    if (cost > costMax && (result.ok || result.failure.code !== 'CostExceeded')) {
      t.fail(`${source} spent ${cost} of ${costMax}`)
    }
    const estimated = compiled.value.estimatedCost(types.self)
    if (!(estimated >= 0 && estimated <= 2 ** 64)) t.fail(`${source} is estimated at ${estimated}`)
    const again = compiled.value.measure(values, { costMax })
    if (again.cost !== cost || again.result.ok !== result.ok) t.fail(`${source} differs when evaluated again`)
  }
  t.ok(compiledCount > 1500, `${compiledCount} compiled`)
  t.ok(valueCount > 200, `${valueCount} had a value`)
  t.end()
})

t.test('random texts never make the parser throw', (t) => {
  const random = randomOf(seed + 1)
  const pieces = [
    ...atoms,
    ...binaries,
    '(',
    ')',
    '[',
    ']',
    '{',
    '}',
    '.',
    ',',
    '?',
    ':',
    '"',
    "'''",
    '\\',
    '\n',
    '//',
    '😀',
    'r"',
    'b',
  ]
  for (let round = 0; round < 5000; round++) {
    const count = 1 + random(12)
    const source = Array.from({ length: count }, () => pieces[random(pieces.length)] ?? '').join('')
    const compiled = compileExpression(source, environmentOf(world), cel.dyn)
    if (!compiled.ok && !/^ERROR: <input>:\d+:\d+: /.test(compiled.failure.message)) t.fail(source)
  }
  t.pass('all refused or compiled')
  t.end()
})
