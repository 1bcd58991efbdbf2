/** What a conversion may make of an object, and the sentences about what it may not. */

import t from 'tap'
import { checkedConversion } from '../../../../src/crd/conversion/checks.ts'
import type { JsonValue } from '../../../../src/json.ts'
import type { ApiObject } from '../../../../src/types/object.ts'

const original = (): ApiObject => ({
  apiVersion: 'example.com/v1',
  kind: 'Thing',
  metadata: {
    name: 'one',
    namespace: 'here',
    uid: 'u-1',
    resourceVersion: '7',
    generation: 3,
    finalizers: ['example.com/keep'],
    labels: { a: '1' },
    annotations: { note: 'x' },
  },
  spec: { size: 1 },
})

const good = (more: Record<string, JsonValue> = {}): JsonValue => ({
  apiVersion: 'example.com/v2',
  kind: 'Thing',
  metadata: { name: 'one', namespace: 'here', uid: 'u-1', labels: { a: '1' }, annotations: { note: 'x' } },
  spec: { count: 1 },
  ...more,
})

const withMetadata = (more: Record<string, JsonValue>): JsonValue =>
  good({ metadata: { name: 'one', namespace: 'here', uid: 'u-1', ...more } })

t.test('metadata comes from the original, labels and annotations from the conversion', async (t) => {
  const checked = checkedConversion(
    original(),
    withMetadata({
      resourceVersion: '99',
      generation: 1,
      finalizers: [],
      ownerReferences: [],
      labels: { b: '2' },
    }),
    'example.com/v2',
  )
  const { annotations: _gone, ...metadata } = original().metadata
  t.same(checked, {
    ok: true,
    value: {
      apiVersion: 'example.com/v2',
      kind: 'Thing',
      metadata: { ...metadata, labels: { b: '2' } },
      spec: { count: 1 },
    },
  })
})

t.test('labels and annotations that did not change are not judged again', async (t) => {
  const odd = original()
  odd.metadata.labels = { 'not a key': '?' }
  const kept = withMetadata({ labels: { 'not a key': '?' } })
  t.equal(checkedConversion(odd, kept, 'example.com/v2').ok, true)
})

t.test('a label may be called constructor', async (t) => {
  const labels = { constructor: 'x' }
  const checked = checkedConversion(original(), withMetadata({ labels }), 'example.com/v2')
  t.same(checked.ok && Object.keys(checked.value.metadata.labels ?? {}), ['constructor'])
})

t.test('refused', async (t) => {
  const cases: readonly (readonly [given: JsonValue | undefined, of: string, message: string])[] = [
    [undefined, 'object', "Object 'Kind' is missing"],
    ['text', 'object', "Object 'Kind' is missing"],
    [
      { apiVersion: 'example.com/v2' },
      'object',
      `Object 'Kind' is missing in '{"apiVersion":"example.com/v2"}'`,
    ],
    [
      good({ apiVersion: 'example.com/v1' }),
      'object',
      'invalid groupVersion (expected example.com/v2, received example.com/v1)',
    ],
    [good({ apiVersion: 7 }), 'object', 'invalid groupVersion (expected example.com/v2, received )'],
    [good({ kind: 'Other' }), 'object', 'invalid kind (expected Thing, received Other)'],
    [good({ metadata: {} }), 'object', 'must have the same name: one != '],
    [withMetadata({ name: 'two' }), 'object', 'must have the same name: one != two'],
    [withMetadata({ namespace: 'there' }), 'object', 'must have the same namespace: here != there'],
    [withMetadata({ uid: 'u-2' }), 'object', 'must have the same UID: u-1 != u-2'],
    [withMetadata({ labels: 'x' }), 'metadata', 'invalid metadata.labels of type string in converted object'],
    [
      withMetadata({ annotations: [1] }),
      'metadata',
      'invalid metadata.annotations of type []interface {} in converted object',
    ],
    [
      withMetadata({ labels: { a: 1 } }),
      'metadata',
      'metadata.labels[a] must be a string, but is int64 in converted object',
    ],
    [
      withMetadata({ annotations: { a: null } }),
      'metadata',
      'metadata.annotations[a] must be a string, but is <nil> in converted object',
    ],
    [
      withMetadata({ labels: { a: 'b c' } }),
      'metadata',
      `metadata.labels: Invalid value: "b c": a valid label must be an empty string or consist of alphanumeric characters, '-', '_' or '.', and must start and end with an alphanumeric character (e.g. 'MyValue',  or 'my_value',  or '12345', regex used for validation is '(([A-Za-z0-9][-A-Za-z0-9_.]*)?[A-Za-z0-9])?')`,
    ],
    [
      withMetadata({ annotations: { 'a b': 'c' } }),
      'metadata',
      `metadata.annotation: Invalid value: "a b": name part must consist of alphanumeric characters, '-', '_' or '.', and must start and end with an alphanumeric character (e.g. 'MyName',  or 'my.name',  or '123-abc', regex used for validation is '([A-Za-z0-9][-A-Za-z0-9_.]*)?[A-Za-z0-9]')`,
    ],
  ]
  for (const [given, of, message] of cases)
    t.same(checkedConversion(original(), given, 'example.com/v2'), {
      ok: false,
      failure: { of, message },
    })
})

t.test('an object of the cluster without metadata', async (t) => {
  const bare: ApiObject = { apiVersion: 'example.com/v1', kind: 'Thing', metadata: {} }
  const failures = [
    [{ apiVersion: 'example.com/v2', kind: 'Thing' }, 'missing metadata in converted object'],
    [
      { apiVersion: 'example.com/v2', kind: 'Thing', metadata: true },
      'invalid metadata of type bool in converted object',
    ],
  ] as const
  for (const [given, message] of failures)
    t.same(checkedConversion(bare, given, 'example.com/v2'), {
      ok: false,
      failure: { of: 'metadata', message },
    })
})
