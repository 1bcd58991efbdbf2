/**
 * Access control as clients meet it: roles, escalation, impersonation, reviews. Source: specification, "Access-control
 * resources", "Impersonation", "Self review", "Authorization".
 */

import t, { type Test } from 'tap'
import { eventually } from '../../support/eventually.ts'
import {
  type InProcessOptions,
  type InProcessServer,
  startInProcess,
  userToken,
} from '../../support/in-process-server.ts'

const group = 'rbac.authorization.k8s.io'
const rbac = `/apis/${group}/v1`
const reviews = '/apis/authorization.k8s.io/v1'

interface Answer {
  readonly status: number
  readonly body: { readonly [field: string]: never } & {
    readonly message?: string
    readonly rules?: readonly { readonly resources?: readonly string[] }[]
    readonly subjects?: readonly { readonly name: string }[]
    readonly status?: { readonly [field: string]: unknown }
  }
}

async function started(t: Test, options: InProcessOptions = {}): Promise<InProcessServer> {
  const server = await startInProcess(options)
  t.teardown(() => server.close())
  return server
}

type As = 'admin' | 'user' | 'anonymous'

async function ask(
  server: InProcessServer,
  as: As,
  line: string,
  body?: object,
  headers: Readonly<Record<string, string>> = {},
): Promise<Answer> {
  const [method = '', target = ''] = line.split(' ')
  const answer = await server.request({
    method,
    target,
    as,
    headers: method === 'PATCH' ? { 'content-type': 'application/merge-patch+json', ...headers } : headers,
    ...(body === undefined ? {} : { body }),
  })
  return { status: answer.status, body: JSON.parse(answer.body.toString()) }
}

function role(name: string, ...rules: readonly object[]): object {
  return { metadata: { name }, rules }
}

function rule(verbs: readonly string[], resource: string, apiGroup = ''): object {
  return { verbs, apiGroups: [apiGroup], resources: [resource] }
}

function binding(name: string, kind: string, to: string, user: string): object {
  return {
    metadata: { name },
    roleRef: { apiGroup: group, kind, name: to },
    subjects: [{ apiGroup: group, kind: 'User', name: user }],
  }
}

/** Gives jane rights, and waits until they count. */
async function allow(server: InProcessServer, name: string, ...rules: readonly object[]): Promise<void> {
  await ask(server, 'admin', `POST ${rbac}/clusterroles`, role(name, ...rules))
  await ask(server, 'admin', `POST ${rbac}/clusterrolebindings`, binding(name, 'ClusterRole', name, 'jane'))
  await eventually('the binding to count', async () => {
    const { body } = await ask(server, 'user', `POST ${reviews}/selfsubjectrulesreviews`, {
      spec: { namespace: 'default' },
    })
    return JSON.stringify(body.status).includes(JSON.stringify(rules[0]).slice(1, -1))
  })
}

t.test('a binding gives rights, and its end takes them', async (t) => {
  const server = await started(t)
  const list = 'GET /api/v1/namespaces/default/configmaps'
  t.equal((await ask(server, 'user', list)).status, 403)
  await ask(
    server,
    'admin',
    `POST ${rbac}/namespaces/default/rolebindings`,
    binding('viewers', 'ClusterRole', 'view', 'jane'),
  )
  await eventually('the binding to count', async () => (await ask(server, 'user', list)).status === 200)
  t.equal((await ask(server, 'user', 'GET /api/v1/namespaces/default/secrets')).status, 403)
  t.equal((await ask(server, 'user', 'GET /api/v1/namespaces/kube-system/configmaps')).status, 403)
  t.equal((await ask(server, 'user', 'GET /api/v1/configmaps')).status, 403)
  await ask(server, 'admin', `DELETE ${rbac}/namespaces/default/rolebindings/viewers`)
  await eventually('the rights to end', async () => (await ask(server, 'user', list)).status === 403)
})

t.test('a list of one name counts as that name', async (t) => {
  const server = await started(t)
  const names = { verbs: ['list'], apiGroups: [''], resources: ['configmaps'], resourceNames: ['one'] }
  await allow(server, 'lister', names)
  for (const [query, status] of [
    ['', 403],
    ['?fieldSelector=metadata.name%3Done', 200],
    ['?fieldSelector=metadata.name%3Dtwo', 403],
    ['?fieldSelector=metadata.name!%3Done', 403],
    ['?fieldSelector=metadata.namespace%3Ddefault', 403],
  ] as const) {
    const answer = await ask(server, 'user', `GET /api/v1/namespaces/default/configmaps${query}`)
    t.equal(answer.status, status, query)
  }
})

t.test('nobody grants more than they hold', async (t) => {
  const server = await started(t)
  const onRbac = (verbs: readonly string[], resource: string) => rule(verbs, resource, group)
  await allow(
    server,
    'grantor',
    onRbac(['create', 'update', 'patch', 'get'], '*'),
    rule(['get', 'list'], 'configmaps'),
  )
  await ask(server, 'admin', `POST ${rbac}/clusterroles`, role('strong', rule(['get', 'list'], 'secrets')))
  await ask(server, 'admin', `POST ${rbac}/clusterroles`, role('weak', rule(['get'], 'configmaps')))
  const who = 'user "jane" (groups=["developers" "system:authenticated"])'
  const lacking = 'is attempting to grant RBAC permissions not currently held:\n'
  const secrets = '{APIGroups:[""], Resources:["secrets"], Verbs:["get" "list"]}'
  const everything = { clusterRoleSelectors: [{ matchLabels: { all: 'yes' } }] }
  for (const [line, body, status, message] of [
    [`POST ${rbac}/clusterroles`, role('mine', rule(['get'], 'configmaps')), 201, undefined],
    [
      `POST ${rbac}/clusterroles`,
      role('more', rule(['get', 'list'], 'secrets')),
      403,
      `clusterroles.${group} "more" is forbidden: ${who} ${lacking}${secrets}`,
    ],
    [
      `PATCH ${rbac}/clusterroles/mine`,
      { rules: [rule(['get', 'list'], 'secrets')] },
      403,
      `clusterroles.${group} "mine" is forbidden: ${who} ${lacking}${secrets}`,
    ],
    [`PATCH ${rbac}/clusterroles/mine`, { rules: [rule(['list'], 'configmaps')] }, 200, undefined],
    [
      `PATCH ${rbac}/clusterroles/mine`,
      { aggregationRule: everything },
      403,
      `clusterroles.${group} "mine" is forbidden: must have cluster-admin privileges to use the aggregationRule`,
    ],
    [`PATCH ${rbac}/clusterroles/strong`, { metadata: { finalizers: [] } }, 200, undefined],
    [`PATCH ${rbac}/clusterroles/strong`, { metadata: { labels: { all: 'yes' } } }, 403, undefined],
    [`POST ${rbac}/namespaces/default/roles`, role('mine', rule(['get'], 'configmaps')), 201, undefined],
    [`POST ${rbac}/namespaces/default/roles`, role('more', rule(['*'], '*')), 403, undefined],
    [`POST ${rbac}/clusterrolebindings`, binding('weak', 'ClusterRole', 'weak', 'eve'), 201, undefined],
    [
      `POST ${rbac}/clusterrolebindings`,
      binding('strong', 'ClusterRole', 'strong', 'jane'),
      403,
      `clusterrolebindings.${group} "strong" is forbidden: ${who} ${lacking}${secrets}`,
    ],
    [
      `POST ${rbac}/clusterrolebindings`,
      binding('root', 'ClusterRole', 'cluster-admin', 'jane'),
      403,
      undefined,
    ],
    [
      `POST ${rbac}/clusterrolebindings`,
      binding('gone', 'ClusterRole', 'gone', 'jane'),
      404,
      `clusterroles.${group} "gone" not found`,
    ],
    [
      `POST ${rbac}/namespaces/default/rolebindings`,
      binding('s', 'ClusterRole', 'strong', 'jane'),
      403,
      undefined,
    ],
    [`POST ${rbac}/namespaces/default/rolebindings`, binding('m', 'Role', 'mine', 'eve'), 201, undefined],
  ] as const) {
    const answer = await ask(server, 'user', line, body)
    t.equal(answer.status, status, `${line} ${JSON.stringify(body)}`)
    if (message !== undefined) t.equal(answer.body.message, message)
  }
  await allow(server, 'binder', { ...onRbac(['bind'], 'clusterroles'), resourceNames: ['strong'] })
  const bound = await ask(
    server,
    'user',
    `POST ${rbac}/clusterrolebindings`,
    binding('strong', 'ClusterRole', 'strong', 'eve'),
  )
  t.equal(bound.status, 201, 'who may bind, binds')
  await allow(server, 'escalator', onRbac(['escalate'], 'clusterroles'))
  const escalated = await ask(server, 'user', `POST ${rbac}/clusterroles`, role('all', rule(['*'], '*', '*')))
  t.equal(escalated.status, 201, 'who may escalate, escalates')
})

t.test('default roles are restored at the next start, unless they say no', async (t) => {
  const server = await started(t)
  const off = { metadata: { annotations: { 'rbac.authorization.kubernetes.io/autoupdate': 'false' } } }
  const more = rule(['get'], 'nodes')
  await ask(server, 'admin', `DELETE ${rbac}/clusterroles/system:discovery`)
  await ask(server, 'admin', `DELETE ${rbac}/clusterrolebindings/system:basic-user`)
  await ask(server, 'admin', `PATCH ${rbac}/clusterroles/system:basic-user`, { rules: [more] })
  await ask(server, 'admin', `PATCH ${rbac}/clusterrolebindings/system:monitoring`, {
    subjects: [{ kind: 'User', apiGroup: group, name: 'probe' }],
  })
  await ask(server, 'admin', `PATCH ${rbac}/clusterroles/system:monitoring`, { ...off, rules: [] })
  const next = await startInProcess({ store: server.store })
  t.teardown(() => next.api.close())
  const read = async (path: string) => (await ask(next, 'admin', `GET ${rbac}/${path}`)).body
  t.equal((await read('clusterroles/system:discovery')).rules?.length, 1, 'a role that was gone')
  t.equal(
    (await read('clusterrolebindings/system:basic-user')).subjects?.length,
    1,
    'a binding that was gone',
  )
  const rules = (await read('clusterroles/system:basic-user')).rules ?? []
  t.match(rules[0], more, 'what was added is kept')
  t.match(JSON.stringify(rules), /selfsubjectaccessreviews.*selfsubjectreviews/, 'what was missing is back')
  const subjects = (await read('clusterrolebindings/system:monitoring')).subjects ?? []
  t.same(
    subjects.map(({ name }) => name),
    ['probe', 'system:monitoring'],
  )
  t.same((await read('clusterroles/system:monitoring')).rules ?? [], [], 'a role that wants to be left alone')
})

t.test('aggregated roles gather the rules of their sources', async (t) => {
  const server = await started(t)
  const view = async () =>
    JSON.stringify((await ask(server, 'admin', `GET ${rbac}/clusterroles/view`)).body.rules)
  await eventually('the default roles to be gathered', async () => (await view()).includes('configmaps'))
  const labels = { [`${group}/aggregate-to-view`]: 'true' }
  const more = { metadata: { name: 'crontabs', labels }, rules: [rule(['get'], 'crontabs', 'example.com')] }
  await ask(server, 'admin', `POST ${rbac}/clusterroles`, more)
  await eventually('a new source to be gathered', async () => (await view()).includes('crontabs'))
  const admin = async () =>
    JSON.stringify((await ask(server, 'admin', `GET ${rbac}/clusterroles/admin`)).body.rules)
  await eventually('it to reach what gathers from that', async () => (await admin()).includes('crontabs'))
  await ask(server, 'admin', `DELETE ${rbac}/clusterroles/crontabs`)
  await eventually('it to go again', async () => !(await admin()).includes('crontabs'))
  t.pass()
})

t.test('acting as somebody else', async (t) => {
  const server = await started(t)
  await allow(
    server,
    'actor',
    { ...rule(['impersonate'], 'users'), resourceNames: ['bob', 'system:anonymous'] },
    { ...rule(['impersonate'], 'groups'), resourceNames: ['team'] },
    rule(['impersonate'], 'serviceaccounts'),
    rule(['impersonate'], 'userextras/scopes', 'authentication.k8s.io'),
    { ...rule(['impersonate'], 'uids', 'authentication.k8s.io'), resourceNames: ['u-1'] },
  )
  const bob = { 'impersonate-user': 'bob' }
  const robot = 'system:serviceaccount:default:robot'
  for (const [headers, expected] of [
    [bob, { username: 'bob', groups: ['system:authenticated'] }],
    [
      { ...bob, 'impersonate-group': 'team' },
      { username: 'bob', groups: ['team', 'system:authenticated'] },
    ],
    [
      { ...bob, 'impersonate-uid': 'u-1' },
      { username: 'bob', uid: 'u-1', groups: ['system:authenticated'] },
    ],
    [
      { ...bob, 'impersonate-extra-scopes': 'a' },
      { username: 'bob', groups: ['system:authenticated'], extra: { scopes: ['a'] } },
    ],
    [
      { 'impersonate-user': robot },
      {
        username: robot,
        groups: ['system:serviceaccounts', 'system:serviceaccounts:default', 'system:authenticated'],
      },
    ],
    [
      { 'impersonate-user': 'eve' },
      'users "eve" is forbidden: User "jane" cannot impersonate resource "users" in API group "" at the cluster scope',
    ],
    [
      { ...bob, 'impersonate-group': 'system:masters' },
      'groups "system:masters" is forbidden: User "jane" cannot impersonate resource "groups" in API group "" at the cluster scope',
    ],
    [
      { ...bob, 'impersonate-uid': 'u-2' },
      'uids.authentication.k8s.io "u-2" is forbidden: User "jane" cannot impersonate resource "uids" in API group "authentication.k8s.io" at the cluster scope',
    ],
    [
      { ...bob, 'impersonate-extra-other%2fkey': 'a' },
      'userextras.authentication.k8s.io "a" is forbidden: User "jane" cannot impersonate resource "userextras/other/key" in API group "authentication.k8s.io" at the cluster scope',
    ],
    [{ 'impersonate-group': 'team' }, /without impersonating a user/],
    [{ 'impersonate-uid': 'u-1' }, /without impersonating a user/],
    [{ 'impersonate-extra-scopes': 'a' }, /without impersonating a user/],
  ] as const) {
    const answer = await ask(
      server,
      'user',
      'POST /apis/authentication.k8s.io/v1/selfsubjectreviews',
      {},
      headers,
    )
    const name = JSON.stringify(headers)
    if (typeof expected === 'string') t.equal(answer.body.message, expected, name)
    else if (expected instanceof RegExp) t.match(answer, { status: 500, body: { message: expected } }, name)
    else t.same(answer.body.status, { userInfo: expected }, name)
  }
  const anonymous = await ask(server, 'user', 'GET /version', undefined, {
    'impersonate-user': 'system:anonymous',
  })
  t.equal(anonymous.status, 200)
  const masters = { 'impersonate-user': 'x', 'impersonate-group': 'system:masters' }
  t.equal((await ask(server, 'anonymous', 'GET /api/v1/nodes', undefined, masters)).status, 403)
  t.equal((await ask(server, 'admin', 'GET /api/v1/nodes', undefined, bob)).status, 403, 'only as bob may')
})

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
