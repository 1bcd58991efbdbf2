/** What becomes of objects, watches and paths when a definition changes. */

import t, { type Test } from 'tap'
import { eventually } from '../../../support/eventually.ts'
import { type InProcessServer, startInProcess } from '../../../support/in-process-server.ts'
import { type Client, clientOf, cronTab, cronTabs, definitionsPath, establish } from './crontabs.ts'

const group = 'stable.example.com'
const path = `/apis/${group}/v1/namespaces/default/crontabs`
const definition = `${definitionsPath}/crontabs.${group}`

async function setUp(t: Test): Promise<{ readonly client: Client; readonly server: InProcessServer }> {
  const server = await startInProcess()
  t.teardown(() => server.close())
  return { client: clientOf(server), server }
}

function withSpec(properties: object): object {
  const openAPIV3Schema = { type: 'object', properties: { spec: { type: 'object', properties } } }
  return { schema: { openAPIV3Schema } }
}

const text = { type: 'string' }

t.test('what was written by another schema is pruned and defaulted when it is read', async (t) => {
  const { client } = await setUp(t)
  await establish(client, cronTabs({ version: withSpec({ old: text, kept: text }) }))
  const created = await client.post(path, cronTab('a', { spec: { old: 'x', kept: 'y' } }))
  t.same(created.body.spec, { kept: 'y', old: 'x' })
  const watch = await client.watch(
    `${path}?watch=true&resourceVersion=${created.body.metadata.resourceVersion}`,
  )
  await changeTo(client, withSpec({ kept: text, added: { ...text, default: 'z' } }))
  t.equal(await watch.next(), undefined, 'a watch ends: what it shows has changed')

  const shown = { added: 'z', kept: 'y' }
  const { resourceVersion } = created.body.metadata
  const read = await client.get(`${path}/a`)
  t.match(read.body, { metadata: { resourceVersion, generation: 1 }, spec: shown })
  t.same(read.body.spec, shown)
  t.same((await client.get(path)).body.items[0].spec, shown)
  const again = await client.watch(`${path}?watch=true`)
  t.match(await again.next(), { type: 'ADDED', object: { spec: shown } })
  again.close()
  // What is stored is what is read: nothing is lost to who writes back what was read.
  const written = await client.put(`${path}/a`, { ...read.body, spec: { ...shown, kept: 'w' } })
  t.match(written.body, { metadata: { generation: 2 }, spec: { added: 'z', kept: 'w' } })
})

async function changeTo(client: Client, version: object): Promise<void> {
  const { body } = await client.get(definition)
  const versions = [{ ...body.spec.versions[0], ...version }]
  const changed = await client.put(definition, { ...body, spec: { ...body.spec, versions } })
  if (changed.status !== 200) throw new Error(JSON.stringify(changed.body))
}

t.test('a version that is not served is not there, and its objects are', async (t) => {
  const { client } = await setUp(t)
  await establish(client, cronTabs())
  await client.post(path, cronTab('a'))
  await changeTo(client, { served: false })
  await eventually('it to be served no more', async () => (await client.get(path)).status === 404)
  t.equal((await client.get(`/apis/${group}/v1`)).status, 404)
  await changeTo(client, { served: true })
  t.equal((await client.get(`${path}/a`)).status, 200)
  await changeTo(client, { served: false })
  // What nobody can see goes with its definition all the same.
  await client.delete(definition)
  await eventually('the definition to be gone', async () => (await client.get(definition)).status === 404)
  await establish(client, cronTabs())
  t.same((await client.get(path)).body.items, [])
})

t.test('a definition that comes back in another scope is another resource', async (t) => {
  const { client } = await setUp(t)
  await establish(client, cronTabs())
  await client.post(path, cronTab('a'))
  await client.delete(definition)
  await eventually('the definition to be gone', async () => (await client.get(definition)).status === 404)
  await establish(client, cronTabs({ scope: 'Cluster' }))
  const ofCluster = `/apis/${group}/v1/crontabs`
  t.match(await client.post(ofCluster, cronTab('b')), { status: 201 })
  t.match((await client.get(ofCluster)).body, { items: [{ metadata: { name: 'b' } }] })
  t.equal((await client.get(path)).status, 404)
  t.equal((await client.get(`${ofCluster}/b`)).status, 200)
})

t.test('a deprecated version warns', async (t) => {
  const { client } = await setUp(t)
  const schema = { openAPIV3Schema: { type: 'object' } }
  await establish(
    client,
    cronTabs({
      versions: [
        { name: 'v1', served: true, storage: true, schema },
        { name: 'v1beta1', served: true, storage: false, schema, deprecated: true },
        {
          name: 'v1alpha1',
          served: true,
          storage: false,
          schema,
          deprecated: true,
          deprecationWarning: 'do not',
        },
      ],
    }),
  )
  const warningOf = async (version: string) =>
    (await client.get(`/apis/${group}/${version}/crontabs`)).headers['warning']
  t.equal(await warningOf('v1'), undefined)
  t.same(await warningOf('v1beta1'), [
    `299 - "${group}/v1beta1 CronTab is deprecated; use ${group}/v1 CronTab"`,
  ])
  t.same(await warningOf('v1alpha1'), ['299 - "do not"'])
})

t.test('names that others have are not given; when they become free they are', async (t) => {
  const { client } = await setUp(t)
  await establish(client, cronTabs())
  await client.post(definitionsPath, cronTabs({ plural: 'others' }))
  const others = `${definitionsPath}/others.${group}`
  const conditions = async () => (await client.get(others)).body.status?.conditions ?? []
  await eventually('the other to be refused its names', async () => (await conditions()).length > 1)
  t.match(await conditions(), [
    { type: 'NamesAccepted', status: 'False', reason: 'ListKindConflict' },
    { type: 'Established', status: 'False', reason: 'NotAccepted', message: 'not all names are accepted' },
  ])
  t.equal((await client.get(`/apis/${group}/v1/namespaces/default/others`)).status, 404)
  await client.delete(definition)
  await eventually('the other to get its names', async () =>
    (await conditions()).some(
      ({ type, status }: { type: string; status: string }) => type === 'Established' && status === 'True',
    ),
  )
  t.equal((await client.get(`/apis/${group}/v1/namespaces/default/others`)).status, 200)
})

t.test('what has no form in protobuf', async (t) => {
  const { client } = await setUp(t)
  await establish(client, cronTabs())
  await client.post(path, cronTab('a'))
  const protobuf = 'application/vnd.kubernetes.protobuf'
  t.match(await client.get(`${path}/a`, { accept: `${protobuf},application/json` }), { status: 200 })
  const strategic = await client.patch(`${path}/a`, {}, 'application/strategic-merge-patch+json')
  t.match(strategic, { status: 415, body: { reason: 'UnsupportedMediaType' } })
  const unknown = await client.get(`${path}/a/unknown`)
  t.match(unknown, { status: 404, body: { message: `crontabs.${group} "a" not found` } })
})

t.test('what is kept of a resource is given back with its definition', async (t) => {
  const { client, server } = await setUp(t)
  const resources = async () => {
    const metrics = await server.api.metricsText()
    return metrics.split('\n').filter((line) => line.includes('crontabs'))
  }
  await establish(client, cronTabs())
  await client.post(path, cronTab('a'))
  t.ok((await resources()).some((line) => line.startsWith('apiserver_storage_objects')))
  await client.delete(definition)
  await eventually('the resource to be forgotten', async () => {
    return !(await resources()).some((line) => line.startsWith('apiserver_storage_objects'))
  })
})
