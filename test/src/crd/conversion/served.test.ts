/** A resource in two versions, converted by a webhook: every verb, in both. */

import t from 'tap'
import { create, group, path, renamed, scene, widget } from './conversion-scene.ts'

interface Owned {
  readonly metadata: {
    readonly managedFields: readonly { manager: string; apiVersion: string; fieldsV1: object }[]
  }
}

function ownersOf({ metadata }: Owned) {
  return metadata.managedFields.map(({ manager, apiVersion, fieldsV1 }) => [manager, apiVersion, fieldsV1])
}

t.test('what is created in one version is read, listed and changed in the other', async (t) => {
  const at = await scene(t)
  const { client, reviews } = at
  t.match(await create(at, 'v2', 'one', { count: 2, note: 'x' }), {
    status: 201,
    body: { apiVersion: `${group}/v2`, spec: { count: 2, note: 'x' }, metadata: { generation: 1 } },
  })
  t.match(await client.get(path('v1', '/one')), {
    status: 200,
    body: { apiVersion: `${group}/v1`, kind: 'Widget', spec: { size: 2, count: undefined } },
  })
  await create(at, 'v1', 'two', { size: 5 })
  t.match(await client.get(path('v2')), {
    body: {
      apiVersion: `${group}/v2`,
      kind: 'WidgetList',
      items: [
        { apiVersion: `${group}/v2`, metadata: { name: 'one' }, spec: { count: 2 } },
        { apiVersion: `${group}/v2`, metadata: { name: 'two' }, spec: { count: 5 } },
      ],
    },
  })
  const { body } = await client.get(path('v2', '/two'))
  t.match(await client.put(path('v2', '/two'), { ...body, spec: { count: 6 } }), {
    status: 200,
    body: { spec: { count: 6 }, metadata: { generation: 2 } },
  })
  t.match(await client.patch(path('v2', '/two'), { spec: { note: 'patched' } }), {
    status: 200,
    body: { spec: { count: 6, note: 'patched' }, metadata: { generation: 3 } },
  })
  t.match((await client.get(path('v1', '/two'))).body, { spec: { size: 6, note: 'patched' } })
  t.match(reviews[0], {
    apiVersion: 'apiextensions.k8s.io/v1',
    to: `${group}/v1`,
    objects: [{ apiVersion: `${group}/v2`, kind: 'Widget', metadata: { name: 'one', uid: /./ } }],
  })
  t.ok(at.service.seen.every((one) => one === 'POST /convert?timeout=30s'))
})

t.test('members are in their order, whatever the order of the answer', async (t) => {
  const at = await scene(t)
  at.converts = (review) => ({
    result: { status: 'Success' },
    convertedObjects: renamed(review).map(({ apiVersion, kind, metadata, spec }) => ({
      spec: { note: 'x', ...spec },
      metadata,
      kind,
      apiVersion,
    })),
  })
  await create(at, 'v2', 'one', { count: 1 })
  for (const version of ['v1', 'v2']) {
    const { body } = await at.client.get(path(version, '/one'))
    t.same(Object.keys(body), ['apiVersion', 'kind', 'metadata', 'spec'])
    t.same(Object.keys(body.spec), [version === 'v1' ? 'note' : 'count', version === 'v1' ? 'size' : 'note'])
  }
})

t.test('validation is by the version of the request', async (t) => {
  const at = await scene(t)
  t.match(await create(at, 'v2', 'one', { count: -1 }), {
    status: 422,
    body: { details: { causes: [{ field: 'spec.count' }] } },
  })
  t.equal(at.reviews.length, 0, 'what is invalid is not converted')
  t.match(await create(at, 'v1', 'one', { size: 'large' }), {
    status: 422,
    body: { details: { causes: [{ field: 'spec.size' }] } },
  })
})

t.test('objects of the version that is stored need no conversion', async (t) => {
  const at = await scene(t)
  await create(at, 'v1', 'one', { size: 1 })
  await at.client.patch(path('v1', '/one'), { spec: { size: 2 } })
  await at.client.get(path('v1'))
  await at.client.delete(path('v1', '/one'))
  t.same(at.reviews, [])
})

t.test('an object is converted once for all readers, a list in one request', async (t) => {
  const at = await scene(t)
  for (const name of ['one', 'two', 'three']) await create(at, 'v1', name, { size: 1 })
  await Promise.all([at.client.get(path('v2')), at.client.get(path('v2'))])
  await at.client.get(path('v2', '/one'))
  t.same(
    at.reviews.map(({ objects }) => objects.map(({ metadata }) => metadata.name)),
    [['one', 'three', 'two']],
  )
})

t.test('pages and selectors', async (t) => {
  const at = await scene(t)
  const { client } = at
  for (const name of ['one', 'two', 'three']) await create(at, 'v1', name, { size: 1 })
  const page = await client.get(path('v2', '?limit=2'))
  t.match(page.body, { items: [{ spec: { count: 1 } }, { spec: { count: 1 } }] })
  const rest = await client.get(path('v2', `?limit=2&continue=${page.body.metadata.continue}`))
  t.match(rest.body.items, [{ metadata: { name: 'two' }, spec: { count: 1 } }])
  const found = await client.get(path('v2', '?fieldSelector=metadata.name%3Done'))
  t.match(found.body.items, [{ spec: { count: 1 } }])
})

t.test('watches of both versions see the same changes', async (t) => {
  const at = await scene(t)
  const { client } = at
  const watches = [
    await client.watch(path('v1', '?watch=true')),
    await client.watch(path('v2', '?watch=true')),
  ]
  await create(at, 'v2', 'one', { count: 1 })
  await client.patch(path('v1', '/one'), { spec: { size: 2 } })
  await client.delete(path('v1', '/one'))
  for (const [index, field] of ['size', 'count'].entries()) {
    const apiVersion = `${group}/v${index + 1}`
    for (const [type, value] of [
      ['ADDED', 1],
      ['MODIFIED', 2],
      ['DELETED', 2],
    ] as const)
      t.match(await watches[index]?.next(), { type, object: { apiVersion, spec: { [field]: value } } })
  }
  for (const watch of watches) watch.close()
})

t.test('status and metadata', async (t) => {
  const at = await scene(t, { subresources: () => ({ status: {} }) })
  const { client } = at
  await create(at, 'v1', 'one', { size: 1 })
  const { body } = await client.get(path('v2', '/one'))
  const status = { ...body, status: { phase: 'Ready' }, spec: { count: 9 } }
  t.match(await client.put(path('v2', '/one/status'), status), {
    status: 200,
    body: {
      apiVersion: `${group}/v2`,
      spec: { count: 1 },
      status: { phase: 'Ready' },
      metadata: { generation: 1 },
    },
  })
  const changed = await client.patch(path('v2', '/one'), { metadata: { labels: { a: 'b' } } })
  t.match(changed.body, { metadata: { generation: 1, labels: { a: 'b' } } })
  t.match((await client.get(path('v1', '?labelSelector=a%3Db'))).body, {
    items: [{ status: { phase: 'Ready' } }],
  })
})

t.test('a scale is that of its version', async (t) => {
  const at = await scene(t, {
    subresources: (field) => ({
      scale: { specReplicasPath: `.spec.${field}`, statusReplicasPath: '.status.replicas' },
    }),
  })
  const { client } = at
  await create(at, 'v1', 'one', { size: 1 })
  const { body } = await client.get(path('v2', '/one/scale'))
  t.match(body, { apiVersion: 'autoscaling/v1', kind: 'Scale', spec: { replicas: 1 } })
  t.match(await client.put(path('v2', '/one/scale'), { ...body, spec: { replicas: 3 } }), {
    status: 200,
    body: { spec: { replicas: 3 } },
  })
  const patched = await client.patch(path('v1', '/one/scale'), { spec: { replicas: 4 } })
  t.match(patched.body, { spec: { replicas: 4 } })
  t.match((await client.get(path('v2', '/one'))).body, { spec: { count: 4 } })
})

t.test('tables have the columns of the version', async (t) => {
  const at = await scene(t)
  await create(at, 'v1', 'one', { size: 1 })
  const headers = { accept: 'application/json;as=Table;v=v1;g=meta.k8s.io' }
  const answer = await at.server.request({
    method: 'GET',
    target: path('v2', '?includeObject=Object'),
    headers,
  })
  t.match(JSON.parse(answer.body.toString()), {
    kind: 'Table',
    rows: [{ cells: ['one', String], object: { apiVersion: `${group}/v2`, spec: { count: 1 } } }],
  })
  const partial = await at.server.request({
    method: 'GET',
    target: path('v2', '/one'),
    headers: { accept: 'application/json;as=PartialObjectMetadata;v=v1;g=meta.k8s.io' },
  })
  t.match(JSON.parse(partial.body.toString()), { kind: 'PartialObjectMetadata', metadata: { name: 'one' } })
})

t.test('an update that changes nothing writes nothing', async (t) => {
  const at = await scene(t)
  await create(at, 'v1', 'one', { size: 1 })
  const before = (await at.client.get(path('v2', '/one'))).body
  const after = await at.client.put(path('v2', '/one'), before)
  t.equal(after.body.metadata.resourceVersion, before.metadata.resourceVersion)
})

t.test('apply: each version owns its own fields', async (t) => {
  const at = await scene(t)
  const { client } = at
  const apply = (version: string, manager: string, spec: object, force = false) =>
    client.patch(
      path(version, `/one?fieldManager=${manager}${force ? '&force=true' : ''}`),
      { apiVersion: `${group}/${version}`, kind: 'Widget', metadata: { name: 'one' }, spec },
      'application/apply-patch+yaml',
    )
  t.match(await apply('v1', 'first', { size: 1 }), { status: 201 })
  t.match(await apply('v2', 'second', { count: 1, note: 'mine' }), {
    status: 200,
    body: { spec: { count: 1 } },
  })
  const refused = await apply('v2', 'second', { count: 2, note: 'mine' })
  t.match(refused, {
    status: 409,
    body: { details: { causes: [{ reason: 'FieldManagerConflict', field: '.spec.size' }] } },
  })
  const forced = await apply('v2', 'second', { count: 2, note: 'mine' }, true)
  t.match(forced, { status: 200, body: { spec: { count: 2, note: 'mine' } } })
  t.same(ownersOf(forced.body), [['second', `${group}/v2`, { 'f:spec': { 'f:count': {}, 'f:note': {} } }]])
  const dropped = await apply('v2', 'second', { note: 'mine' })
  t.match(dropped.body.spec, { note: 'mine', count: undefined })
})

t.test('who owned a field in another version loses it to who changes it', async (t) => {
  const at = await scene(t)
  const { client } = at
  const spec = { size: 1, note: 'x' }
  await client.post(path('v1', '?fieldManager=first'), widget('v1', 'one', { spec }))
  const changed = await client.patch(path('v2', '/one?fieldManager=second'), { spec: { count: 2 } })
  t.same(ownersOf(changed.body), [
    ['first', `${group}/v1`, { 'f:spec': { '.': {}, 'f:note': {} } }],
    ['second', `${group}/v2`, { 'f:spec': { 'f:count': {} } }],
  ])
  at.converts = () => ({ result: { status: 'Failed', message: 'not today' } })
  const later = await client.patch(path('v1', '/one?fieldManager=third'), { spec: { size: 3 } })
  t.match(later, { status: 200, body: { spec: { size: 3 } } })
  t.same(
    ownersOf(later.body),
    ownersOf(changed.body),
    'while versions cannot be converted, nobody can be told from another',
  )
})

t.test('apply with strategy None', async (t) => {
  const at = await scene(t, { strategy: 'None' })
  const apply = (version: string, note: string) =>
    at.client.patch(
      path(version, `/one?fieldManager=${version}`),
      { apiVersion: `${group}/${version}`, kind: 'Widget', metadata: { name: 'one' }, spec: { note } },
      'application/apply-patch+yaml',
    )
  t.match(await apply('v1', 'x'), { status: 201 })
  t.match(await apply('v2', 'y'), {
    status: 409,
    body: { details: { causes: [{ reason: 'FieldManagerConflict', field: '.spec.note' }] } },
  })
  const shared = await apply('v2', 'x')
  t.same(ownersOf(shared.body), [
    ['v1', `${group}/v1`, { 'f:spec': { 'f:note': {} } }],
    ['v2', `${group}/v2`, { 'f:spec': { 'f:note': {} } }],
  ])
  t.equal(at.reviews.length, 0)
})

t.test('conversions are counted', async (t) => {
  const at = await scene(t)
  await create(at, 'v2', 'one', { count: 1 })
  const { body } = await at.server.request({ method: 'GET', target: '/metrics' })
  const text = body.toString()
  t.match(text, 'apiserver_conversion_webhook_request_total{failure_type="",result="success"} 2\n')
  for (const [from, to] of ['21', '12'])
    t.match(
      text,
      `apiserver_crd_conversion_webhook_duration_seconds_count{crd_name="widgets.${group}",from_version="v${from}",succeeded="true",to_version="v${to}"} 1\n`,
    )
})
