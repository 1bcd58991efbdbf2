/** A conversion webhook that is down, slow, or answers what it must not. */

import t from 'tap'
import { eventually } from '../../../support/eventually.ts'
import { definitionsPath } from '../serving/crontabs.ts'
import { create, good, group, path, type Review, renamed, scene, widget } from './conversion-scene.ts'

const who = (version: string) => `conversion webhook for ${group}/${version}, Kind=Widget`

function failure(message: string | RegExp) {
  return { status: 500, body: { kind: 'Status', status: 'Failure', message, reason: undefined, code: 500 } }
}

t.test('while it is down, the version that is stored is served', async (t) => {
  const at = await scene(t)
  const { client, service } = at
  await create(at, 'v1', 'one', { size: 1 })
  await service.stop()
  const refused = failure(
    new RegExp(`^${who('v1')} failed: Post "https://localhost:\\d+/convert\\?timeout=30s": `),
  )
  t.match(await client.get(path('v2', '/one')), refused)
  t.match(await client.get(path('v2')), refused)
  t.match(await client.patch(path('v2', '/one'), { spec: { count: 2 } }), refused)
  t.match(await create(at, 'v2', 'two', { count: 2 }), failure(new RegExp(`^${who('v2')} failed: Post `)))
  t.match(await client.get(path('v1', '/one')), { status: 200, body: { spec: { size: 1 } } })
  t.match(await client.get(path('v1')), { body: { items: [{ spec: { size: 1 } }] } })
  t.match(await client.patch(path('v1', '/one'), { spec: { size: 3 } }), { status: 200 })
  await service.restart()
  t.match(await client.get(path('v2', '/one')), { status: 200, body: { spec: { count: 3 } } })
})

t.test('deletion asks nobody', async (t) => {
  const at = await scene(t)
  const { client, service } = at
  for (const name of ['one', 'two', 'three', 'held']) await create(at, 'v1', name, { size: 1 })
  await client.patch(path('v1', '/held'), { metadata: { finalizers: ['example.com/hold'] } })
  await service.stop()
  t.match(await client.delete(path('v2', '/one')), {
    status: 200,
    body: { kind: 'Status', status: 'Success' },
  })
  t.match(await client.delete(path('v2', '/held')), {
    status: 200,
    body: { kind: 'Status', status: 'Success' },
  })
  t.match(await client.delete(path('v2', '?fieldSelector=metadata.name!%3Dheld')), {
    status: 200,
    body: { kind: 'Status', status: 'Success' },
  })
  t.match((await client.get(path('v1'))).body.items, [
    { metadata: { name: 'held', deletionTimestamp: String } },
  ])
  t.match(await client.patch(path('v1', '/held'), { metadata: { finalizers: null } }), { status: 200 })
  t.same((await client.get(path('v1'))).body.items, [])
})

t.test('a deletion that is not at its end shows the object in the version that was asked for', async (t) => {
  const at = await scene(t)
  const { client } = at
  await create(at, 'v1', 'held', { size: 1 })
  await client.patch(path('v1', '/held'), { metadata: { finalizers: ['example.com/hold'] } })
  t.match(await client.delete(path('v2', '/held')), {
    status: 200,
    body: { apiVersion: `${group}/v2`, spec: { count: 1 }, metadata: { deletionTimestamp: String } },
  })
  t.match((await client.delete(path('v2'))).body, { items: [{ spec: { count: 1 } }] })
})

t.test('a namespace is emptied, and what is owned is collected', async (t) => {
  const at = await scene(t)
  const { client, service } = at
  await client.post('/api/v1/namespaces', { metadata: { name: 'gone' } })
  const inGone = path('v1').replace('/default/', '/gone/')
  await client.post(inGone, widget('v1', 'one', { spec: { size: 1 } }))
  const owner = await client.post('/api/v1/namespaces/default/configmaps', { metadata: { name: 'owner' } })
  const { uid } = owner.body.metadata
  const ownerReferences = [{ apiVersion: 'v1', kind: 'ConfigMap', name: 'owner', uid }]
  await client.post(path('v1'), widget('v1', 'owned', { metadata: { name: 'owned', ownerReferences } }))
  await service.stop()
  await client.delete('/api/v1/namespaces/gone')
  await client.delete('/api/v1/namespaces/default/configmaps/owner')
  await eventually('the namespace to be gone', async () => {
    return (await client.get('/api/v1/namespaces/gone')).status === 404
  })
  await eventually('the object to be collected', async () => {
    return (await client.get(path('v1', '/owned'))).status === 404
  })
  t.same(at.reviews, [])
})

t.test('a definition goes with objects of all its versions', async (t) => {
  const at = await scene(t)
  const { client, service } = at
  await create(at, 'v1', 'one', { size: 1 })
  await service.stop()
  const definition = `${definitionsPath}/widgets.${group}`
  await client.delete(definition)
  await eventually('the definition to be gone', async () => (await client.get(definition)).status === 404)
  t.same(at.reviews, [])
})

t.test('who waits for a conversion keeps nobody else waiting', async (t) => {
  const at = await scene(t)
  const { client } = at
  await create(at, 'v1', 'one', { size: 1 })
  at.converts = undefined
  const slow = client.get(path('v2', '/one'))
  const watch = await client.watch(path('v2', '?watch=true'))
  await eventually('the webhook to be asked', async () => at.reviews.length > 0)
  t.match(await client.patch(path('v1', '/one'), { spec: { size: 2 } }), { status: 200 })
  t.match(await client.get(path('v1')), { status: 200 })
  t.match(await client.get('/api/v1/namespaces/default'), { status: 200 })
  await at.service.stop()
  t.match(await slow, { status: 500 })
  t.match(await watch.next(), { type: 'ERROR', object: { code: 500, message: /^conversion webhook for / } })
  t.equal(await watch.next(), undefined, 'the watch is over')
})

t.test('a watch that begins with what cannot be converted', async (t) => {
  const at = await scene(t)
  await create(at, 'v1', 'one', { size: 1 })
  at.converts = () => ({ result: { status: 'Failed', message: 'not today' } })
  const watch = await at.client.watch(path('v2', '?watch=true&resourceVersion=0'))
  t.match(await watch.next(), {
    type: 'ERROR',
    object: { kind: 'Status', code: 500, message: `${who('v1')} failed: not today` },
  })
  t.equal(await watch.next(), undefined)
  at.converts = good
  const again = await at.client.watch(path('v2', '?watch=true&resourceVersion=0'))
  t.match(await again.next(), { type: 'ADDED', object: { spec: { count: 1 } } })
  again.close()
})

t.test('answers that are not what was asked for', async (t) => {
  const at = await scene(t)
  await create(at, 'v1', 'one', { size: 1 })
  const altered = (metadata: object) => (review: Review) => ({
    result: { status: 'Success' },
    convertedObjects: renamed(review).map((object) => ({
      ...object,
      metadata: { ...object.metadata, ...metadata },
    })),
  })
  const cases = [
    [
      altered({ name: 'two' }),
      'returned invalid converted object at index 0: must have the same name: one != two',
    ],
    [altered({ uid: 'x' }), /at index 0: must have the same UID: \S+ != x$/],
    [altered({ namespace: 'x' }), 'at index 0: must have the same namespace: default != x'],
    [
      altered({ labels: 7 }),
      'returned invalid metadata in object at index 0: invalid metadata.labels of type int64',
    ],
    [() => ({ result: { status: 'Success' }, convertedObjects: [] }), 'returned 0 objects, expected 1'],
    [() => ({ uid: 'other' }), /failed: expected response.uid="[-0-9a-f]+", got "other"$/],
  ] as const
  for (const [converts, message] of cases) {
    at.converts = converts
    const answer = await at.client.get(path('v2', '/one'))
    t.equal(answer.status, 500)
    t.match(answer.body.message, message)
  }
  const { client } = at
  at.converts = altered({ labels: { a: 'b' }, generation: 99, finalizers: ['x.y/z'], resourceVersion: '1' })
  const { body } = await client.get(path('v2', '/one'))
  const { metadata } = (await client.get(path('v1', '/one'))).body
  t.same(body.metadata, { ...metadata, labels: { a: 'b' } }, 'all but labels and annotations stays')
})
