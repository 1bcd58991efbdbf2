/** What `/metrics` says after a few requests: names and labels as dashboards of this API know them. */

import t from 'tap'
import type { ServerOptions } from '../../../src/server.ts'
import { eventually } from '../../support/eventually.ts'
import { exchangeWith, type FakeExchange } from '../../support/fake-exchange.ts'
import { startInProcess } from '../../support/in-process-server.ts'

async function started(options: Partial<ServerOptions>) {
  const server = await startInProcess({
    options: {
      staticTokens: [
        { token: 'admin', user: { name: 'admin', uid: '', groups: ['system:masters'] } },
        { token: 'jane', user: { name: 'jane@example.org', uid: '', groups: [] } },
      ],
      ...options,
    },
  })
  const client = (token: string, method: string, target: string, body?: object): FakeExchange =>
    exchangeWith(server.api.handler, {
      method,
      target,
      headers: { authorization: `Bearer ${token}`, 'content-type': 'application/json' },
      ...(body === undefined ? {} : { body: Buffer.from(JSON.stringify(body)) }),
    })
  return { client, close: () => server.close() }
}

const { client: ask, close } = await started({})
t.teardown(close)

async function metrics(client = ask): Promise<Map<string, number>> {
  const { status, body } = await client('admin', 'GET', '/metrics').answered
  t.equal(status, 200)
  const lines = body
    .toString()
    .split('\n')
    .filter((line) => line !== '' && !line.startsWith('#'))
  return new Map(
    lines.map((line) => {
      const space = line.lastIndexOf(' ')
      return [line.slice(0, space), Number(line.slice(space + 1))]
    }),
  )
}

t.test('requests, and what is asked of each on its way', async (t) => {
  const before = await metrics()
  for (const name of ['one', 'two']) {
    const made = await ask('admin', 'POST', '/api/v1/namespaces', { metadata: { name } }).answered
    t.equal(made.status, 201)
  }
  t.equal((await ask('jane', 'GET', '/api/v1/namespaces').answered).status, 403)
  t.equal((await ask('jane', 'GET', '/api').answered).status, 200)
  t.equal((await ask('nobody', 'GET', '/api/v1/namespaces').answered).status, 401)
  const refused = { metadata: { name: 'p' }, spec: { containers: [{ name: 'c', image: 'i' }] } }
  t.equal((await ask('admin', 'POST', '/api/v1/namespaces/absent/pods', refused).answered).status, 404)
  const after = await metrics()
  const grown = (series: string): number => (after.get(series) ?? 0) - (before.get(series) ?? 0)
  const rows: readonly (readonly [string, number])[] = [
    ['authentication_attempts{result="failure"}', 1],
    // The one that reads the metrics among them.
    ['authentication_attempts{result="success"}', 6],
    ['authentication_duration_seconds_count{result="failure"}', 1],
    ['authenticated_user_requests{username="email_id"}', 2],
    ['authorization_attempts_total{result="no-opinion"}', 1],
    ['authorization_attempts_total{result="allowed"}', 5],
    ['authorization_duration_seconds_count{result="no-opinion"}', 1],
    // Neither the group of the administrators nor public paths are an authorizer's affair.
    ['apiserver_authorization_decisions_total{decision="allowed",type="RBAC",name="rbac"}', 1],
    [
      'apiserver_admission_step_admission_duration_seconds_count{operation="CREATE",rejected="false",type="admit"}',
      2,
    ],
    [
      'apiserver_admission_step_admission_duration_seconds_count{operation="CREATE",rejected="true",type="admit"}',
      1,
    ],
    [
      'apiserver_admission_step_admission_duration_seconds_count{operation="CREATE",rejected="false",type="validate"}',
      2,
    ],
    [
      'apiserver_admission_controller_admission_duration_seconds_count{name="NamespaceLifecycle",operation="CREATE",rejected="true",type="admit"}',
      1,
    ],
    [
      'apiserver_request_sli_duration_seconds_count{component="apiserver",verb="POST",group="",version="v1",resource="namespaces",subresource="",scope="cluster"}',
      2,
    ],
  ]
  // The server's own controllers write as well, and their election is authorized.
  for (const [series, count] of rows) {
    if (/rejected="false"|decision=/.test(series)) t.ok(grown(series) >= count, series)
    else t.equal(grown(series), count, series)
  }
})

t.test('requests in flight, by kind', async (t) => {
  const inFlight = async (): Promise<readonly (number | undefined)[]> => {
    const all = await metrics()
    return ['mutating', 'readOnly'].map((kind) =>
      all.get(`apiserver_current_inflight_requests{request_kind="${kind}"}`),
    )
  }
  t.same(await inFlight(), [0, 1], 'whoever asks is one of them')
  const watch = ask('admin', 'GET', '/api/v1/namespaces?watch=1')
  await watch.started
  t.same(await inFlight(), [0, 1], 'a watch is none')
  watch.disconnect()
})

t.test('a list is as wide as its resource, and an initial state too', async (t) => {
  const { client, close } = await started({ authorizationModes: ['AlwaysAllow'] })
  t.teardown(close)
  for (let at = 0; at < 150; at++) {
    const made = await client('admin', 'POST', '/api/v1/namespaces', { metadata: { name: `n-${at}` } })
      .answered
    if (made.status !== 201) throw new Error(String(made.status))
  }
  const flow = '{flow_schema="global-default",priority_level="global-default"'
  const widths = async () => {
    const all = await metrics(client)
    const count = (series: string): number => all.get(`apiserver_flowcontrol_${series}}`) ?? 0
    return {
      one: count(`work_estimated_seats_bucket${flow},le="1"`),
      all: count(`work_estimated_seats_count${flow}`),
      lists: count(`request_execution_seconds_count${flow},type="regular"`),
      watches: count(`request_execution_seconds_count${flow},type="watch"`),
    }
  }
  const rows = [
    ['/api/v1/namespaces', { one: 0, all: 1, lists: 1, watches: 0 }],
    ['/api/v1/namespaces?limit=50', { one: 1, all: 1, lists: 1, watches: 0 }],
    ['/api/v1/namespaces?watch=1', { one: 1, all: 1, lists: 0, watches: 1 }],
    [
      '/api/v1/namespaces?watch=1&sendInitialEvents=true&resourceVersionMatch=NotOlderThan',
      { one: 0, all: 1, lists: 0, watches: 1 },
    ],
  ] as const
  // Nobody knows how many there are before somebody has looked.
  await client('admin', 'GET', '/api/v1/namespaces').answered
  let before = await widths()
  for (const [target, grown] of rows) {
    const asked = client('jane', 'GET', target)
    await Promise.race([asked.started, asked.answered])
    const expected = {
      one: before.one + grown.one,
      all: before.all + grown.all,
      lists: before.lists + grown.lists,
      watches: before.watches + grown.watches,
    }
    let now = before
    await eventually(`the seats of ${target} to be given back`, async () => {
      now = await widths()
      return now.lists + now.watches === expected.lists + expected.watches
    })
    t.same(now, expected, target)
    before = now
    asked.disconnect()
  }
})

t.test('the metrics themselves', async (t) => {
  const all = await metrics()
  const stable = all.get('registered_metrics_total{deprecated_version="",stability_level="STABLE"}') ?? 0
  t.ok(stable >= 9, `${stable} stable metrics`)
  t.equal(all.get('registered_metrics_total{deprecated_version="1.28.0",stability_level="ALPHA"}'), 1)
  t.equal(all.get('hidden_metrics_total{deprecated_version="1.28.0",stability_level="ALPHA"}'), 1)
  t.equal(all.get('disabled_metrics_total'), 0)
})
