/** What the schema of a definition does to objects, as clients see it: pruned, filled in, refused, forgiven. */

import t, { type Test } from 'tap'
import { eventually } from '../../../support/eventually.ts'
import { startInProcess } from '../../../support/in-process-server.ts'
import { type Client, clientOf, cronTab, cronTabs, definitionsPath, establish } from './crontabs.ts'

const group = 'stable.example.com'
const path = `/apis/${group}/v1/namespaces/default/crontabs`
const definitionPath = `${definitionsPath}/crontabs.${group}`

const text = { type: 'string' }

function schemaOf(spec: object, status: object = {}): object {
  return {
    type: 'object',
    properties: {
      spec: { type: 'object', properties: { replicas: { type: 'integer' }, ...spec } },
      status: { type: 'object', properties: { replicas: { type: 'integer' }, ...status } },
    },
  }
}

function definitionOf(spec: object, status: object = {}) {
  const version = { schema: { openAPIV3Schema: schemaOf(spec, status) }, subresources: { status: {} } }
  return cronTabs({ version })
}

async function setUp(t: Test, definition: ReturnType<typeof cronTabs>): Promise<Client> {
  const server = await startInProcess()
  t.teardown(() => server.close())
  const client = clientOf(server)
  await establish(client, definition)
  return client
}

/** Replaces the definition's spec, and waits until a new object is treated accordingly. */
async function redefine(
  client: Client,
  definition: ReturnType<typeof cronTabs>,
  isServed: () => Promise<boolean>,
): Promise<void> {
  const { metadata } = (await client.get(definitionPath)).body
  const changed = await client.put(definitionPath, { ...definition, metadata })
  if (changed.status !== 200) throw new Error(JSON.stringify(changed.body))
  await eventually('the new schema to be served', isServed)
}

t.test('unknown fields are dropped, and told as the client asks', async (t) => {
  const client = await setUp(
    t,
    definitionOf({ list: { type: 'array', items: { type: 'object', properties: { a: text } } } }),
  )
  const body = (name: string) =>
    cronTab(name, { spec: { list: [{ a: 'a', b: 1 }], other: 1 }, stray: {}, metadata: { name, odd: 1 } })

  const strict = await client.post(`${path}?fieldValidation=Strict`, body('a'))
  t.match(strict, {
    status: 400,
    body: {
      reason: 'BadRequest',
      message:
        /strict decoding error: unknown field "metadata.odd", unknown field "spec.list\[0\].b", unknown field "spec.other", unknown field "stray"$/,
    },
  })
  const warned = await client.post(`${path}?fieldValidation=Warn`, body('b'))
  t.equal(warned.status, 201)
  t.same(warned.body.spec, { list: [{ a: 'a' }] })
  t.notOk('stray' in warned.body)
  t.match(String(warned.headers['warning']), /unknown field \\"spec.list\[0\].b\\"/)
  const ignored = await client.post(`${path}?fieldValidation=Ignore`, body('c'))
  t.equal(ignored.status, 201)
  t.equal(ignored.headers['warning'], undefined)
  t.same((await client.get(`${path}/c`)).body.spec, { list: [{ a: 'a' }] })

  const patched = await client.patch(`${path}/c?fieldValidation=Strict`, { spec: { another: 1 } })
  t.match(patched, { status: 422, body: { message: /unknown field "spec.another"/ } })
  const put = await client.put(`${path}/c?fieldValidation=Strict`, { ...ignored.body, spec: { another: 1 } })
  t.match(put, { status: 400, body: { message: /unknown field "spec.another"/ } })
})

t.test('a value of a wrong type is refused by its field', async (t) => {
  const client = await setUp(t, definitionOf({ name: { type: 'string', maxLength: 3 } }))
  const message =
    'spec.replicas: Invalid value: "string": spec.replicas in body must be of type integer: "string"'
  const refused = await client.post(path, cronTab('a', { spec: { replicas: 'three' } }))
  t.match(refused, {
    status: 422,
    body: {
      reason: 'Invalid',
      message: `CronTab.${group} "a" is invalid: ${message}`,
      details: {
        name: 'a',
        group,
        kind: 'CronTab',
        causes: [{ reason: 'FieldValueTypeInvalid', field: 'spec.replicas' }],
      },
    },
  })
  t.equal((await client.post(path, cronTab('a', { spec: { replicas: 3, name: 'abc' } }))).status, 201)
  for (const [body, type] of [
    [{ spec: { name: 'abcd' } }, 'application/merge-patch+json'],
    [[{ op: 'replace', path: '/spec/name', value: 'abcd' }], 'application/json-patch+json'],
  ] as const) {
    const patched = await client.patch(`${path}/a`, body, type)
    t.match(patched, {
      status: 422,
      body: { details: { causes: [{ field: 'spec.name', message: 'Too long: may not be longer than 3' }] } },
    })
  }
})

t.test('defaults are set on every write, and when objects of before are read', async (t) => {
  const client = await setUp(t, definitionOf({ image: { type: 'string', default: 'one' } }))
  t.match(await client.post(path, cronTab('a', { spec: {} })), {
    status: 201,
    body: { spec: { image: 'one' } },
  })
  t.same((await client.post(path, cronTab('b'))).body.spec, undefined)
  t.match(await client.patch(`${path}/a`, { spec: { image: null } }), { body: { spec: { image: 'one' } } })
  const later = definitionOf({
    image: { type: 'string', default: 'one' },
    policy: { type: 'string', default: 'later' },
  })
  await redefine(client, later, async () => {
    const dry = await client.post(`${path}?dryRun=All`, cronTab('probe', { spec: {} }))
    return dry.body.spec?.policy === 'later'
  })
  const read = await client.get(`${path}/a`)
  t.same(read.body.spec, { image: 'one', policy: 'later' })
  t.same((await client.get(path)).body.items[0].spec, { image: 'one', policy: 'later' })
})

t.test('null where it is no value is as good as absent', async (t) => {
  const client = await setUp(
    t,
    definitionOf({ a: text, b: { ...text, nullable: true }, c: { ...text, default: 'c' } }),
  )
  const created = await client.post(path, cronTab('a', { spec: { a: null, b: null, c: null } }))
  t.match(created, { status: 201 })
  t.same(created.body.spec, { b: null, c: 'c' })
})

t.test('the status is written through its subresource, and judged alone', async (t) => {
  const client = await setUp(t, definitionOf({}, { phase: { type: 'string', enum: ['on', 'off'] } }))
  const created = await client.post(path, cronTab('a', { spec: { replicas: 1 }, status: { phase: 'odd' } }))
  t.equal(created.status, 201)
  t.notOk('status' in created.body)
  const refused = await client.put(`${path}/a/status`, {
    ...created.body,
    status: { phase: 'odd', replicas: 1.5 },
  })
  t.match(refused, {
    status: 422,
    body: {
      details: {
        causes: [
          { field: 'phase', message: 'Unsupported value: "odd": supported values: "on", "off"' },
          { field: 'replicas', reason: 'FieldValueTypeInvalid' },
        ],
      },
    },
  })
  const written = await client.put(`${path}/a/status?fieldValidation=Ignore`, {
    ...created.body,
    spec: { replicas: 5 },
    status: { phase: 'on', unknown: 1 },
  })
  t.match(written, { status: 200, body: { spec: { replicas: 1 }, metadata: { generation: 1 } } })
  t.same(written.body.status, { phase: 'on' })
  const kept = await client.put(`${path}/a`, {
    ...written.body,
    spec: { replicas: 7 },
    status: { phase: 'off' },
  })
  t.match(kept, {
    status: 200,
    body: { metadata: { generation: 2 }, spec: { replicas: 7 }, status: { phase: 'on' } },
  })
  const patched = await client.patch(`${path}/a/status`, { status: { phase: 'off' } })
  t.match(patched, { status: 200, body: { status: { phase: 'off' }, metadata: { generation: 2 } } })
})

t.test('what was wrong before a definition asked for more is forgiven until it changes', async (t) => {
  const client = await setUp(t, definitionOf({ name: text }))
  t.equal((await client.post(path, cronTab('a', { spec: { name: 'a long one', replicas: 1 } }))).status, 201)
  await redefine(client, definitionOf({ name: { type: 'string', maxLength: 3 } }), async () => {
    const dry = await client.post(`${path}?dryRun=All`, cronTab('probe', { spec: { name: 'a long one' } }))
    return dry.status === 422
  })
  t.match(await client.patch(`${path}/a`, { spec: { replicas: 2 } }), { status: 200 })
  t.match(await client.patch(`${path}/a`, { spec: { name: 'also long' } }), {
    status: 422,
    body: { details: { causes: [{ field: 'spec.name' }] } },
  })
})

t.test('an embedded resource says what it is, and its metadata is that of every object', async (t) => {
  const template = {
    type: 'object',
    'x-kubernetes-embedded-resource': true,
    'x-kubernetes-preserve-unknown-fields': true,
  }
  const client = await setUp(t, definitionOf({ template }))
  const wrong = await client.post(
    path,
    cronTab('a', { spec: { template: { metadata: { labels: { a: 1 } } } } }),
  )
  t.match(wrong, { status: 400, body: { message: /spec.template.metadata: Invalid value/ } })
  const refused = await client.post(path, cronTab('a', { spec: { template: { metadata: { name: 'a/b' } } } }))
  t.match(refused, {
    status: 422,
    body: {
      details: {
        causes: [
          { field: 'spec.template.apiVersion', message: 'Required value: must not be empty' },
          { field: 'spec.template.kind', message: 'Required value: must not be empty' },
          { field: 'spec.template.metadata.name', message: `Invalid value: "a/b": may not contain '/'` },
        ],
      },
    },
  })
  const given = { apiVersion: 'v1', kind: 'Pod', metadata: { name: 'x', odd: 1 }, spec: { any: [1] } }
  const kept = await client.post(path, cronTab('a', { spec: { template: given } }))
  t.equal(kept.status, 201)
  t.same(kept.body.spec.template, { ...given, metadata: { name: 'x' } })
})

t.test('other versions of a body are refused', async (t) => {
  const client = await setUp(t, definitionOf({}))
  const strategic = await client.patch(`${path}/a`, {}, 'application/strategic-merge-patch+json')
  t.equal(strategic.status, 415)
})
