import t from 'tap'
import { keyAfter, nameOfKey, objectKey, scopeRange } from '../../../src/storage/keys.ts'
import { key } from '../../../store/contract.ts'

const names: readonly (readonly [namespace: string, name: string, key: string])[] = [
  ['default', 'web', 'core/pods/default/web'],
  ['', 'node-1', 'core/pods/node-1'],
  ['a.b', 'system:node', 'core/pods/a.b/system:node'],
  ['ns', 'größe', 'core/pods/ns/gr\xc3\xb6\xc3\x9fe'],
]

for (const [namespace, name, wanted] of names) {
  t.test(`${namespace || '(cluster)'} ${name} has one key, which reads back`, async (t) => {
    const at = objectKey('core/pods', { namespace, name })
    t.equal(at, wanted)
    t.strictSame(nameOfKey('core/pods', key(wanted)), { namespace, name })
  })
}

t.test('what cannot be a name has no key', async (t) => {
  for (const [namespace, name] of [
    ['default', ''],
    ['default', 'a/b'],
    ['', 'default/web'],
    ['a/b', 'web'],
    ['default', 'x'.repeat(5000)],
  ] as const) {
    t.equal(objectKey('core/pods', { namespace, name }), undefined)
  }
})

t.test('a scope is one range that holds its objects and no others', async (t) => {
  const holds = (scope: { namespace?: string; name?: string }, text: string): boolean => {
    const { start, end } = scopeRange('core/pods', scope)
    return start <= text && text < end
  }
  t.ok(holds({}, 'core/pods/a/x'))
  t.notOk(holds({}, 'core/podtemplates/a/x'))
  t.ok(holds({ namespace: 'a' }, 'core/pods/a/x'))
  t.notOk(holds({ namespace: 'a' }, 'core/pods/a-b/x'))
  t.notOk(holds({ namespace: 'a' }, 'core/pods/ab/x'))
  t.ok(holds({ namespace: 'a', name: 'x' }, 'core/pods/a/x'))
  t.notOk(holds({ namespace: 'a', name: 'x' }, 'core/pods/a/x.y'))
  t.ok(holds({ namespace: '', name: 'x' }, 'core/pods/x'))
  for (const impossible of [{ namespace: 'a/b' }, { namespace: 'a', name: 'b/c' }]) {
    t.notOk(holds(impossible, 'core/pods/a/b/c'))
  }
})

t.test('nothing lies between a key and the one after it', async (t) => {
  t.equal(keyAfter(key('a')), 'a\0')
})
