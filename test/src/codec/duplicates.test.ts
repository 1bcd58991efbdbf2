import t from 'tap'
import { duplicateJsonFields } from '../../../src/codec/duplicates.ts'
import { parseLenientYaml, parseYaml } from '../../../src/codec/yaml.ts'
import type { JsonValue } from '../../../src/json.ts'

const found = (text: string): readonly string[] => {
  const value: JsonValue = JSON.parse(text)
  return duplicateJsonFields(Buffer.from(text), value)
}

t.test('duplicates in JSON are named by their paths, in order', (t) => {
  for (const [text, paths] of [
    ['{}', []],
    ['[1, {"a": ":{}:", "b": "\\"a\\":"}]', []],
    ['{"a": 1, "b": {"a": 2}, "c": [{"a": 1}, {"a": 1}]}', []],
    ['{"a": 1, "a": 2}', ['a']],
    ['{"a": 1, "a": 2, "a": 3}', ['a', 'a']],
    ['{"a": {"x": 1, "x": 2}, "b": [0, {"y": [[], 3], "y": {}}]}', ['a.x', 'b[1].y']],
    ['{"\\u0061" : 1, "a": 2}', ['a']],
    ['{"__proto__": 1, "__proto__": 2}', ['__proto__']],
    ['{"a": {"b": 1}, "a": {"b": 1}}', ['a']],
    ['{"a": [{"k": "x, [y", "k": "}"}]}', ['a[0].k']],
  ] as const) {
    t.same(found(text), paths, text)
  }
  t.end()
})

t.test('a text of nothing but duplicates is told of up to a bound', (t) => {
  t.equal(found(`{${Array(5000).fill('"a":1').join(',')}}`).length, 100)
  t.end()
})

t.test('duplicates in YAML', (t) => {
  for (const [text, value, paths] of [
    ['a: 1\nb: {a: 2}', { a: 1, b: { a: 2 } }, []],
    ['a: 1\na: 2', { a: 2 }, ['a']],
    ['a:\n  - x: 1\n  - x: 1\n    x: 2', { a: [{ x: 1 }, { x: 2 }] }, ['a[1].x']],
    ['{"a": {"b": 1, "b": 2}}', { a: { b: 2 } }, ['a.b']],
  ] as const) {
    t.same(parseLenientYaml(text, 100), { ok: true, value: { value, duplicateFields: paths } }, text)
  }
  t.match(parseYaml('a: {b: 1, b: 2}', 100), { ok: false, failure: 'duplicate field "a.b"' })
  t.end()
})
