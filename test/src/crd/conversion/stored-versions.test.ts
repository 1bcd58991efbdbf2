/** A definition changes the version in which its objects are stored. */

import t from 'tap'
import type { JsonObject } from '../../../../src/json.ts'
import { key } from '../../../../store/contract.ts'
import { eventually } from '../../../support/eventually.ts'
import { startInProcess } from '../../../support/in-process-server.ts'
import { clientOf, definitionsPath } from '../serving/crontabs.ts'
import { create, definitionOf, group, path, type Scene, scene } from './conversion-scene.ts'

/** Changes what the definition says, and waits until that counts. */
async function redefine(at: Scene, spec: JsonObject): Promise<void> {
  const target = `${definitionsPath}/widgets.${group}`
  const { body } = await at.client.get(target)
  const answer = await at.client.put(target, { ...body, spec: { ...body.spec, ...spec } })
  if (answer.status !== 200) throw new Error(JSON.stringify(answer.body))
}

/** apiVersion of an object as the store has it. */
async function storedVersion(at: Scene, name: string): Promise<string | undefined> {
  const all = await at.server.store.range({ start: key('custom:'), end: key('custom;') })
  if (!all.ok) throw new Error('the store does not answer')
  const found = all.value.entries.find((entry) => entry.key.endsWith(`/default/${name}`))
  return /"apiVersion":"([^"]*)"/.exec(found?.value.toString('utf8') ?? '')?.[1]
}

for (const strategy of ['None', 'Webhook'] as const)
  t.test(`with strategy ${strategy}`, async (t) => {
    const at = await scene(t, { strategy })
    const { client } = at
    const v1 = strategy === 'None' ? { note: 'x' } : { size: 1, note: 'x' }
    const v2 = strategy === 'None' ? { note: 'x' } : { count: 1, note: 'x' }
    await create(at, 'v1', 'one', v1)
    await create(at, 'v1', 'two', v1)
    t.equal(await storedVersion(at, 'one'), `${group}/v1`)
    await redefine(at, { versions: definitionOf({ storage: 'v2' }, '').spec['versions'] ?? null })
    const changed = (await client.get(`${definitionsPath}/widgets.${group}`)).body
    t.same(changed.status.storedVersions, ['v1', 'v2'])
    let probes = 0
    await eventually('objects to be stored in the new version', async () => {
      const name = `probe-${++probes}`
      await create(at, 'v1', name, v1)
      return (await storedVersion(at, name)) === `${group}/v2`
    })
    t.match((await client.get(path('v1', '/one'))).body, { apiVersion: `${group}/v1`, spec: v1 })
    t.match((await client.get(path('v2', '/one'))).body, { apiVersion: `${group}/v2`, spec: v2 })
    t.equal(await storedVersion(at, 'one'), `${group}/v1`, 'reading changes nothing')
    for (const [version, name] of [
      ['v1', 'one'],
      ['v2', 'two'],
    ] as const) {
      const { body } = await client.get(path(version, `/${name}`))
      const rewritten = await client.put(path(version, `/${name}`), body)
      t.match(rewritten, { status: 200, body: { spec: body.spec, metadata: { generation: 1 } } })
      t.not(rewritten.body.metadata.resourceVersion, body.metadata.resourceVersion, 'it is written again')
      t.equal(await storedVersion(at, name), `${group}/v2`)
      const again = await client.put(path(version, `/${name}`), rewritten.body)
      t.equal(again.body.metadata.resourceVersion, rewritten.body.metadata.resourceVersion, 'once')
    }
  })

t.test('a webhook is moved behind a service', async (t) => {
  const at = await scene(t)
  const { client, service } = at
  await create(at, 'v1', 'one', { size: 1 })
  t.match(await client.get(path('v2', '/one')), { status: 200 })
  const port = Number(new URL(service.url).port)
  await redefine(at, { conversion: definitionOf({ servicePort: port }, '').spec['conversion'] ?? null })
  const missing = `conversion webhook for ${group}/v1, Kind=Widget failed: service "converter" not found`
  await eventually('the service to be looked for', async () => {
    return (await client.get(path('v2', '/one'))).body.message === missing
  })
  const made = await client.post('/api/v1/namespaces/default/services', {
    metadata: { name: 'converter' },
    spec: { type: 'ExternalName', externalName: 'localhost' },
  })
  t.equal(made.status, 201)
  t.match(await client.get(path('v2', '/one')), { status: 200, body: { spec: { count: 1 } } })
  t.equal(service.seen.at(-1), 'POST /there?timeout=30s')
})

t.test('two servers over one store', async (t) => {
  const at = await scene(t)
  const other = await startInProcess({ store: at.server.store })
  t.teardown(() => other.api.close())
  const second = clientOf(other)
  const watch = await second.watch(path('v2', '?watch=true'))
  await create(at, 'v1', 'one', { size: 1 })
  t.match(await watch.next(), { type: 'ADDED', object: { spec: { count: 1 } } })
  t.match(
    await second.put(path('v2', '/one'), {
      ...(await second.get(path('v2', '/one'))).body,
      spec: { count: 4 },
    }),
    {
      status: 200,
    },
  )
  t.match((await at.client.get(path('v1', '/one'))).body, { spec: { size: 4 } })
  t.match(await watch.next(), { type: 'MODIFIED', object: { spec: { count: 4 } } })
  watch.close()
  const labels = Array.from({ length: 12 }, (_, n) => `l${n}`)
  const patched = await Promise.all(
    labels.map((label, n) =>
      (n % 2 === 0 ? second : at.client).patch(path(n % 3 === 0 ? 'v1' : 'v2', '/one'), {
        metadata: { labels: { [label]: 'x' } },
      }),
    ),
  )
  t.ok(patched.every(({ status }) => status === 200))
  const { metadata, spec } = (await second.get(path('v2', '/one'))).body
  t.same(Object.keys(metadata.labels).sort(), labels.sort(), 'writes at once: none is lost')
  t.same(spec, { count: 4 })
})
