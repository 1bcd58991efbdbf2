/** Requests of nobody, and of those who may not, are counted with who asks and what they may, not with what is served. */

import t from 'tap'
import { startInProcess } from '../../support/in-process-server.ts'

t.test('refused before anything was served', async (t) => {
  const server = await startInProcess()
  t.teardown(() => server.close())
  const target = '/api/v1/namespaces/default/secrets'
  const statuses = []
  for (const [as, headers] of [
    ['anonymous', { authorization: 'Bearer wrong' }],
    ['user', {}],
    ['user', { 'impersonate-user': 'admin' }],
    ['admin', {}],
  ] as const)
    statuses.push((await server.request({ method: 'GET', target, as, headers })).status)
  t.same(statuses, [401, 403, 403, 200])
  const lines = (await server.api.metricsText()).split('\n')
  const counted = lines.filter((line) => /^apiserver_request_total\{.*(secrets|code="40[13]")/.test(line))
  t.equal(counted.length, 1)
  t.match(counted[0], /resource="secrets".*code="200"\} 1$/)
  t.notOk(
    lines.some((line) =>
      /^apiserver_request_duration_seconds_count\{.*resource="secrets".*\} [^1]/.test(line),
    ),
  )
  for (const line of [
    /^authentication_attempts\{result="failure"\} 1$/,
    /^authorization_attempts_total\{result="no-opinion"\} 1$/,
  ])
    t.ok(
      lines.some((one) => line.test(one)),
      String(line),
    )
})
