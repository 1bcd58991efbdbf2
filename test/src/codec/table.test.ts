/** Tables on the wire: lists, single objects, watches. Source: "Table representation", "Table and protobuf content". */

import t from 'tap'
import { createNegotiator, type Negotiated } from '../../../src/codec/accept.ts'
import { createRenderings } from '../../../src/codec/renderings.ts'
import type { IncludeObject } from '../../../src/codec/shape.ts'
import { createNames } from '../../../src/names/names.ts'
import type { CachedObject, ListPage } from '../../../src/storage/contract.ts'
import { payloadOf, sharedChunk } from '../../../src/storage/shared-chunk.ts'
import { createColumns } from '../../../src/types/columns/columns.ts'
import type { ApiObject } from '../../../src/types/object.ts'
import { createTypeRegistry } from '../../../src/types/registry.ts'
import { key, revision } from '../../../store/contract.ts'

const names = createNames('kubernetes')
const columnsOf = createColumns(names)
const registry = createTypeRegistry({
  names,
  runtimeConfig: new Map([['api/all', true]]),
  featureGates: new Map(),
})
if (!registry.ok) throw new Error(registry.failure.message)
const types = registry.value

const wallMs = Date.parse('2024-01-01T01:00:00Z')

function renderingOf(
  group: string,
  version: string,
  plural: string,
  form: Partial<Negotiated> = {},
  includeObject: IncludeObject = 'Metadata',
  pretty = false,
) {
  const type = types.resource(group, version, plural)
  if (type === undefined) throw new Error(`no ${plural}`)
  const renderings = createRenderings({
    type,
    names,
    clock: { wallMs: () => wallMs },
    columns: columnsOf(type),
  })
  return renderings(
    { encoding: 'json', transform: 'table', metaVersion: 'v1', pretty, partialOf: undefined, ...form },
    pretty,
    includeObject,
  )
}

function cached(object: Omit<ApiObject, 'metadata'> & { metadata: object }): CachedObject {
  const json = Buffer.from(JSON.stringify(object))
  return {
    key: key('any'),
    namespace: 'default',
    name: '',
    revision: revision(1),
    json,
    labels: () => new Map(),
    field: () => '',
  }
}

function pod(name: string, more: object = {}): CachedObject {
  return cached({
    apiVersion: 'v1',
    kind: 'Pod',
    metadata: { name, resourceVersion: '7', creationTimestamp: '2024-01-01T00:00:00Z' },
    spec: { containers: [{ name: 'c' }] },
    status: { phase: 'Running' },
    ...more,
  })
}

function listed(rendering: ReturnType<typeof renderingOf>, page: Omit<ListPage, 'revision'>) {
  return JSON.parse(
    Buffer.concat([...rendering.list({ revision: revision(9), ...page })].map(payloadOf)).toString(),
  )
}

const cells = (name: string) => [name, '0/1', 'Running', '0', '60m', '<none>', '<none>', '<none>', '<none>']

t.test('a list: metadata of the list, columns, a row for each object', (t) => {
  const table = listed(renderingOf('', 'v1', 'pods'), {
    items: [pod('a'), pod('b', { status: { phase: 'Succeeded' } })],
    continueToken: 'more',
    remainingItemCount: 3,
  })
  t.same(Object.keys(table), ['kind', 'apiVersion', 'metadata', 'columnDefinitions', 'rows'])
  t.match(table, {
    kind: 'Table',
    apiVersion: 'meta.k8s.io/v1',
    metadata: { resourceVersion: '9', continue: 'more', remainingItemCount: 3 },
  })
  t.same(Object.keys(table.columnDefinitions[0]), ['name', 'type', 'format', 'description', 'priority'])
  t.same(table.rows[0], {
    cells: cells('a'),
    object: {
      kind: 'PartialObjectMetadata',
      apiVersion: 'meta.k8s.io/v1',
      metadata: { name: 'a', resourceVersion: '7', creationTimestamp: '2024-01-01T00:00:00Z' },
    },
  })
  t.same(table.rows[1].conditions, [
    {
      type: 'Completed',
      status: 'True',
      reason: 'Succeeded',
      message: 'The pod has completed successfully.',
    },
  ])
  t.same(listed(renderingOf('', 'v1', 'pods'), { items: [] }).rows, [], 'none')
  t.end()
})

t.test('what a row carries of its object', (t) => {
  const one = (include: IncludeObject) =>
    listed(renderingOf('', 'v1', 'pods', {}, include), { items: [pod('a')] }).rows[0]
  t.equal(one('None').object, null)
  t.equal(one('Metadata').object.kind, 'PartialObjectMetadata')
  t.match(one('Object').object, { kind: 'Pod', apiVersion: 'v1', spec: { containers: [{ name: 'c' }] } })
  t.end()
})

t.test('the older version calls itself so, and what it carries', (t) => {
  const table = listed(renderingOf('', 'v1', 'pods', { metaVersion: 'v1beta1' }), { items: [pod('a')] })
  t.equal(table.apiVersion, 'meta.k8s.io/v1beta1')
  t.equal(table.rows[0].object.apiVersion, 'meta.k8s.io/v1beta1')
  const partial = listed(renderingOf('', 'v1', 'pods', { metaVersion: 'v1beta1', transform: 'partial' }), {
    items: [pod('a')],
  })
  t.match(partial, {
    kind: 'PartialObjectMetadataList',
    apiVersion: 'meta.k8s.io/v1beta1',
    items: [{ apiVersion: 'meta.k8s.io/v1beta1' }],
  })
  t.end()
})

t.test('which version of a table', (t) => {
  const negotiate = createNegotiator(names, { transforms: new Set(['none', 'table', 'partial']), yaml: true })
  for (const [parameters, expected] of [
    ['as=Table;g=meta.k8s.io;v=v1', 'table v1'],
    ['as=Table;g=meta.k8s.io;v=v1beta1', 'table v1beta1'],
    ['as=PartialObjectMetadata;g=meta.k8s.io;v=v1beta1', 'partial v1beta1'],
    ['as=Table;g=meta.k8s.io;v=v1alpha1', 'none v1'],
    ['as=Table;g=meta.k8s.io', 'none v1'],
    ['as=Table;v=v1', 'none v1'],
    ['as=Tableau;g=meta.k8s.io;v=v1', 'none v1'],
  ] as const) {
    const found = negotiate(`application/json;${parameters},application/json`)
    t.equal(`${found?.transform} ${found?.metaVersion}`, expected, parameters)
  }
  const first = negotiate(
    'application/json;as=Table;g=meta.k8s.io;v=v2,application/json;as=Table;g=meta.k8s.io;v=v1beta1,application/json',
  )
  t.equal(first?.metaVersion, 'v1beta1', 'in the order of the header')
  t.end()
})

t.test('one object; other encodings', (t) => {
  const table = JSON.parse(renderingOf('', 'v1', 'pods').object(pod('a').json).toString())
  t.match(table, { kind: 'Table', metadata: { resourceVersion: '7' }, rows: [{ cells: cells('a') }] })
  t.equal(table.columnDefinitions.length, 9)
  const yaml = renderingOf('', 'v1', 'pods', { encoding: 'yaml' }).object(pod('a').json).toString()
  t.match(yaml, /^kind: Table\napiVersion: meta\.k8s\.io\/v1\n/)
  const pretty = renderingOf('', 'v1', 'pods', {}, 'None', true).object(pod('a').json).toString()
  t.match(pretty, /^\{\n {2}"kind": "Table",\n/)
  t.end()
})

t.test('all versions of a resource read the same; the object is of the version asked for', (t) => {
  const stored = cached({
    apiVersion: 'autoscaling/v2',
    kind: 'HorizontalPodAutoscaler',
    metadata: { name: 'a', creationTimestamp: '2024-01-01T00:00:00Z' },
    spec: {
      scaleTargetRef: { kind: 'Deployment', name: 'web', apiVersion: 'apps/v1' },
      maxReplicas: 3,
      metrics: [
        {
          type: 'Pods',
          pods: { metric: { name: 'rps' }, target: { type: 'AverageValue', averageValue: '10' } },
        },
      ],
    },
    status: { currentReplicas: 1, desiredReplicas: 1 },
  })
  for (const version of ['v1', 'v2']) {
    const [row] = listed(renderingOf('autoscaling', version, 'horizontalpodautoscalers', {}, 'Object'), {
      items: [stored],
    }).rows
    t.same(row.cells, ['a', 'Deployment/web', '<unknown>/10', '<unset>', 3, 1, '60m'], version)
    t.equal(row.object.apiVersion, `autoscaling/${version}`)
  }
  const [row] = listed(renderingOf('autoscaling', 'v1', 'horizontalpodautoscalers'), { items: [stored] }).rows
  t.equal(row.object.metadata.annotations, undefined, 'metadata is that of the stored object')
  t.end()
})

t.test('flow schemas come in the order in which they are tried, in tables alone', (t) => {
  const group = 'flowcontrol.apiserver.k8s.io'
  const items = [
    ['a', 900],
    ['b', 100],
    ['c', 900],
  ].map(([name, matchingPrecedence]) =>
    cached({
      apiVersion: `${group}/v1`,
      kind: 'FlowSchema',
      metadata: { name },
      spec: { matchingPrecedence },
    }),
  )
  const rows: readonly { cells: readonly unknown[] }[] = listed(renderingOf(group, 'v1', 'flowschemas'), {
    items,
  }).rows
  t.same(
    rows.map((row) => row.cells[0]),
    ['b', 'a', 'c'],
  )
  const plain = listed(renderingOf(group, 'v1', 'flowschemas', { transform: 'none' }), { items })
  t.same(
    plain.items.map((item: ApiObject) => item.metadata.name),
    ['a', 'b', 'c'],
  )
  t.end()
})

t.test('a watch tells its columns in its first event; frames are shared without them', (t) => {
  const rendering = renderingOf('', 'v1', 'pods')
  const trap = { annotations: { trap: '"columnDefinitions":null' } }
  const frame = rendering.watch.event(
    'ADDED',
    pod('a', { metadata: { name: 'a', resourceVersion: '7', ...trap } }),
  )
  t.equal(JSON.parse(frame.toString()).object.columnDefinitions, null, 'the shared frame')
  t.equal(rendering.watch.event('MODIFIED', pod('b')).toString().split('\n').length, 2, 'one line')
  for (const first of [frame, sharedChunk(Buffer.concat([frame, frame]))]) {
    const written: string[] = []
    const stream = rendering.openStream(recording(written))
    stream.write(first)
    stream.write(sharedChunk(frame))
    const events = written.join('').trim().split('\n')
    const columns = events.map((line) => JSON.parse(line).object.columnDefinitions)
    t.equal(columns[0].length, 9, 'the first event')
    t.same(columns.slice(1), new Array(events.length - 1).fill(null), 'those after it')
    t.match(JSON.parse(events[0] ?? ''), {
      type: 'ADDED',
      object: { kind: 'Table', metadata: { resourceVersion: '7' }, rows: [{ object: { metadata: trap } }] },
    })
  }
  t.end()
})

t.test('a bookmark is a table of an object with nothing but its version', (t) => {
  const { object } = JSON.parse(renderingOf('', 'v1', 'pods').watch.bookmark(revision(12), true).toString())
  t.match(object, { kind: 'Table', metadata: { resourceVersion: '12' }, columnDefinitions: null })
  t.same(object.rows[0].object, {
    kind: 'PartialObjectMetadata',
    apiVersion: 'meta.k8s.io/v1',
    metadata: {
      resourceVersion: '12',
      annotations: { 'k8s.io/initial-events-end': 'true' },
      creationTimestamp: null,
    },
  })
  t.end()
})

t.test('an error is a Status, also as the opening of a watch of tables', (t) => {
  const rendering = renderingOf('', 'v1', 'pods')
  const written: string[] = []
  const frame = rendering.watch.error({ code: 'Compacted', requested: revision(1), oldest: revision(5) })
  rendering.openStream(recording(written)).write(frame)
  t.equal(written.join(''), frame.toString())
  t.equal(JSON.parse(frame.toString()).object.kind, 'Status')
  t.end()
})

t.test('streams of other forms are left alone', (t) => {
  const stream = recording([])
  t.equal(renderingOf('', 'v1', 'pods', { transform: 'none' }).openStream(stream), stream)
  t.equal(renderingOf('', 'v1', 'pods', { transform: 'partial' }).openStream(stream), stream)
  t.end()
})

t.test('rows are made piece by piece, as they are sent', (t) => {
  let read = 0
  const object = pod('a')
  const counted: CachedObject = Object.create(object, {
    json: {
      get() {
        read++
        return object.json
      },
    },
  })
  const items = new Array<CachedObject>(10_000).fill(counted)
  const pieces = renderingOf('', 'v1', 'pods')
    .list({ revision: revision(9), items })
    [Symbol.iterator]()
  const first = pieces.next()
  const firstRows = read
  t.ok(firstRows > 0 && firstRows < 1000, `${firstRows} rows made for the first piece`)
  t.ok(first.value !== undefined && payloadOf(first.value).length < 140_000)
  let count = 1
  while (pieces.next().done !== true) count++
  t.equal(read, 10_000)
  t.ok(count > 10, `${count} pieces`)
  t.end()
})

t.test('every kind of both dialects makes a cell for each column, of an empty object too', (t) => {
  for (const dialect of ['kubernetes', 'cluster'] as const) {
    const served = createTypeRegistry({
      names: createNames(dialect),
      runtimeConfig: new Map([['api/all', true]]),
      featureGates: new Map(),
    })
    if (!served.ok) throw new Error(served.failure.message)
    const own = createColumns(createNames(dialect))
    const bare: string[] = []
    for (const { group, kind, storage } of served.value.resources) {
      if (storage === undefined) continue
      const table = own({ group, kind })
      const made = table.cells({ apiVersion: 'v1', kind, metadata: {} }, wallMs)
      const unnamed = kind === 'IPAddress' ? 1 : 0
      t.equal(made.length, table.definitions.length + unnamed, `${dialect} ${group} ${kind}`)
      if (table.definitions[1]?.name === 'Created At' && !bare.includes(kind)) bare.push(kind)
    }
    t.same(
      bare.sort(),
      ['CSIStorageCapacity', 'ClusterRole', 'CustomResourceDefinition', 'LimitRange', 'Role'],
      `${dialect}: those with the usual two`,
    )
  }
  t.end()
})

function recording(written: string[]) {
  return {
    write(chunk: Buffer | { readonly payload: Buffer }) {
      written.push((Buffer.isBuffer(chunk) ? chunk : chunk.payload).toString())
      return true
    },
    onDrain() {},
    end() {},
    abort() {},
    bufferedBytes: 0,
  }
}
