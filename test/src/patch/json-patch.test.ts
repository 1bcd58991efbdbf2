/** Source: RFC 6902 with its appendix of examples, RFC 6901. */

import t from 'tap'
import type { JsonValue } from '../../../src/json.ts'
import { applyJsonPatch, parseJsonPatch } from '../../../src/patch/json-patch.ts'
import { cloneJson } from '../../../src/patch/mutable-json.ts'

function patched(document: JsonValue, patch: JsonValue): unknown {
  const parsed = parseJsonPatch(patch)
  if (!parsed.ok) return `${parsed.failure.code}: ${parsed.failure.message}`
  const result = applyJsonPatch(cloneJson(document), parsed.value)
  return result.ok ? result.value : `${result.failure.code}: ${result.failure.message}`
}

t.test('examples of RFC 6902, appendix A', (t) => {
  for (const [name, document, patch, expected] of [
    [
      'A.1 add a member',
      { foo: 'bar' },
      [{ op: 'add', path: '/baz', value: 'qux' }],
      { foo: 'bar', baz: 'qux' },
    ],
    [
      'A.2 add an element',
      { foo: ['bar', 'baz'] },
      [{ op: 'add', path: '/foo/1', value: 'qux' }],
      { foo: ['bar', 'qux', 'baz'] },
    ],
    ['A.3 remove a member', { baz: 'qux', foo: 'bar' }, [{ op: 'remove', path: '/baz' }], { foo: 'bar' }],
    [
      'A.4 remove an element',
      { foo: ['bar', 'qux', 'baz'] },
      [{ op: 'remove', path: '/foo/1' }],
      { foo: ['bar', 'baz'] },
    ],
    [
      'A.5 replace',
      { baz: 'qux', foo: 'bar' },
      [{ op: 'replace', path: '/baz', value: 'boo' }],
      { baz: 'boo', foo: 'bar' },
    ],
    [
      'A.6 move a value',
      { foo: { bar: 'baz', waldo: 'fred' }, qux: { corge: 'grault' } },
      [{ op: 'move', from: '/foo/waldo', path: '/qux/thud' }],
      { foo: { bar: 'baz' }, qux: { corge: 'grault', thud: 'fred' } },
    ],
    [
      'A.7 move an element',
      { foo: ['all', 'grass', 'cows', 'eat'] },
      [{ op: 'move', from: '/foo/1', path: '/foo/3' }],
      { foo: ['all', 'cows', 'eat', 'grass'] },
    ],
    [
      'A.8 test',
      { baz: 'qux', foo: ['a', 2, 'c'] },
      [
        { op: 'test', path: '/baz', value: 'qux' },
        { op: 'test', path: '/foo/1', value: 2 },
      ],
      { baz: 'qux', foo: ['a', 2, 'c'] },
    ],
    [
      'A.10 add a nested member',
      { foo: 'bar' },
      [{ op: 'add', path: '/child', value: { grandchild: {} } }],
      { foo: 'bar', child: { grandchild: {} } },
    ],
    [
      'A.11 unknown members of an operation',
      { foo: 'bar' },
      [{ op: 'add', path: '/baz', value: 'qux', xyz: 123 }],
      { foo: 'bar', baz: 'qux' },
    ],
    ['A.14 escapes', { '/': 9, '~1': 10 }, [{ op: 'test', path: '/~01', value: 10 }], { '/': 9, '~1': 10 }],
    [
      'A.16 add to the end',
      { foo: ['bar'] },
      [{ op: 'add', path: '/foo/-', value: ['abc', 'def'] }],
      { foo: ['bar', ['abc', 'def']] },
    ],
    ['the whole document', { foo: 1 }, [{ op: 'replace', path: '', value: { bar: 2 } }], { bar: 2 }],
    [
      'a copy shares nothing',
      { a: { x: 1 } },
      [
        { op: 'copy', from: '/a', path: '/b' },
        { op: 'replace', path: '/b/x', value: 2 },
      ],
      { a: { x: 1 }, b: { x: 2 } },
    ],
  ] as const) {
    t.same(patched(document, patch), expected, name)
  }
  t.end()
})

t.test('what cannot be applied', (t) => {
  const document = { foo: { bar: [1] } }
  for (const [operation, expected] of [
    [{ op: 'test', path: '/foo/bar/0', value: '1' }, /^Rejected: operation 0: test operation does not apply/],
    [{ op: 'test', path: '/none', value: 1 }, /^Rejected/],
    [{ op: 'remove', path: '/none' }, /^Rejected: .*nothing at "\/none"/],
    [{ op: 'remove', path: '/foo/bar/1' }, /^Rejected/],
    [{ op: 'remove', path: '/foo/bar/00' }, /^Rejected/],
    [{ op: 'replace', path: '/foo/baz', value: 1 }, /^Rejected/],
    [{ op: 'add', path: '/foo/bar/3', value: 1 }, /^Rejected: .*out of bounds/],
    [{ op: 'add', path: '/no/where', value: 1 }, /^Rejected/],
    [{ op: 'move', from: '/foo', path: '/foo/bar/0' }, /^Rejected: .*into itself/],
    [{ op: 'copy', from: '/none', path: '/x' }, /^Rejected/],
    [{ op: 'remove', path: '/constructor' }, /^Rejected/],
    [{ op: 'nope', path: '' }, /^Rejected/],
    [{ op: 'add', path: 'foo', value: 1 }, /^Rejected/],
    [{ op: 'add', path: '/foo' }, /^Rejected/],
    [{ op: 'move', path: '/foo' }, /^Rejected/],
    [5, /^Malformed/],
  ] as const) {
    t.match(patched(document, [operation]), expected, JSON.stringify(operation))
  }
  t.match(patched(document, { op: 'add' }), /^Malformed/)
  t.end()
})

t.test('an absent member passes a test for null', (t) => {
  t.same(patched({}, [{ op: 'test', path: '/a', value: null }]), {})
  t.end()
})

t.test('keys of objects from outside are plain keys', (t) => {
  const result = patched({}, [{ op: 'add', path: '/__proto__', value: { polluted: true } }])
  t.equal(JSON.stringify(result), '{"__proto__":{"polluted":true}}')
  t.equal(Reflect.get({}, 'polluted'), undefined)
  t.end()
})

t.test('bounds: operations, copies, depth', (t) => {
  const tests = Array.from({ length: 10_001 }, () => ({ op: 'test', path: '', value: 1 }))
  t.match(patched({}, tests), /^TooMany: .*10000, got 10001/)
  const doubling = Array.from({ length: 40 }, (_, i) => ({ op: 'copy', from: '', path: `/c${i}` }))
  t.match(patched({ a: [1, 2, 3] }, doubling), /^Rejected: .*copies add more than/)
  const deeper = Array.from({ length: 1100 }, (_, i) => ({ op: 'add', path: '/a'.repeat(i + 1), value: {} }))
  t.match(patched({}, deeper), /^Rejected: .*levels deep/)
  t.end()
})
