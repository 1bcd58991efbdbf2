/** What a custom resource must say of its own type; built-in types need not say it. */

import t, { type Test } from 'tap'
import { startInProcess } from '../../../support/in-process-server.ts'
import { clientOf, cronTab, cronTabs, establish } from './crontabs.ts'

const group = 'stable.example.com'
const apiVersion = `${group}/v1`
const path = `/apis/${apiVersion}/namespaces/default/crontabs`
const configMaps = '/api/v1/namespaces/default/configmaps'
const kind = 'CronTab'
const metadata = { name: 'a' }
const subresources = {
  status: {},
  scale: { specReplicasPath: '.spec.replicas', statusReplicasPath: '.status.replicas' },
}

async function setUp(t: Test) {
  const server = await startInProcess()
  t.teardown(() => server.close())
  const client = clientOf(server)
  await establish(client, cronTabs({ version: { subresources } }))
  return { server, client }
}

const unrecognized = 'the object provided is unrecognized (must be of type CronTab): '

/** [what the body says, the code, the message] */
const bodies: readonly (readonly [object, number, string])[] = [
  [
    {},
    400,
    `${unrecognized}Object 'Kind' is missing in '{"metadata":{"name":"a"}}' ({"metadata":{"name":"a"}})`,
  ],
  [
    { apiVersion },
    400,
    `${unrecognized}Object 'Kind' is missing in '{"apiVersion":"${apiVersion}","metadata":{"name":"a"}}' ({"apiVersion":"stable.example. ...)`,
  ],
  [
    { kind: '', apiVersion },
    400,
    `${unrecognized}Object 'Kind' is missing in '{"kind":"","apiVersion":"${apiVersion}","metadata":{"name":"a"}}' ({"kind":"","apiVersion":"stabl ...)`,
  ],
  [
    { kind: null },
    400,
    `${unrecognized}Object 'Kind' is missing in '{"kind":null,"metadata":{"name":"a"}}' ({"kind":null,"metadata":{"name ...)`,
  ],
  [
    { kind },
    400,
    'the API version in the data () does not match the expected API version (stable.example.com/v1)',
  ],
  [
    { kind, apiVersion: `${group}/v2` },
    400,
    'the API version in the data (stable.example.com/v2) does not match the expected API version (stable.example.com/v1)',
  ],
  [
    { kind: 'ConfigMap', apiVersion: 'v1' },
    400,
    'the API version in the data (v1) does not match the expected API version (stable.example.com/v1)',
  ],
  [
    { kind, apiVersion: 'a/b/c' },
    400,
    `${unrecognized}unexpected GroupVersion string: a/b/c ({"kind":"CronTab","apiVersion" ...)`,
  ],
  [
    { kind: 'Other', apiVersion },
    422,
    'Other.stable.example.com "a" is invalid: kind: Invalid value: "Other": must be CronTab',
  ],
]

t.test('create and replace', async (t) => {
  const { client } = await setUp(t)
  await client.post(path, cronTab('a'))
  for (const [said, code, message] of bodies) {
    const refusal = { status: code, body: { code, message } }
    const body = { ...said, metadata }
    t.match(await client.post(path, body), refusal, JSON.stringify(said))
    for (const target of [`${path}/a`, `${path}/a/status`]) t.match(await client.put(target, body), refusal)
  }
})

const patches = [
  [{ kind: null }, /^ "" is invalid: patch: Invalid value: ".*": Object 'Kind' is missing in '\{.*\}'$/],
  [{ kind: '' }, /^ "" is invalid: patch: Invalid value: ".*": Object 'Kind' is missing in '\{.*\}'$/],
  [
    { kind: 5 },
    /^ "" is invalid: patch: Invalid value: ".*": couldn't get version\/kind; json parse error: /,
  ],
  [
    { kind: 'Other' },
    'Other.stable.example.com "a" is invalid: kind: Invalid value: "Other": must be CronTab',
  ],
  [{ apiVersion: 'a/b/c' }, /^ "" is invalid: patch: .*: unexpected GroupVersion string: a\/b\/c$/],
  [
    { apiVersion: null },
    'CronTab "a" is invalid: apiVersion: Invalid value: "": must be stable.example.com/v1',
  ],
  [
    { apiVersion: 'example.com/v1' },
    'CronTab.example.com "a" is invalid: apiVersion: Invalid value: "example.com/v1": must be stable.example.com/v1',
  ],
] as const

t.test('patches', async (t) => {
  const { client } = await setUp(t)
  await client.post(path, cronTab('a', { spec: { replicas: 1 } }))
  for (const [patch, message] of patches) {
    for (const target of [`${path}/a`, `${path}/a/status`])
      t.match(await client.patch(target, patch), { status: 422, body: { message } }, JSON.stringify(patch))
  }
  const removed = await client.patch(
    `${path}/a`,
    [{ op: 'remove', path: '/kind' }],
    'application/json-patch+json',
  )
  t.match(removed, { status: 422, body: { message: /: Object 'Kind' is missing in '/ } })
  t.match((await client.get(`${path}/a`)).body, { apiVersion, kind, metadata: { generation: 1 } })
})

t.test('a body in YAML is shown as it came', async (t) => {
  const { server } = await setUp(t)
  const answer = await server.request({
    method: 'POST',
    target: path,
    headers: { 'content-type': 'application/yaml' },
    body: 'metadata: {name: a}\n',
  })
  const { message } = JSON.parse(answer.body.toString())
  const hex = Buffer.from('metadata: {name: a}\n').toString('hex')
  t.equal(message, `${unrecognized}Object 'Kind' is missing in 'metadata: {name: a}\n' (${hex})`)
})

t.test('the scale of a custom resource and built-in types need not say what they are', async (t) => {
  const { client } = await setUp(t)
  await client.post(path, cronTab('a', { spec: { replicas: 1 } }))
  const shown = (await client.get(`${path}/a/scale`)).body
  t.match(await client.put(`${path}/a/scale`, { metadata: shown.metadata, spec: { replicas: 2 } }), {
    status: 200,
    body: { kind: 'Scale', spec: { replicas: 2 } },
  })
  t.match(await client.patch(`${path}/a/scale`, { apiVersion: null, kind: null, spec: { replicas: 3 } }), {
    status: 200,
    body: { kind: 'Scale', spec: { replicas: 3 } },
  })
  t.match(await client.post(configMaps, { metadata }), { status: 201, body: { kind: 'ConfigMap' } })
  t.match(await client.put(`${configMaps}/a`, { metadata, data: { a: 'b' } }), { status: 200 })
})
