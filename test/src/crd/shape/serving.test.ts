/** What custom resources look like through the API: tables, metadata alone, YAML, apply, status, scale, selectors. */

import t, { type Test } from 'tap'
import { startInProcess } from '../../../support/in-process-server.ts'
import { type Client, clientOf, cronTabs, establish } from '../serving/crontabs.ts'

const group = 'stable.example.com'
const path = `/apis/${group}/v1/namespaces/default/crontabs`
const table = 'application/json;as=Table;v=v1;g=meta.k8s.io'

const version = {
  subresources: {
    status: {},
    scale: {
      specReplicasPath: '.spec.workers.count',
      statusReplicasPath: '.status.ready',
      labelSelectorPath: '.status.selector',
    },
  },
  additionalPrinterColumns: [
    { name: 'Spec', type: 'string', jsonPath: '.spec.cronSpec' },
    { name: 'Ready', type: 'integer', jsonPath: '.status.ready', priority: 1 },
  ],
  schema: {
    openAPIV3Schema: {
      type: 'object',
      properties: {
        spec: {
          type: 'object',
          properties: {
            cronSpec: { type: 'string' },
            color: { type: 'string' },
            note: { type: 'string', nullable: true },
            paused: { type: 'boolean', default: false },
            workers: { type: 'object', properties: { count: { type: 'integer' } } },
            ports: {
              type: 'array',
              'x-kubernetes-list-type': 'map',
              'x-kubernetes-list-map-keys': ['port'],
              items: {
                type: 'object',
                required: ['port'],
                properties: { port: { type: 'integer' }, name: { type: 'string' } },
              },
            },
            any: { 'x-kubernetes-preserve-unknown-fields': true },
          },
        },
        status: {
          type: 'object',
          properties: { ready: { type: 'integer' }, selector: { type: 'string' } },
        },
      },
    },
  },
}

interface SetUp {
  readonly client: Client
  request(method: string, target: string, headers: Record<string, string>, body?: string): Promise<Answer>
}

interface Answer {
  readonly status: number
  readonly type: string
  readonly text: string
}

async function setUp(t: Test, more: object = {}, featureGates = new Map<string, boolean>()): Promise<SetUp> {
  const server = await startInProcess({ options: { featureGates } })
  t.teardown(() => server.close())
  const client = clientOf(server)
  await establish(client, cronTabs({ version: { ...version, ...more } }))
  return {
    client,
    async request(method, target, headers, body) {
      const answer = await server.request({
        method,
        target,
        headers,
        ...(body === undefined ? {} : { body }),
      })
      return {
        status: answer.status,
        type: String(answer.headers['content-type']),
        text: answer.body.toString(),
      }
    },
  }
}

function cronTab(name: string, spec: object = { cronSpec: '* *' }): object {
  return { apiVersion: `${group}/v1`, kind: 'CronTab', metadata: { name }, spec }
}

interface Entry {
  readonly manager: string
  readonly subresource?: string
  readonly fieldsV1: object
}

/** What a manager owns, by subresource. */
function fieldsOf(object: { metadata: { managedFields: Entry[] } }, manager: string): object {
  const own = object.metadata.managedFields.filter((entry) => entry.manager === manager)
  return Object.fromEntries(own.map(({ subresource = '', fieldsV1 }) => [subresource, fieldsV1]))
}

t.test('tables, and metadata alone', async (t) => {
  const { client, request } = await setUp(t)
  await client.post(path, cronTab('a'))
  await client.post(path, cronTab('b', { cronSpec: '1 1' }))
  const list = JSON.parse((await request('GET', path, { accept: table })).text)
  t.match(list, {
    kind: 'Table',
    columnDefinitions: [
      { name: 'Name', format: 'name' },
      { name: 'Spec', type: 'string', priority: 0 },
      { name: 'Ready', type: 'integer', priority: 1 },
    ],
  })
  t.same(
    list.rows.map(({ cells }: { cells: unknown }) => cells),
    [
      ['a', '* *', null],
      ['b', '1 1', null],
    ],
  )
  t.match(list.rows[0].object, { kind: 'PartialObjectMetadata', metadata: { name: 'a' } })
  const one = JSON.parse((await request('GET', `${path}/b?includeObject=Object`, { accept: table })).text)
  t.match(one.rows, [{ cells: ['b', '1 1', null], object: { kind: 'CronTab', spec: { cronSpec: '1 1' } } }])
  const partial = 'application/json;as=PartialObjectMetadataList;v=v1;g=meta.k8s.io'
  const metadata = JSON.parse((await request('GET', path, { accept: partial })).text)
  t.match(metadata, { kind: 'PartialObjectMetadataList', items: [{ kind: 'PartialObjectMetadata' }, {}] })
  t.notOk(metadata.items.some((item: object) => 'spec' in item))
})

t.test('YAML in and out, members in the order of their names', async (t) => {
  const { request } = await setUp(t)
  const yaml = 'application/yaml'
  const body = `apiVersion: ${group}/v1
kind: CronTab
metadata: {name: why}
spec: {note: null, cronSpec: '* *', any: {z: 1, a: [{d: 1, c: 2}]}}
`
  const headers = { accept: yaml, 'content-type': yaml }
  const created = await request('POST', path, headers, body)
  t.match(created, { status: 201, type: yaml })
  t.match(created.text, /\nspec:\n {2}any:\n {4}a:\n {6}- c: 2\n {8}d: 1\n {4}z: 1\n {2}cronSpec: /)
  t.match(created.text, / {2}note: null\n {2}paused: false\n/)
  const protobuf = await request('GET', `${path}/why`, { accept: 'application/vnd.kubernetes.protobuf' })
  t.equal(protobuf.status, 406)
  const either = 'application/vnd.kubernetes.protobuf,application/json'
  t.match(await request('GET', `${path}/why`, { accept: either }), { status: 200, type: 'application/json' })
  const strategic = { 'content-type': 'application/strategic-merge-patch+json' }
  t.equal((await request('PATCH', `${path}/why`, strategic, '{}')).status, 415)
})

t.test('apply: fields of each manager, conflicts, what the schema does not name', async (t) => {
  const { client, request } = await setUp(t)
  const apply = async (manager: string, spec: object, force = false) => {
    const target = `${path}/a?fieldManager=${manager}${force ? '&force=true' : ''}`
    const headers = { 'content-type': 'application/apply-patch+yaml' }
    const answer = await request('PATCH', target, headers, JSON.stringify(cronTab('a', spec)))
    return { status: answer.status, body: JSON.parse(answer.text) }
  }
  const first = await apply('one', {
    cronSpec: '* *',
    ports: [{ port: 1 }],
    any: { x: { y: 1 } },
    note: null,
  })
  t.match(first, { status: 201, body: { metadata: { generation: 1 } } })
  t.same(first.body.spec, {
    any: { x: { y: 1 } },
    cronSpec: '* *',
    note: null,
    paused: false,
    ports: [{ port: 1 }],
  })
  t.same(first.body.metadata.managedFields[0].fieldsV1, {
    'f:spec': {
      'f:any': { 'f:x': { '.': {}, 'f:y': {} } },
      'f:cronSpec': {},
      'f:note': {},
      'f:ports': { 'k:{"port":1}': { '.': {}, 'f:port': {} } },
    },
  })
  const second = await apply('two', { ports: [{ port: 2, name: 'two' }], any: { x: { z: 2 } } })
  t.same(second.body.spec.ports, [{ port: 1 }, { name: 'two', port: 2 }])
  t.same(second.body.spec.any, { x: { y: 1, z: 2 } })
  const refused = await apply('two', { cronSpec: '1 1' })
  t.match(refused, {
    status: 409,
    body: {
      message: 'Apply failed with 1 conflict: conflict with "one": .spec.cronSpec',
      details: { causes: [{ reason: 'FieldManagerConflict', field: '.spec.cronSpec' }] },
    },
  })
  t.match(await apply('two', { cronSpec: '1 1' }, true), { status: 200, body: { spec: { cronSpec: '1 1' } } })
  t.match(await apply('two', { nothing: 1 }), {
    status: 400,
    body: {
      message: `failed to create typed patch object (/a; ${group}/v1, Kind=CronTab): .spec.nothing: field not declared in schema`,
    },
  })
  // Who leaves out what nobody else owns takes it away.
  const less = await apply('one', { any: { x: { y: 1 } } })
  t.same(less.body.spec, { any: { x: { y: 1 } }, cronSpec: '1 1', paused: false })
  const before = (await client.get(`${path}/a`)).body
  t.same((await apply('one', { any: { x: { y: 1 } } })).body, before, 'the same again changes nothing')
})

t.test('status and specification each have a path', async (t) => {
  const { client } = await setUp(t)
  const created = await client.post(path, { ...cronTab('a'), status: { ready: 9 } })
  t.equal(created.body.status, undefined)
  const written = await client.put(`${path}/a/status?fieldManager=agent`, {
    ...created.body,
    metadata: { ...created.body.metadata, labels: { not: 'taken' } },
    spec: { cronSpec: 'not taken' },
    status: { ready: 1 },
  })
  t.match(written, {
    status: 200,
    body: { metadata: { generation: 1 }, spec: { cronSpec: '* *' }, status: { ready: 1 } },
  })
  t.equal(written.body.metadata.labels, undefined)
  t.same(fieldsOf(written.body, 'agent'), { status: { 'f:status': { '.': {}, 'f:ready': {} } } })
  const changed = await client.put(`${path}/a`, {
    ...written.body,
    spec: { cronSpec: '1 1' },
    status: { ready: 2 },
  })
  t.match(changed.body, { metadata: { generation: 2 }, spec: { cronSpec: '1 1' }, status: { ready: 1 } })
  t.match(await client.patch(`${path}/a/status`, { status: { ready: 'x' } }), {
    status: 422,
    body: { message: /ready: Invalid value: "string": ready in body must be of type integer: "string"/ },
  })
})

t.test('without a path of its own the status is a part like any other', async (t) => {
  const { client } = await setUp(t, { subresources: {} })
  const created = await client.post(path, { ...cronTab('a'), status: { ready: 1 } })
  t.match(created.body, { metadata: { generation: 1 }, status: { ready: 1 } })
  const changed = await client.patch(`${path}/a`, { status: { ready: 2 } })
  t.match(changed.body, { metadata: { generation: 2 }, status: { ready: 2 } })
  t.equal((await client.get(`${path}/a/status`)).status, 404)
})

t.test('scale', async (t) => {
  const { client, request } = await setUp(t)
  await client.post(path, cronTab('a'))
  t.match(await client.get(`${path}/a/scale`), {
    status: 500,
    body: {
      reason: 'InternalError',
      message: 'Internal error occurred: the spec replicas field ".spec.workers.count" does not exist',
    },
  })
  t.match(await client.patch(`${path}/a/scale`, { metadata: {} }), {
    status: 400,
    body: { message: 'the spec replicas field ".spec.workers.count" cannot be empty' },
  })
  const set = await client.patch(`${path}/a/scale?fieldManager=hpa`, { spec: { replicas: 3 } })
  t.match(set, {
    status: 200,
    body: {
      kind: 'Scale',
      apiVersion: 'autoscaling/v1',
      metadata: { name: 'a', namespace: 'default', uid: String, resourceVersion: String },
      spec: { replicas: 3 },
      status: { replicas: 0 },
    },
  })
  const parent = await client.get(`${path}/a`)
  t.match(parent.body, { metadata: { generation: 2 }, spec: { cronSpec: '* *', workers: { count: 3 } } })
  t.same(fieldsOf(parent.body, 'hpa'), {
    scale: { 'f:spec': { 'f:workers': { '.': {}, 'f:count': {} } } },
  })
  await client.patch(`${path}/a/status`, { status: { ready: 2, selector: 'app=a' } })
  const read = await client.get(`${path}/a/scale`)
  t.match(read.body, { spec: { replicas: 3 }, status: { replicas: 2, selector: 'app=a' } })
  const put = await client.put(`${path}/a/scale`, { ...read.body, spec: { replicas: 5 } })
  t.match(put.body, { spec: { replicas: 5 } })
  t.match(await client.put(`${path}/a/scale`, { ...read.body, spec: { replicas: 6 } }), { status: 409 })
  t.match(await client.patch(`${path}/a/scale`, { spec: { replicas: -1 } }), {
    status: 422,
    body: {
      message: `CronTab.${group} "a" is invalid: .spec.workers.count: Invalid value: -1: should be a non-negative integer`,
    },
  })
  const applied = await request(
    'PATCH',
    `${path}/a/scale?fieldManager=me&force=true`,
    { 'content-type': 'application/apply-patch+yaml' },
    JSON.stringify({
      apiVersion: 'autoscaling/v1',
      kind: 'Scale',
      metadata: { name: 'a' },
      spec: { replicas: 7 },
    }),
  )
  t.match(JSON.parse(applied.text), { spec: { replicas: 7 } })
  t.match((await client.get(`${path}/a`)).body, { spec: { workers: { count: 7 } } })
  const rows = JSON.parse((await request('GET', `${path}/a/scale`, { accept: table })).text)
  t.same(
    rows.columnDefinitions.map(({ name }: { name: string }) => name),
    ['Name', 'Desired', 'Available', 'Age'],
  )
  t.match(rows.rows[0].cells, ['a', 7, 2, String])
})

t.test('field selectors over fields of the schema, behind their gate', async (t) => {
  const selectableFields = [{ jsonPath: '.spec.color' }, { jsonPath: '.spec.paused' }]
  const gates = new Map([['CustomResourceFieldSelectors', true]])
  const { client } = await setUp(t, { selectableFields }, gates)
  await client.post(path, cronTab('blue', { color: 'blue' }))
  await client.post(path, cronTab('red', { color: 'red', paused: true }))
  const namesOf = async (selector: string) => {
    const { body } = await client.get(`${path}?fieldSelector=${encodeURIComponent(selector)}`)
    return body.items?.map((item: { metadata: { name: string } }) => item.metadata.name) ?? body.message
  }
  t.same(await namesOf('spec.color=blue'), ['blue'])
  t.same(await namesOf('spec.color!=blue,metadata.namespace=default'), ['red'])
  t.same(await namesOf('spec.paused=false'), ['blue'])
  t.same(await namesOf('spec.cronSpec=x'), 'field label not supported: spec.cronSpec')
  const watch = await client.watch(`${path}?watch=true&fieldSelector=spec.color%3Dblue`)
  t.match(await watch.next(), { type: 'ADDED', object: { metadata: { name: 'blue' } } })
  await client.patch(`${path}/red`, { spec: { color: 'blue' } })
  t.match(await watch.next(), { type: 'ADDED', object: { metadata: { name: 'red' } } })
  await client.patch(`${path}/blue`, { spec: { color: null } })
  t.match(await watch.next(), { type: 'DELETED', object: { metadata: { name: 'blue' } } })
  watch.close()
  const closed = await setUp(t, { selectableFields })
  const { status, body } = await closed.client.get(`${path}?fieldSelector=spec.color%3Dblue`)
  t.match({ status, body }, { status: 400, body: { message: 'field label not supported: spec.color' } })
})
