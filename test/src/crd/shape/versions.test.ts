/** Versions of a definition side by side, and definitions that change: columns, owners, documents, watches. */

import t, { type Test } from 'tap'
import { eventually } from '../../../support/eventually.ts'
import { startInProcess } from '../../../support/in-process-server.ts'
import { type Client, clientOf, cronTabs, definitionsPath, establish } from '../serving/crontabs.ts'

const group = 'stable.example.com'
const pathOf = (version: string) => `/apis/${group}/${version}/namespaces/default/crontabs`
const table = 'application/json;as=Table;v=v1;g=meta.k8s.io'

const schema = {
  openAPIV3Schema: {
    type: 'object',
    properties: {
      spec: {
        type: 'object',
        properties: {
          size: { type: 'integer' },
          word: { type: 'string' },
          list: { type: 'array', items: { type: 'object', properties: { name: { type: 'string' } } } },
        },
      },
    },
  },
}

function version(name: string, storage: boolean, column: string): object {
  const additionalPrinterColumns = [{ name: column, type: 'string', jsonPath: `.spec.${column}` }]
  return { name, served: true, storage, schema, additionalPrinterColumns }
}

interface Served {
  readonly client: Client
  table(target: string): Promise<{ columns: string[]; cells: unknown[] }>
  tables(target: string): ReturnType<Client['watch']>
}

async function serve(t: Test, definition: ReturnType<typeof cronTabs>): Promise<Served> {
  const server = await startInProcess()
  t.teardown(() => server.close())
  const client = clientOf(server)
  await establish(client, definition)
  return {
    client,
    async table(target) {
      const { body } = await server.request({ method: 'GET', target, headers: { accept: table } })
      const { columnDefinitions, rows } = JSON.parse(body.toString())
      return {
        columns: columnDefinitions.map(({ name }: { name: string }) => name),
        cells: rows.map(({ cells }: { cells: unknown }) => cells),
      }
    },
    tables: (target) => server.watch({ method: 'GET', target, headers: { accept: table } }),
  }
}

const spec = { size: 1, word: 'w', list: [{ name: 'a' }] }
const body = (of: string, name = 'a') => ({
  apiVersion: `${group}/${of}`,
  kind: 'CronTab',
  metadata: { name },
  spec,
})

t.test('each version has columns and documents of its own', async (t) => {
  const versions = [version('v1', true, 'size'), version('v2', false, 'word')]
  const { client, table } = await serve(t, cronTabs({ versions }))
  await client.post(pathOf('v1'), body('v1'))
  t.same(await table(pathOf('v1')), { columns: ['Name', 'size'], cells: [['a', '1']] })
  t.same(await table(`${pathOf('v2')}/a`), { columns: ['Name', 'word'], cells: [['a', 'w']] })
  const { paths } = (await client.get('/openapi/v3')).body
  for (const name of ['v1', 'v2']) {
    const document = await client.get(paths[`apis/${group}/${name}`].serverRelativeURL)
    t.ok(document.body.components.schemas[`com.example.stable.${name}.CronTab`], name)
    t.match(document.headers['cache-control'], /immutable/)
  }
})

t.test('who owns what is told in the version in which it was written', async (t) => {
  const versions = [version('v1', true, 'size'), version('v2', false, 'word')]
  const { client } = await serve(t, cronTabs({ versions }))
  await client.post(`${pathOf('v1')}?fieldManager=one`, body('v1'))
  const apply = (said: object, force = false) =>
    client.patch(
      `${pathOf('v2')}/a?fieldManager=two${force ? '&force=true' : ''}`,
      { ...body('v2'), spec: said },
      'application/apply-patch+yaml',
    )
  const refused = await apply({ size: 2 })
  t.match(refused, { status: 409, body: { details: { causes: [{ field: '.spec.size' }] } } })
  t.match(refused.body.message, `conflict with "one" using ${group}/v1`)
  const forced = await apply({ size: 2 }, true)
  t.match(forced.body, { apiVersion: `${group}/v2`, spec: { size: 2, word: 'w' } })
  const owners = forced.body.metadata.managedFields.map(
    ({ manager, apiVersion, fieldsV1 }: { manager: string; apiVersion: string; fieldsV1: object }) => [
      manager,
      apiVersion,
      Object.keys(Object.values(fieldsV1)[0]),
    ],
  )
  t.same(owners, [
    ['two', `${group}/v2`, ['f:size']],
    ['one', `${group}/v1`, ['.', 'f:list', 'f:word']],
  ])
})

t.test('each version has a scale of its own', async (t) => {
  const scaled = (name: string, storage: boolean, path: string) => ({
    ...version(name, storage, 'word'),
    subresources: { scale: { specReplicasPath: path, statusReplicasPath: '.status.ready' } },
  })
  const versions = [scaled('v1', true, '.spec.size'), scaled('v2', false, '.spec.other')]
  const { client } = await serve(t, cronTabs({ versions }))
  await client.post(pathOf('v1'), body('v1'))
  t.match((await client.get(`${pathOf('v1')}/a/scale`)).body, { spec: { replicas: 1 } })
  t.match(await client.get(`${pathOf('v2')}/a/scale`), {
    status: 500,
    body: { message: 'Internal error occurred: the spec replicas field ".spec.other" does not exist' },
  })
  const set = await client.patch(`${pathOf('v1')}/a/scale`, { spec: { replicas: 4 } })
  t.match(set.body, { spec: { replicas: 4 } })
  t.match((await client.get(`${pathOf('v2')}/a`)).body, { spec: { size: 4 } })
})

t.test('a definition that changes: other columns, other merging, another document', async (t) => {
  const { client, table } = await serve(t, cronTabs({ versions: [version('v1', true, 'size')] }))
  await client.post(pathOf('v1'), body('v1'))
  const documentOf = async () =>
    (await client.get('/openapi/v3')).body.paths[`apis/${group}/v1`].serverRelativeURL
  const before = await documentOf()
  const name = `${definitionsPath}/crontabs.${group}`
  const list = {
    type: 'array',
    'x-kubernetes-list-type': 'map',
    'x-kubernetes-list-map-keys': ['name'],
    items: { type: 'object', required: ['name'], properties: { name: { type: 'string' } } },
  }
  const path = '/spec/versions/0'
  const patch = [
    { op: 'remove', path: `${path}/additionalPrinterColumns` },
    { op: 'replace', path: `${path}/schema/openAPIV3Schema/properties/spec/properties/list`, value: list },
  ]
  t.equal((await client.patch(name, patch, 'application/json-patch+json')).status, 200)
  await eventually('the new columns', async () => (await table(pathOf('v1'))).columns.includes('Age'))
  t.same((await table(pathOf('v1'))).columns, ['Name', 'Age'])
  t.not(await documentOf(), before)
  const moved = await client.get(before)
  t.match(moved, { status: 301, headers: { location: await documentOf() } })
  const applied = await client.patch(
    `${pathOf('v1')}/a?fieldManager=two`,
    { ...body('v1'), spec: { list: [{ name: 'b' }] } },
    'application/apply-patch+yaml',
  )
  t.same(applied.body.spec.list, [{ name: 'a' }, { name: 'b' }], 'a list that was whole has items now')
})

t.test('a watch of tables says its columns once', async (t) => {
  const { client, tables } = await serve(t, cronTabs({ versions: [version('v1', true, 'word')] }))
  const watch = await tables(`${pathOf('v1')}?watch=true`)
  await client.post(pathOf('v1'), body('v1', 'one'))
  await client.post(pathOf('v1'), body('v1', 'two'))
  t.match(await watch.next(), {
    type: 'ADDED',
    object: {
      kind: 'Table',
      columnDefinitions: [{ name: 'Name' }, { name: 'word' }],
      rows: [{ cells: ['one', 'w'] }],
    },
  })
  t.match(await watch.next(), { object: { columnDefinitions: null, rows: [{ cells: ['two', 'w'] }] } })
  watch.close()
})
