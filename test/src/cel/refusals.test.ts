/** What does not compile, and how it is told: cel-go's words, the line, a caret. */

import t from 'tap'
import { cel, compileExpression } from '../../../src/cel/expression.ts'
import { outcome } from './evaluate.ts'

const user = cel.object('kubernetes.UserInfo', { username: cel.string, groups: cel.list(cel.string) })
const world = { types: { user, n: cel.int, m: cel.map(cel.string, cel.int), d: cel.dyn } }

const refusals: readonly (readonly [source: string, message: string])[] = [
  ['x + 1', "1:1: undeclared reference to 'x' (in container '')"],
  ['1 + x', "1:5: undeclared reference to 'x' (in container '')"],
  ['user.name', "1:5: undefined field 'name'"],
  ['has(user.name)', "1:4: undefined field 'name'"],
  ['user.username.first', "1:14: type 'string' does not support field selection"],
  ["n + 'a'", "1:3: found no matching overload for '_+_' applied to '(int, string)'"],
  ['n.size()', "1:7: found no matching overload for 'size' applied to 'int.()'"],
  ['n == 1.0', "1:3: found no matching overload for '_==_' applied to '(int, double)'"],
  ['n && true', "1:1: expected type 'bool' but found 'int'"],
  ['[1, true]', "1:5: expected type 'int' but found 'bool'"],
  ["{'a': 1, 'b': 'c'}", "1:15: expected type 'int' but found 'string'"],
  [
    'n.all(x, true)',
    "1:1: expression of type 'int' cannot be range of a comprehension (must be list, map, or dynamic)",
  ],
  ['user.groups.all(g, g)', "1:20: expected type 'bool' but found 'string'"],
  ['has(n)', '1:5: invalid argument to has() macro'],
  ['user.groups.all(1, true)', '1:17: argument must be a simple name'],
  ['user.groups.map(1, true)', '1:17: argument is not an identifier'],
  ['unknown(1)', "1:8: undeclared reference to 'unknown' (in container '')"],
  ["'a'.matches('(')", '1:13: invalid matches argument'],
  ["duration('1 day')", '1:10: invalid duration argument'],
  ["timestamp('yesterday')", '1:11: invalid timestamp argument'],
  ['timestamp(-62135596801)', '1:11: invalid timestamp argument'],
  ["'%s'.format([[1, 'a']])", "1:18: expected type 'int' but found 'string'"],
  ['user.true', "1:6: Syntax error: mismatched input 'true' expecting IDENTIFIER"],
  ['for', '1:1: reserved identifier: for'],
  ['9223372036854775808', '1:1: invalid int literal'],
  [
    'n ==',
    "1:5: Syntax error: mismatched input '<EOF>' expecting {'[', '{', '(', '.', '-', '!', 'true', 'false', 'null', NUM_FLOAT, NUM_INT, NUM_UINT, STRING, BYTES, IDENTIFIER}",
  ],
  ['(n', "1:3: Syntax error: mismatched input '<EOF>' expecting ')'"],
  ['n n', "1:3: Syntax error: extraneous input 'n' expecting <EOF>"],
  ['n # 1', "1:3: Syntax error: token recognition error at: '#'"],
  ["'open", "1:1: Syntax error: token recognition error at: ''open'"],
]

t.test('one finding', (t) => {
  for (const [source, message] of refusals) {
    const [first = ''] = outcome(source, world).split('\n')
    t.equal(first, `refused: ERROR: <input>:${message}`, source)
  }
  t.end()
})

t.test('what would compile and could never be run', (t) => {
  const unusable = 'refused: program instantiation failed: error parsing regexp: '
  t.equal(outcome("'a'.find(')') == ''"), `${unusable}unexpected ): \`)\``)
  t.equal(outcome("'a'.findAll('(', 1) == []"), `${unusable}missing closing ): \`(\``)
  t.end()
})

t.test('the source line and a caret below the place', (t) => {
  const source = "user.username == 'é' &&\n\tuser.nam != ''"
  t.equal(
    outcome(source, world),
    "refused: ERROR: <input>:2:6: undefined field 'nam'\n |  user.nam != ''\n | .....^",
  )
  t.equal(
    outcome("'é' + x", world),
    "refused: ERROR: <input>:1:7: undeclared reference to 'x' (in container '')\n | 'é' + x\n | .．....^",
  )
  t.end()
})

t.test('several findings in the order of their places', (t) => {
  t.same(
    outcome('y + x', world)
      .split('\n')
      .filter((line) => line.includes('ERROR')),
    [
      "refused: ERROR: <input>:1:1: undeclared reference to 'y' (in container '')",
      "ERROR: <input>:1:5: undeclared reference to 'x' (in container '')",
    ],
  )
  t.end()
})

t.test('of very many findings the first hundred, and no line that fills a screen', (t) => {
  const many = outcome(`[${'y,'.repeat(500)}]`, world).split('\n')
  t.equal(many.filter((line) => line.includes('ERROR')).length, 100)
  t.equal(many.at(-1), '400 more errors were truncated')
  const long = outcome(`[${'y,'.repeat(49_000)}]`, world)
  t.ok(long.length < 10_000, `${long.length} characters`)
  t.end()
})

t.test('the place is told as numbers too', (t) => {
  const compiled = compileExpression('true &&\n  x', { variables: new Map() }, cel.bool)
  t.match(compiled, { ok: false, failure: { line: 2, column: 3 } })
  t.end()
})

t.test('what it must evaluate to', (t) => {
  const environment = { variables: new Map(Object.entries(world.types)) }
  const expectations = [
    ['n', cel.bool, 'must evaluate to bool'],
    ['d', cel.bool, 'must evaluate to bool'],
    ['n', [cel.string, cel.list(cel.string)], 'must evaluate to one of [string list(string)]'],
    ['user.groups', [cel.string, cel.list(cel.string)], undefined],
    ['n == 1', cel.bool, undefined],
    ['d', cel.dyn, undefined],
  ] as const
  for (const [source, expected, message] of expectations) {
    const compiled = compileExpression(source, environment, expected)
    t.equal(compiled.ok ? undefined : compiled.failure.message, message, source)
  }
  t.end()
})

t.test('what the checker infers', (t) => {
  const environment = { variables: new Map(Object.entries(world.types)) }
  const types = [
    ['user.groups.map(g, g.size())', cel.list(cel.int)],
    ["m['a'] + n", cel.int],
    ['m.?a', cel.optional(cel.int)],
    ['true ? d : 1', cel.dyn],
    ['[]', cel.list(cel.dyn)],
    ["timestamp('2024-01-01T00:00:00Z') - duration('1h')", cel.timestamp],
    ["url('/').getQuery()", cel.map(cel.string, cel.list(cel.string))],
  ] as const
  for (const [source, type] of types) {
    const compiled = compileExpression(source, environment, cel.dyn)
    t.same(compiled.ok ? compiled.value.type : compiled.failure.message, type, source)
  }
  t.end()
})
