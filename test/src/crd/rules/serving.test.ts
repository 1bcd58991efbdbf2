/** Rules as clients meet them: refusals, changes, the status, what was there before. */

import t from 'tap'
import { eventually } from '../../../support/eventually.ts'
import { startInProcess } from '../../../support/in-process-server.ts'
import { clientOf, cronTab, cronTabs, definitionsPath, establish } from '../serving/crontabs.ts'

const path = '/apis/stable.example.com/v1/namespaces/default/crontabs'

const rules = (...rules: readonly object[]): object => ({ 'x-kubernetes-validations': rules })

function definition(specRules: object): ReturnType<typeof cronTabs> {
  const spec = {
    type: 'object',
    properties: {
      replicas: { type: 'integer' },
      max: { type: 'integer' },
      name: { type: 'string', ...rules({ rule: 'self == oldSelf', message: 'name is immutable' }) },
      note: { type: 'string', maxLength: 5 },
    },
    ...specRules,
  }
  const status = {
    type: 'object',
    properties: { ready: { type: 'integer' } },
    ...rules({ rule: 'self.ready >= 0', message: 'ready must not be negative' }),
  }
  const root = rules({
    rule: "self.metadata.name != 'forbidden'",
    message: 'name is taken',
    reason: 'FieldValueForbidden',
  })
  return cronTabs({
    version: {
      schema: { openAPIV3Schema: { type: 'object', properties: { spec, status }, ...root } },
      subresources: { status: {} },
    },
  })
}

const limit = { rule: 'self.replicas <= self.max', message: 'too many' }

t.test('rules of a served definition', async (t) => {
  const server = await startInProcess()
  t.teardown(() => server.close())
  const client = clientOf(server)
  await establish(client, definition(rules({ ...limit, fieldPath: '.replicas' })))
  const object = (name: string, spec: object): object => cronTab(name, { spec })

  t.equal((await client.post(path, object('a', { replicas: 1, max: 2, name: 'x' }))).status, 201)
  const refused = await client.post(path, object('b', { replicas: 3, max: 2 }))
  t.equal(refused.status, 422)
  t.equal(
    refused.body.message,
    'CronTab.stable.example.com "b" is invalid: spec.replicas: Invalid value: "object": too many',
  )
  t.same(refused.body.details.causes, [
    { reason: 'FieldValueInvalid', message: 'Invalid value: "object": too many', field: 'spec.replicas' },
  ])
  t.match(await client.post(path, object('forbidden', { replicas: 1, max: 2 })), {
    status: 422,
    body: { message: 'CronTab.stable.example.com "forbidden" is invalid: <nil>: Forbidden: name is taken' },
  })
  const both = await client.post(path, object('c', { replicas: 3, max: 2, note: 'too long' }))
  t.match(
    both.body.message,
    /spec\.note: Too long.*<nil>: Invalid value: "null": some validation rules were not checked/,
  )

  const renamed = await client.patch(`${path}/a`, { spec: { name: 'y' } })
  t.match(renamed, {
    status: 422,
    body: { message: /spec\.name: Invalid value: "string": name is immutable$/ },
  })
  const status = await client.patch(`${path}/a/status`, { status: { ready: -1 } })
  t.match(status, {
    status: 422,
    body: { message: /status: Invalid value: "object": ready must not be negative$/ },
  })
  t.match(await client.patch(`${path}/a/status`, { status: { ready: 1 } }), { status: 200 })
  t.equal((await client.patch(`${path}/a`, { spec: { max: 5 } })).status, 200)
})

t.test('a rule that comes later', async (t) => {
  const server = await startInProcess()
  t.teardown(() => server.close())
  const client = clientOf(server)
  await establish(client, definition({}))
  const spec = { replicas: 3, max: 2 }
  t.equal((await client.post(path, cronTab('a', { spec }))).status, 201)
  const target = `${definitionsPath}/crontabs.stable.example.com`
  t.equal((await client.patch(target, definition(rules(limit)))).status, 200)
  await eventually('the rule to be followed', async () => {
    const dry = await client.post(`${path}?dryRun=All`, cronTab('b', { spec }))
    return dry.status === 422
  })
  const kept = await client.patch(`${path}/a`, { metadata: { labels: { a: 'b' } } })
  t.equal(kept.status, 200, 'what did not change need not keep it')
  t.match(kept.headers['warning'], /spec: Invalid value: \\"object\\": too many/, 'and is warned of')
  t.match(await client.patch(`${path}/a`, { spec: { replicas: 4 } }), { status: 422 })
  t.match(
    await client.patch(`${path}/a/status`, { status: { ready: 1 } }),
    { status: 422 },
    'through the status it must',
  )
})

t.test('rules that cannot be', async (t) => {
  const server = await startInProcess()
  t.teardown(() => server.close())
  const client = clientOf(server)
  const at = 'spec.validation.openAPIV3Schema.properties[spec].x-kubernetes-validations[0]'
  const refused = async (rule: object): Promise<string> => {
    const answer = await client.post(definitionsPath, definition(rules(rule)))
    t.equal(answer.status, 422)
    return answer.body.details.causes
      .map((cause: { field: string; message: string }) => `${cause.field}: ${cause.message}`)
      .join()
  }
  t.match(
    await refused({ rule: 'self.replicas' }),
    `${at}.rule: Invalid value: apiextensions.ValidationRule{Rule:"self.replicas"`,
  )
  t.match(
    await refused({ rule: 'self.unknown > 1' }),
    "compilation failed: ERROR: <input>:1:5: undefined field 'unknown'",
  )
  t.equal(
    await refused({ rule: 'true', message: ' ' }),
    `${at}.message: Invalid value: " ": message must be non-empty if specified`,
  )
  t.equal(
    await refused({ rule: 'true', fieldPath: '.x' }),
    `${at}.fieldPath: Invalid value: ".x": fieldPath must be a valid path`,
  )
})
