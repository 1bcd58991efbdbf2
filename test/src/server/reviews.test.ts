/** Source: specification, "Authorization" 5 and 10, "Self review". */

import t from 'tap'
import { startInProcess, userToken } from '../../support/in-process-server.ts'
import { ask, reviews, started } from './access-client.ts'

t.test('reviews', async (t) => {
  const server = await started(t)
  const pods = { verb: 'list', resource: 'pods', namespace: 'default' }
  const reason =
    'RBAC: allowed by ClusterRoleBinding "system:basic-user" of ClusterRole "system:basic-user" to Group "system:authenticated"'
  const self = { verb: 'create', group: 'authorization.k8s.io', resource: 'selfsubjectaccessreviews' }
  const path = { verb: 'get', path: '/version' }
  for (const [as, kind, spec, status] of [
    ['user', 'selfsubjectaccessreviews', { resourceAttributes: pods }, { allowed: false }],
    ['admin', 'selfsubjectaccessreviews', { resourceAttributes: pods }, { allowed: true }],
    ['user', 'selfsubjectaccessreviews', { resourceAttributes: self }, { allowed: true, reason }],
    ['admin', 'subjectaccessreviews', { user: 'x', resourceAttributes: self }, { allowed: false }],
    [
      'admin',
      'subjectaccessreviews',
      { user: 'x', groups: ['system:authenticated'], resourceAttributes: self },
      { allowed: true, reason },
    ],
    [
      'admin',
      'subjectaccessreviews',
      { groups: ['system:masters'], nonResourceAttributes: path },
      { allowed: true },
    ],
    [
      'admin',
      'namespaces/default/localsubjectaccessreviews',
      { user: 'x', resourceAttributes: pods },
      { allowed: false },
    ],
  ] as const) {
    const answer = await ask(server, as, `POST ${reviews}/${kind}`, { spec })
    t.equal(answer.status, 201, kind)
    t.same(answer.body.status, status, `${as} ${kind} ${JSON.stringify(spec)}`)
  }
  for (const [kind, body, code, message] of [
    [
      'subjectaccessreviews',
      { spec: { user: 'x' } },
      422,
      /exactly one of nonResourceAttributes or resourceAttributes must be specified/,
    ],
    [
      'subjectaccessreviews',
      { spec: { resourceAttributes: pods } },
      422,
      /spec.user: Invalid value: "": at least one of user or group must be specified/,
    ],
    [
      'selfsubjectaccessreviews',
      { spec: { resourceAttributes: pods, nonResourceAttributes: path } },
      422,
      /cannot be specified in combination with resourceAttributes/,
    ],
    [
      'selfsubjectaccessreviews',
      { metadata: { name: 'x' }, spec: { resourceAttributes: pods } },
      422,
      /metadata: Invalid value: .*: must be empty/,
    ],
    [
      'namespaces/other/localsubjectaccessreviews',
      { spec: { user: 'x', resourceAttributes: pods } },
      422,
      /must match metadata.namespace/,
    ],
    [
      'namespaces/default/localsubjectaccessreviews',
      { spec: { user: 'x', nonResourceAttributes: path } },
      422,
      /disallowed on this kind of request/,
    ],
    ['selfsubjectrulesreviews', { spec: {} }, 400, /no namespace on request/],
  ] as const) {
    t.match(
      await ask(server, 'admin', `POST ${reviews}/${kind}`, body),
      { status: code, body: { message } },
      kind,
    )
  }
  const tokens = 'POST /apis/authentication.k8s.io/v1/tokenreviews'
  const known = await ask(server, 'admin', tokens, { spec: { token: userToken } })
  t.match(known.body.status, { authenticated: true, user: { username: 'jane' } })
  const unknown = await ask(server, 'admin', tokens, { spec: { token: 'wrong' } })
  t.notOk(unknown.body.status?.['authenticated'])
  t.equal((await ask(server, 'admin', tokens, { spec: {} })).status, 400)
  t.equal((await ask(server, 'user', tokens, { spec: { token: 'x' } })).status, 403)
  t.equal((await ask(server, 'admin', `GET ${reviews}/subjectaccessreviews`)).status, 405)
})

t.test('modes', async (t) => {
  const list = 'GET /api/v1/namespaces/default/configmaps'
  const abac = { user: 'jane', group: '', readonly: true, apiGroup: '', namespace: 'default', resource: '*' }
  for (const [authorizationModes, as, line, status, message] of [
    [['AlwaysAllow'], 'user', list, 200, undefined],
    [['AlwaysDeny'], 'user', list, 403, /in the namespace "default": Everything is forbidden\.$/],
    [['AlwaysDeny'], 'admin', list, 200, undefined],
    [['AlwaysDeny'], 'anonymous', 'GET /healthz', 200, undefined],
    [['AlwaysDeny', 'AlwaysAllow'], 'user', list, 200, undefined],
    [['ABAC'], 'user', list, 200, undefined],
    [['ABAC'], 'user', 'GET /api/v1/configmaps', 403, /: No policy matched\.$/],
    [
      ['AlwaysDeny', 'ABAC'],
      'user',
      'GET /api/v1/nodes',
      403,
      /Everything is forbidden\.\nNo policy matched\.$/,
    ],
    [['Node', 'RBAC'], 'user', list, 403, undefined],
  ] as const) {
    const options = { authorizationModes, abacPolicies: [{ ...abac, nonResourcePath: '' }] }
    const server = await startInProcess({ options })
    const answer = await server.request({ method: 'GET', target: line.slice(4), as })
    t.equal(answer.status, status, `${authorizationModes.join()}: ${as} ${line}`)
    if (message !== undefined) t.match(JSON.parse(answer.body.toString()), { message })
    await server.close()
  }
})
