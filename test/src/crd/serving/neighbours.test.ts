/** What the rest of the server does about custom resources: discovery, garbage collection, namespaces, quotas. */

import t, { type Test } from 'tap'
import { eventually } from '../../../support/eventually.ts'
import { startInProcess } from '../../../support/in-process-server.ts'
import { createMemoryStore } from '../../../support/memory-store.ts'
import { type Client, clientOf, cronTab, cronTabs, definitionsPath, establish } from './crontabs.ts'

const group = 'stable.example.com'
const path = `/apis/${group}/v1/namespaces/default/crontabs`

async function setUp(t: Test): Promise<Client> {
  const server = await startInProcess()
  t.teardown(() => server.close())
  return clientOf(server)
}

t.test('discovery tells of a definition while it is there', async (t) => {
  const client = await setUp(t)
  const before = await client.get('/apis', { accept: aggregated })
  t.equal((await client.get(`/apis/${group}`)).status, 404)
  await establish(client, cronTabs({ shortNames: ['ct'], version: { subresources: { status: {} } } }))
  t.match(await client.get(`/apis/${group}`), {
    status: 200,
    body: { kind: 'APIGroup', name: group, preferredVersion: { groupVersion: `${group}/v1`, version: 'v1' } },
  })
  const verbs = ['delete', 'deletecollection', 'get', 'list', 'patch', 'create', 'update', 'watch']
  t.match((await client.get(`/apis/${group}/v1`)).body, {
    kind: 'APIResourceList',
    groupVersion: `${group}/v1`,
    resources: [
      {
        name: 'crontabs',
        singularName: 'crontab',
        namespaced: true,
        kind: 'CronTab',
        shortNames: ['ct'],
        verbs,
        storageVersionHash: String,
      },
      { name: 'crontabs/status', singularName: '', kind: 'CronTab', verbs: ['get', 'patch', 'update'] },
    ],
  })
  const groups = (await client.get('/apis')).body.groups.map(({ name }: { name: string }) => name)
  t.equal(groups.at(-1), group, 'custom groups come last')
  const after = await client.get('/apis', { accept: aggregated })
  t.not(after.headers['etag'], before.headers['etag'])
  t.match(after.body.items.at(-1), {
    metadata: { name: group },
    versions: [{ version: 'v1', resources: [{ resource: 'crontabs', scope: 'Namespaced' }] }],
  })
  await client.delete(`${definitionsPath}/crontabs.${group}`)
  await eventually('the group to be gone', async () => (await client.get(`/apis/${group}`)).status === 404)
  const again = await client.get('/apis', { accept: aggregated })
  t.equal(again.headers['etag'], before.headers['etag'])
})

const aggregated =
  'application/json;g=apidiscovery.k8s.io;v=v2beta1;as=APIGroupDiscoveryList,application/json'

t.test('what a custom resource owns goes with it', async (t) => {
  const client = await setUp(t)
  await establish(client, cronTabs())
  const owner = (await client.post(path, cronTab('owner'))).body
  const reference = {
    apiVersion: `${group}/v1`,
    kind: 'CronTab',
    name: 'owner',
    uid: owner.metadata.uid,
    blockOwnerDeletion: true,
  }
  const configMaps = '/api/v1/namespaces/default/configmaps'
  await client.post(configMaps, { metadata: { name: 'owned', ownerReferences: [reference] } })
  await client.post(path, cronTab('child', { metadata: { name: 'child', ownerReferences: [reference] } }))
  const deleted = await client.delete(`${path}/owner?propagationPolicy=Foreground`)
  t.match(deleted.body, { metadata: { finalizers: ['foregroundDeletion'] } })
  for (const target of [`${configMaps}/owned`, `${path}/child`, `${path}/owner`])
    await eventually(`${target} to be gone`, async () => (await client.get(target)).status === 404)
})

t.test('what its objects owned goes with a definition', async (t) => {
  const client = await setUp(t)
  await establish(client, cronTabs())
  const { metadata } = (await client.post(path, cronTab('owner'))).body
  const reference = { apiVersion: `${group}/v1`, kind: 'CronTab', name: 'owner', uid: metadata.uid }
  const configMaps = '/api/v1/namespaces/default/configmaps'
  await client.post(configMaps, { metadata: { name: 'owned', ownerReferences: [reference] } })
  await client.delete(`${definitionsPath}/crontabs.${group}`)
  await eventually('the owned object to be gone', async () => {
    return (await client.get(`${configMaps}/owned`)).status === 404
  })
})

t.test('a namespace goes with the custom resources in it', async (t) => {
  const client = await setUp(t)
  await establish(client, cronTabs())
  await client.post('/api/v1/namespaces', { metadata: { name: 'there' } })
  const inside = `/apis/${group}/v1/namespaces/there/crontabs`
  t.equal((await client.post(inside, cronTab('a'))).status, 201)
  await client.delete('/api/v1/namespaces/there')
  await eventually('the namespace to be gone', async () => {
    return (await client.get('/api/v1/namespaces/there')).status === 404
  })
  t.same((await client.get(inside)).body.items, [])
})

t.test('a quota counts custom resources, whichever came first', async (t) => {
  const client = await setUp(t)
  const quotas = '/api/v1/namespaces/default/resourcequotas'
  const hard = { [`count/crontabs.${group}`]: '1' }
  await client.post(quotas, { metadata: { name: 'few' }, spec: { hard } })
  const isUsed = (used: string) => async () => {
    const { body } = await client.get(`${quotas}/few`)
    return body.status?.used?.[`count/crontabs.${group}`] === used
  }
  await eventually('the quota to be counted', isUsed('0'))
  await establish(client, cronTabs())
  t.equal((await client.post(path, cronTab('a'))).status, 201)
  t.match(await client.post(path, cronTab('b')), {
    status: 403,
    body: { message: /exceeded quota: few/ },
  })
  await client.delete(`${path}/a`)
  await eventually('the object to be given back', isUsed('0'))
})

t.test('a definition established through one server is served by another', async (t) => {
  const store = createMemoryStore()
  const [one, other] = [await startInProcess({ store }), await startInProcess({ store })]
  t.teardown(async () => {
    await one.api.close()
    await other.close()
  })
  const [here, there] = [clientOf(one), clientOf(other)]
  for (const plural of ['as', 'bs', 'cs', 'ds']) {
    const kind = plural.toUpperCase()
    await establish(here, cronTabs({ plural, kind }))
    const objects = `/apis/${group}/v1/namespaces/default/${plural}`
    t.match(await there.post(objects, cronTab('x', { kind })), { status: 201, body: { kind } })
    t.match((await there.get(`/apis/${group}/v1`)).body.resources.at(-1), { name: plural })
    t.match(await here.get(`${objects}/x`), { status: 200, body: { kind } })
  }
})

t.test('a definition in a group of the server itself', async (t) => {
  const client = await setUp(t)
  const own = 'networking.k8s.io'
  const approved = (definition: ReturnType<typeof cronTabs>) => ({
    ...definition,
    metadata: { ...definition.metadata, annotations: { 'api-approved.kubernetes.io': 'unapproved, a test' } },
  })
  const ingresses = `/apis/${own}/v1/namespaces/default/ingresses`
  const ingress = { metadata: { name: 'mine' }, spec: { defaultBackend: { resource: backend } } }
  t.equal((await client.post(ingresses, ingress)).status, 201)
  await establish(client, approved(cronTabs({ group: own })))
  const object = cronTab('a', { apiVersion: `${own}/v1` })
  t.match(await client.post(`/apis/${own}/v1/namespaces/default/crontabs`, object), { status: 201 })
  const { resources } = (await client.get(`/apis/${own}/v1`)).body
  const names = resources.map(({ name }: { name: string }) => name)
  t.ok(names.includes('ingresses') && names.includes('crontabs'))

  await establish(client, approved(cronTabs({ group: own, plural: 'ingresses', kind: 'Mine' })))
  t.match((await client.get(ingresses)).body, {
    kind: 'IngressList',
    items: [{ metadata: { name: 'mine' } }],
  })
  await client.delete(`${definitionsPath}/ingresses.${own}`)
  await eventually('the definition to be gone', async () => {
    return (await client.get(`${definitionsPath}/ingresses.${own}`)).status === 404
  })
  t.equal((await client.get(`${ingresses}/mine`)).status, 200, 'what is not its own stays')
})

const backend = { apiGroup: 'example.com', kind: 'Bucket', name: 'b' }
