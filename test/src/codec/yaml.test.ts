import t from 'tap'
import { formatYaml, parseYaml } from '../../../src/codec/yaml.ts'

t.test('reads YAML as clients of this API mean it', (t) => {
  for (const [text, value] of [
    ['mode: 0644', { mode: 420 }],
    ['on: yes', { true: true }],
    ['date: 2020-01-01', { date: '2020-01-01' }],
    ['a: &x [1]\nb: *x', { a: [1], b: [1] }],
    ['{"json": ["is", "yaml"]}', { json: ['is', 'yaml'] }],
  ] as const) {
    t.same(parseYaml(text, 100), { ok: true, value }, text)
  }
  t.end()
})

t.test('refuses what is broken, deep, infinite, or a bomb', (t) => {
  let bomb = 'a0: &a0 [x,x,x,x,x,x,x,x,x,x]\n'
  for (let i = 1; i < 9; i++)
    bomb += `a${i}: &a${i} [${Array(10)
      .fill(`*a${i - 1}`)
      .join(',')}]\n`
  for (const [text, expected] of [
    ['a: [1,2', /line 1, column/],
    ['['.repeat(200), /levels deep/],
    ['- '.repeat(5000), /./],
    ['a: .inf', /JSON cannot hold/],
    ['&a [*a]', /JSON cannot hold/],
    [bomb, /alias/],
  ] as const) {
    const parsed = parseYaml(text, 100)
    t.match(parsed.ok ? parsed.value : parsed.failure, expected, text.slice(0, 20))
    t.notOk(parsed.ok)
  }
  t.end()
})

t.test('what is written is read as the same', (t) => {
  const value = {
    a: 'yes',
    b: '0644',
    c: [null, true, 1.5, ''],
    d: { 'x: y': 'multi\nline\n' },
    e: '2020-01-01',
  }
  t.same(parseYaml(formatYaml(value), 100), { ok: true, value })
  t.end()
})
