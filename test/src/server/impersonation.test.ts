/** Source: specification, "Impersonation". */

import t from 'tap'
import { allow, ask, rule, started } from './access-client.ts'

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

t.test('attempts to become more than one may', async (t) => {
  const server = await started(t)
  await allow(
    server,
    'actor',
    { ...rule(['impersonate'], 'users'), resourceNames: ['bob'] },
    { ...rule(['impersonate'], 'serviceaccounts'), resourceNames: ['robot'] },
    { ...rule(['impersonate'], 'groups'), resourceNames: ['team'] },
    rule(['impersonate'], 'userextras/scopes', 'authentication.k8s.io'),
    // Of another verb, group or resource: worth nothing here.
    rule(['get', 'create', '*ersonate'], 'users'),
    rule(['impersonate'], 'users', 'authentication.k8s.io'),
    rule(['impersonate'], 'userextras', 'authentication.k8s.io'),
  )
  const bob = { 'impersonate-user': 'bob' }
  const table: readonly (readonly [string, Readonly<Record<string, string>>, number])[] = [
    ['as it may be', bob, 201],
    ['a user in other letters', { 'impersonate-user': 'Bob' }, 403],
    ['a user with a space', { 'impersonate-user': 'bob ' }, 403],
    ['the administrator', { 'impersonate-user': 'admin' }, 403],
    ['the server itself', { 'impersonate-user': 'system:apiserver' }, 403],
    [
      'a service account of another namespace by its name',
      { 'impersonate-user': 'system:serviceaccount:kube-system:default' },
      403,
    ],
    [
      'a service account that is no name of one',
      { 'impersonate-user': 'system:serviceaccount:kube-system' },
      403,
    ],
    ['a group beside one that may be', { ...bob, 'impersonate-group': 'team, system:masters' }, 403],
    ['a group in other letters', { ...bob, 'impersonate-group': 'SYSTEM:masters' }, 403],
    ['an extra key that is not allowed', { ...bob, 'impersonate-extra-roles': 'a' }, 403],
    ['an extra key below one that is', { ...bob, 'impersonate-extra-scopes%2fadmin': 'a' }, 403],
    ['an extra key in disguise', { ...bob, 'impersonate-extra-%73copes': 'a' }, 201],
    ['a uid', { ...bob, 'impersonate-uid': 'u-1' }, 403],
    ['a group and nobody', { 'impersonate-user': '', 'impersonate-group': 'team' }, 500],
  ]
  const line = 'POST /apis/authentication.k8s.io/v1/selfsubjectreviews'
  for (const [what, headers, status] of table)
    t.equal((await ask(server, 'user', line, {}, headers)).status, status, what)
  const twice = await server.request({
    method: 'GET',
    target: '/api/v1/nodes',
    as: 'user',
    headers: { ...bob, 'impersonate-group': 'system:masters' },
  })
  t.equal(twice.status, 403)
  const wrong = { authorization: 'Bearer wrong', 'impersonate-user': 'bob' }
  t.equal((await ask(server, 'user', line, {}, wrong)).status, 401, 'who is nobody acts as nobody')
})
