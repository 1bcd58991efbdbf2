import t from 'tap'
import { decodeRecord, encodeRecord, parseObject } from '../../../src/storage/record.ts'
import type { ApiObject } from '../../../src/types/object.ts'
import { key, revision } from '../../../store/contract.ts'
import { failure, value } from './harness.ts'

const at = key('core/configmaps/default/one')

function stored(object: ApiObject, modRevision: number, fields: Record<string, string> = {}) {
  const { record } = encodeRecord({ object, fields })
  return value(
    decodeRecord('core/configmaps', { key: at, value: record, modRevision: revision(modRevision) }),
  )
}

function configMap(metadata: ApiObject['metadata'], rest: Record<string, string> = {}): ApiObject {
  return {
    apiVersion: 'v1',
    kind: 'ConfigMap',
    metadata: { name: 'one', namespace: 'default', ...metadata },
    ...rest,
  }
}

const objects: readonly (readonly [what: string, object: ApiObject, json: string])[] = [
  [
    'the version stands after uid',
    configMap({ uid: 'u', generation: 1 }, { data: 'x' }),
    '{"apiVersion":"v1","kind":"ConfigMap","metadata":{"name":"one","namespace":"default","uid":"u","resourceVersion":"42","generation":1},"data":"x"}',
  ],
  [
    'at the end of metadata without a uid',
    configMap({}),
    '{"apiVersion":"v1","kind":"ConfigMap","metadata":{"name":"one","namespace":"default","resourceVersion":"42"}}',
  ],
  [
    'in the place of an older version',
    configMap({ resourceVersion: '7', labels: { a: 'b' } }),
    '{"apiVersion":"v1","kind":"ConfigMap","metadata":{"name":"one","namespace":"default","resourceVersion":"42","labels":{"a":"b"}}}',
  ],
  [
    'labels that look like the hole',
    configMap({ labels: { resourceVersion: '' }, annotations: { x: '"resourceVersion":""' } }),
    '{"apiVersion":"v1","kind":"ConfigMap","metadata":{"name":"one","namespace":"default","labels":{"resourceVersion":""},"annotations":{"x":"\\"resourceVersion\\":\\"\\""},"resourceVersion":"42"}}',
  ],
  [
    'text of several bytes a character',
    configMap({ annotations: { größe: '大' } }, { data: '🙂' }),
    '{"apiVersion":"v1","kind":"ConfigMap","metadata":{"name":"one","namespace":"default","annotations":{"größe":"大"},"resourceVersion":"42"},"data":"🙂"}',
  ],
]

for (const [what, object, json] of objects) {
  t.test(`an object is stored as its JSON: ${what}`, async (t) => {
    t.equal(stored(object, 42).json.toString(), json)
  })
}

t.test('fields that nobody defined are kept, whatever they are called', async (t) => {
  const object: ApiObject = JSON.parse(
    '{"apiVersion":"v1","kind":"ConfigMap","metadata":{"name":"one","__proto__":1,"labels":{"__proto__":"x"}},"__proto__":{"a":1}}',
  )
  const found = stored(object, 5)
  t.match(found.json.toString(), '"__proto__":{"a":1}')
  t.match(found.json.toString(), '"__proto__":1')
  t.equal(found.labels().get('__proto__'), 'x')
})

t.test('selectors read labels and fields from the head', async (t) => {
  const found = stored(configMap({ labels: { app: 'web', tier: '' } }), 3, {
    'status.phase': 'Running',
    empty: '',
  })
  t.strictSame(
    [...found.labels()],
    [
      ['app', 'web'],
      ['tier', ''],
    ],
  )
  t.equal(found.field('status.phase'), 'Running')
  t.equal(found.field('metadata.name'), 'one')
  t.equal(found.field('metadata.namespace'), 'default')
  t.equal(found.field('empty'), '')
  t.equal(found.field('unknown'), '')
})

t.test('the same object at another revision has the same head', async (t) => {
  const found = stored(configMap({ uid: 'u', labels: { app: 'web' } }), 9, { color: 'red' })
  const later = found.at(revision(1000))
  t.strictSame(parseObject(later).metadata, { ...parseObject(found).metadata, resourceVersion: '1000' })
  t.equal(later.revision, 1000)
  t.equal(later.labels().get('app'), 'web')
  t.equal(later.at(revision(8)).field('color'), 'red')
})

t.test('labels that have not changed are read once for all versions of an object', async (t) => {
  const first = stored(configMap({ labels: { app: 'web' } }), 9, { color: 'red' })
  const read = first.labels()
  const same = stored(configMap({ labels: { app: 'web' } }), 10, { color: 'red' })
  same.inherit(first)
  t.equal(same.labels(), read)
  const relabelled = stored(configMap({ labels: { app: 'dbs' } }), 11, { color: 'red' })
  relabelled.inherit(first)
  t.equal(relabelled.labels().get('app'), 'dbs')
  const bare = stored(configMap({}), 12)
  bare.inherit(first)
  t.strictSame([...bare.labels()], [])
  t.equal(bare.labels().has('app'), false)
  t.equal(relabelled.labels().has('app'), true)
})

t.test('the time to live stands beside the record, not in it', async (t) => {
  t.equal(encodeRecord({ object: configMap({}), ttlMs: 3_600_000 }).ttlMs, 3_600_000)
  t.notOk('ttlMs' in encodeRecord({ object: configMap({}) }))
})

const good = encodeRecord({ object: configMap({}) }).record
const damages: readonly (readonly [what: string, damage: (record: Buffer) => Buffer, message: RegExp])[] = [
  ['nothing', () => Buffer.alloc(0), /0 bytes is cut short/],
  ['another format', (record) => patched(record, 0, 2), /format 2, expected 1/],
  ['a head beyond the end', (record) => patched(record, 1, 0x7f), /shorter than its offsets say/],
  ['a hole beyond the end', (record) => patched(record, 5, 0x7f), /shorter than its offsets say/],
  ['a hole elsewhere', (record) => patched(record, 8, 20), /no place for the resource version/],
  ['a head of another length', (record) => patched(record, 4, 4), /no object behind its head/],
  ['a lost end', (record) => record.subarray(0, -2), /does not end with its object/],
]

function patched(record: Buffer, at: number, byte: number): Buffer {
  const copy = Buffer.from(record)
  copy[at] = byte
  return copy
}

for (const [what, damage, message] of damages) {
  t.test(`a damaged record is a clear failure: ${what}`, async (t) => {
    const read = decodeRecord('core/configmaps', { key: at, value: damage(good), modRevision: revision(1) })
    t.match(failure(read), { code: 'Corrupt', where: at, message })
  })
}
