/** Source: RFC 7386, appendix A. */

import t from 'tap'
import type { JsonValue } from '../../../src/json.ts'
import { applyMergePatch } from '../../../src/patch/merge-patch.ts'
import { cloneJson } from '../../../src/patch/mutable-json.ts'

const examples: readonly (readonly [original: JsonValue, patch: JsonValue, result: JsonValue])[] = [
  [{ a: 'b' }, { a: 'c' }, { a: 'c' }],
  [{ a: 'b' }, { b: 'c' }, { a: 'b', b: 'c' }],
  [{ a: 'b' }, { a: null }, {}],
  [{ a: 'b', b: 'c' }, { a: null }, { b: 'c' }],
  [{ a: ['b'] }, { a: 'c' }, { a: 'c' }],
  [{ a: 'c' }, { a: ['b'] }, { a: ['b'] }],
  [{ a: { b: 'c' } }, { a: { b: 'd', c: null } }, { a: { b: 'd' } }],
  [{ a: [{ b: 'c' }] }, { a: [1] }, { a: [1] }],
  [
    ['a', 'b'],
    ['c', 'd'],
    ['c', 'd'],
  ],
  [{ a: 'b' }, ['c'], ['c']],
  [{ a: 'foo' }, null, null],
  [{ a: 'foo' }, 'bar', 'bar'],
  [{ e: null }, { a: 1 }, { e: null, a: 1 }],
  [[1, 2], { a: 'b', c: null }, { a: 'b' }],
  [{}, { a: { bb: { ccc: null } } }, { a: { bb: {} } }],
]

t.test('the examples of the RFC', (t) => {
  for (const [original, patch, result] of examples) {
    const before = JSON.stringify(patch)
    t.same(applyMergePatch(cloneJson(original), patch), result, `${JSON.stringify(original)} + ${before}`)
    t.equal(JSON.stringify(patch), before, 'the patch is as it was')
  }
  t.end()
})

t.test('keys from outside are plain keys', (t) => {
  const patch: JsonValue = JSON.parse('{"__proto__":{"polluted":true}}')
  t.equal(JSON.stringify(applyMergePatch({}, patch)), '{"__proto__":{"polluted":true}}')
  t.equal(Reflect.get({}, 'polluted'), undefined)
  t.end()
})
