/** Roles and bindings as clients meet them. Source: specification, "Access-control resources". */

import t from 'tap'
import { eventually } from '../../support/eventually.ts'
import { startInProcess } from '../../support/in-process-server.ts'
import { allow, ask, binding, group, rbac, role, rule, started } from './access-client.ts'

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

t.test('what makes an object needs the permission to create, whatever its verb', async (t) => {
  const server = await started(t)
  await allow(server, 'writer', rule(['get', 'update', 'patch'], 'leases', 'coordination.k8s.io'))
  const leases = '/apis/coordination.k8s.io/v1/namespaces/default/leases'
  const lease = { apiVersion: 'coordination.k8s.io/v1', kind: 'Lease', metadata: { name: 'one' } }
  const apply = { 'content-type': 'application/apply-patch+yaml' }
  const message =
    'leases.coordination.k8s.io "one" is forbidden: User "jane" cannot create resource "leases" in API group "coordination.k8s.io" in the namespace "default"'
  const write = async () => [
    await ask(server, 'user', `PUT ${leases}/one`, lease),
    await ask(server, 'user', `PATCH ${leases}/one?fieldManager=m`, lease, apply),
  ]
  for (const answer of await write()) t.match(answer, { status: 403, body: { message } })
  t.equal((await ask(server, 'admin', `POST ${leases}`, lease)).status, 201)
  const [, applied] = await write()
  t.equal(applied?.status, 200, 'what is there is only changed')
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
