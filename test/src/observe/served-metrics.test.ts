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
      'apiserver_request_sli_duration_seconds_count{component="apiserver",verb="POST",group="",version="v1",resource="namespaces",subresource="",scope="resource"}',
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

t.test('each series that the alerts and dashboards of kube-prometheus ask of an API server', async (t) => {
  const api = await startInProcess({ options: { handshakeErrors: () => 3 } })
  t.teardown(() => api.close())
  const certificate = {
    commonName: 'admin',
    organizations: ['system:masters'],
    fingerprint256: 'aa',
    untilMs: Date.now() + 40 * 86_400_000,
  }
  const client = (target: string, method = 'GET', body?: object, type = 'application/json') =>
    exchangeWith(api.api.handler, {
      method,
      target,
      certificate,
      headers: { 'content-type': type },
      ...(body === undefined ? {} : { body: Buffer.from(JSON.stringify(body)) }),
    })
  const map = (data: object) => ({ apiVersion: 'v1', kind: 'ConfigMap', metadata: { name: 'c' }, data })
  const maps = '/api/v1/namespaces/default/configmaps'
  const watch = client(`${maps}?watch=1`)
  await watch.started
  await client(`${maps}?dryRun=All`, 'POST', map({})).answered
  await client(maps, 'POST', map({ text: 'x'.repeat(5000) })).answered
  await client(`${maps}/c?fieldManager=m`, 'PATCH', map({ a: 'b' }), 'application/apply-patch+yaml').answered
  await client(`${maps}?limit=1`).answered
  await client('/readyz').answered
  const read = async (path: string) => (await client(path).answered).body.toString()
  await eventually('the watcher to be told', async () =>
    /^apiserver_watch_events_total\{group="",version="v1",kind="ConfigMap"\} [^01]/m.test(
      await read('/metrics'),
    ),
  )
  watch.disconnect()
  const text = await read('/metrics')
  const common = 'group="",version="v1",resource="configmaps",subresource=""'
  const of = (verb: string, scope: string) =>
    `{component="apiserver",verb="${verb}",${common},scope="${scope}"`
  for (const series of [
    `apiserver_request_total${of('POST', 'resource')},dry_run="All",code="201"} 1`,
    `apiserver_request_total${of('POST', 'resource')},dry_run="",code="201"} 1`,
    `apiserver_request_total${of('APPLY', 'resource')},dry_run="",code="200"} 1`,
    `apiserver_request_total${of('WATCH', 'namespace')},dry_run="",code="200"} 1`,
    `apiserver_request_duration_seconds_count${of('WATCH', 'namespace')},dry_run=""} 1`,
    `apiserver_request_duration_seconds_count${of('POST', 'resource')},dry_run="All"} 1`,
    `apiserver_request_sli_duration_seconds_count${of('LIST', 'namespace')}} 1`,
    `apiserver_response_sizes_bucket${of('LIST', 'namespace')},le="1e+09"} 1`,
    `apiserver_longrunning_requests${of('WATCH', 'namespace')}} 0`,
    'apiserver_request_total{component="",verb="GET",group="",version="",resource="",subresource="/readyz",scope="",dry_run="",code="200"} 1',
    'apiserver_client_certificate_expiration_seconds_bucket{le="2.592e+06"} 0',
    'apiserver_tls_handshake_errors_total 3',
    'apiserver_watch_events_sizes_bucket{group="",version="v1",kind="ConfigMap",le="4096"} 0',
    'kubernetes_build_info{build_date="2026-01-01T00:00:00Z",compiler="tsc",git_commit="none",git_tree_state="clean",git_version="v1.30.0",go_version="",major="1",minor="30",platform=',
    'apiserver_storage_objects{resource="roles.rbac.authorization.k8s.io"}',
    '# HELP apiserver_storage_size_bytes [STABLE] ',
    'process_cpu_seconds_total ',
    'process_resident_memory_bytes ',
  ])
    t.ok(text.includes(`\n${series}`), series)
  t.notMatch(text, /apiserver_request_sli_duration_seconds_bucket\{[^}]*le="0\.0[02]5"/, 'from 50 ms on')
  t.match(text, /apiserver_client_certificate_expiration_seconds_bucket\{le="7.776e\+06"\} [1-9]/)
  t.notMatch(text, /healthcheck/)
  const indicators = await read('/metrics/slis')
  for (const line of [
    '# TYPE kubernetes_healthcheck gauge',
    'kubernetes_healthcheck{name="ping",type="readyz"} 1',
    '# TYPE kubernetes_healthchecks_total counter',
    'kubernetes_healthchecks_total{name="ping",type="readyz",status="success"} 1',
    'process_start_time_seconds ',
  ])
    t.ok(indicators.includes(line), line)
  t.notMatch(indicators, /apiserver_/)
})

t.test('the metrics themselves', async (t) => {
  const all = await metrics()
  const stable = all.get('registered_metrics_total{deprecated_version="",stability_level="STABLE"}') ?? 0
  t.ok(stable >= 9, `${stable} stable metrics`)
  t.equal(all.get('registered_metrics_total{deprecated_version="1.28.0",stability_level="ALPHA"}'), 1)
  t.equal(all.get('hidden_metrics_total'), 1)
  t.equal(all.get('disabled_metrics_total'), 0)
})
