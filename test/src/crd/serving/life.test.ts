/** The life of a definition, as its clients see it: established, served, changed, ended. */

import t, { type Test } from 'tap'
import { startInProcess } from '../../../support/in-process-server.ts'
import { type Client, clientOf, cronTab, cronTabs, definitionsPath, establish } from './crontabs.ts'

const group = 'stable.example.com'
const path = `/apis/${group}/v1/namespaces/default/crontabs`

async function setUp(t: Test, definition = cronTabs()): Promise<Client> {
  const server = await startInProcess()
  t.teardown(() => server.close())
  const client = clientOf(server)
  await establish(client, definition)
  return client
}

t.test('objects are created, read, listed, changed and deleted', async (t) => {
  const client = await setUp(t)
  const spec = { cronSpec: '* * * * */5', image: 'my-image' }
  const created = await client.post(path, cronTab('a', { spec }))
  t.match(created, {
    status: 201,
    body: { apiVersion: `${group}/v1`, kind: 'CronTab', metadata: { name: 'a', generation: 1 }, spec },
  })
  const read = await client.get(`${path}/a`)
  t.same(read.body, created.body)
  const list = await client.get(path)
  t.match(list.body, { kind: 'CronTabList', apiVersion: `${group}/v1`, items: [{ metadata: { name: 'a' } }] })
  const changed = await client.put(`${path}/a`, { ...read.body, spec: { ...spec, replicas: 2 } })
  t.match(changed, { status: 200, body: { metadata: { generation: 2 }, spec: { replicas: 2 } } })
  const deleted = await client.delete(`${path}/a`)
  t.match(deleted, { status: 200, body: { kind: 'Status', details: { group, kind: 'crontabs', name: 'a' } } })
  t.equal((await client.get(`${path}/a`)).status, 404)
})

t.test('a watch hears of all of it', async (t) => {
  const client = await setUp(t)
  const watch = await client.watch(`${path}?watch=true`)
  await client.post(path, cronTab('a'))
  await client.delete(`${path}/a`)
  t.match(await watch.next(), { type: 'ADDED', object: { metadata: { name: 'a' } } })
  t.match(await watch.next(), { type: 'DELETED', object: { metadata: { name: 'a' } } })
  watch.close()
})

t.test('a definition goes with its objects, and its watches end', async (t) => {
  const client = await setUp(t)
  await client.post(path, cronTab('a', { metadata: { name: 'a', finalizers: ['example.com/hold'] } }))
  const watch = await client.watch(`${path}?watch=true`)
  t.match(await watch.next(), { type: 'ADDED' })
  const definition = `${definitionsPath}/crontabs.${group}`
  const deleted = await client.delete(definition)
  t.match(deleted, {
    status: 200,
    body: { metadata: { finalizers: ['customresourcecleanup.apiextensions.k8s.io'] } },
  })
  t.match(await watch.next(), { type: 'MODIFIED', object: { metadata: { deletionTimestamp: String } } })
  t.match(await client.post(path, cronTab('b')), {
    status: 405,
    body: { message: 'create not allowed while custom resource definition is terminating' },
  })
  const patch = [{ op: 'remove', path: '/metadata/finalizers' }]
  t.equal((await client.patch(`${path}/a`, patch, 'application/json-patch+json')).status, 200)
  t.match(await watch.next(), { type: 'DELETED' })
  t.equal(await watch.next(), undefined)
  t.equal((await client.get(definition)).status, 404)
  t.equal((await client.get(path)).status, 404)
})
