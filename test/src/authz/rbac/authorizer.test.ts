/** Source: specification, "Access-control resources". */

import t from 'tap'
import { createRbacAuthorizer } from '../../../../src/authz/rbac/authorizer.ts'
import { PolicyIndex } from '../../../../src/authz/rbac/policy-index.ts'
import type { ApiObject } from '../../../../src/types/object.ts'
import { attributes, userOf } from '../attributes.ts'

const group = 'rbac.example'

function role(name: string, rules: readonly object[], namespace?: string): ApiObject {
  const kind = namespace === undefined ? 'ClusterRole' : 'Role'
  const metadata = { name, ...(namespace === undefined ? {} : { namespace }) }
  return JSON.parse(JSON.stringify({ apiVersion: `${group}/v1`, kind, metadata, rules }))
}

function binding(name: string, to: string, subjects: readonly object[], namespace?: string): ApiObject {
  const [kind, roleName] = to.split(' ')
  const metadata = { name, ...(namespace === undefined ? {} : { namespace }) }
  const roleRef = { apiGroup: group, kind, name: roleName }
  return JSON.parse(JSON.stringify({ apiVersion: `${group}/v1`, kind: 'Any', metadata, subjects, roleRef }))
}

function withPolicy(roles: readonly ApiObject[], bindings: readonly ApiObject[]) {
  const index = new PolicyIndex()
  for (const one of bindings) index.setBinding(one)
  for (const one of roles) index.setRole(one)
  return { index, authorizer: createRbacAuthorizer({ index, group, loading: () => undefined }) }
}

const joe = userOf('joe', 'team')

t.test('what a rule allows', async (t) => {
  for (const [rule, request, allowed] of [
    [{ verbs: ['get'], apiGroups: [''], resources: ['pods'] }, 'get core pods web in a', true],
    [{ verbs: ['get'], apiGroups: [''], resources: ['pods'] }, 'list core pods in a', false],
    [{ verbs: ['get'], apiGroups: [''], resources: ['pods'] }, 'get apps pods web in a', false],
    [{ verbs: ['get'], apiGroups: [''], resources: ['pods'] }, 'get core pods/log web in a', false],
    [{ verbs: ['get'], apiGroups: [''], resources: ['pods/log'] }, 'get core pods/log web in a', true],
    [{ verbs: ['get'], apiGroups: [''], resources: ['pods/log'] }, 'get core pods web in a', false],
    [{ verbs: ['get'], apiGroups: [''], resources: ['*/log'] }, 'get core pods/log web in a', true],
    [{ verbs: ['get'], apiGroups: [''], resources: ['*/log'] }, 'get core pods/status web in a', false],
    [{ verbs: ['get'], apiGroups: [''], resources: ['*/log'] }, 'get core pods web in a', false],
    [{ verbs: ['get'], apiGroups: [''], resources: ['pods/*'] }, 'get core pods/log web in a', false],
    [{ verbs: ['get'], apiGroups: [''], resources: ['*'] }, 'get core pods/log web in a', true],
    [{ verbs: ['*'], apiGroups: ['*'], resources: ['*'] }, 'impersonate any thing/part x in a', true],
    [{ verbs: ['get'], apiGroups: [''], resources: ['Pods'] }, 'get core pods web in a', false],
    [
      { verbs: ['get'], apiGroups: [''], resources: ['pods'], resourceNames: ['web'] },
      'get core pods web in a',
      true,
    ],
    [
      { verbs: ['get'], apiGroups: [''], resources: ['pods'], resourceNames: ['web'] },
      'get core pods db in a',
      false,
    ],
    [
      { verbs: ['list'], apiGroups: [''], resources: ['pods'], resourceNames: ['web'] },
      'list core pods in a',
      false,
    ],
    [{ verbs: ['get'], apiGroups: [], resources: ['pods'] }, 'get core pods web in a', false],
    [{ verbs: ['get'], nonResourceURLs: ['/metrics'] }, 'get /metrics', true],
    [{ verbs: ['get'], nonResourceURLs: ['/metrics'] }, 'get /metrics/slis', false],
    [{ verbs: ['get'], nonResourceURLs: ['/metrics/*'] }, 'get /metrics/slis', true],
    [{ verbs: ['get'], nonResourceURLs: ['/metrics/*'] }, 'get /metrics', false],
    [{ verbs: ['get'], nonResourceURLs: ['/metrics*'] }, 'get /metricsandmore', true],
    [{ verbs: ['get'], nonResourceURLs: ['*'] }, 'get /anything', true],
    [{ verbs: ['get'], nonResourceURLs: ['*'] }, 'post /anything', false],
    [{ verbs: ['get'], nonResourceURLs: ['*'] }, 'get core pods web in a', false],
    [{ verbs: ['*'], apiGroups: ['*'], resources: ['*'] }, 'get /anything', false],
  ] as const) {
    const { authorizer } = withPolicy(
      [role('r', [rule])],
      [binding('b', 'ClusterRole r', [{ kind: 'User', name: 'joe' }])],
    )
    const { decision } = await authorizer.authorize({ user: joe, request: attributes(request) })
    t.equal(decision, allowed ? 'allow' : 'noOpinion', `${JSON.stringify(rule)}: ${request}`)
  }
})

const read = [{ verbs: ['get'], apiGroups: ['*'], resources: ['*'] }]
const account = userOf('system:serviceaccount:a:robot', 'system:serviceaccounts')

t.test('whom a binding is about, and where; the reason says why', async (t) => {
  for (const [given, user, request, reason] of [
    [
      binding('b', 'ClusterRole r', [{ kind: 'User', name: 'joe' }]),
      joe,
      'get core pods x in a',
      'RBAC: allowed by ClusterRoleBinding "b" of ClusterRole "r" to User "joe"',
    ],
    [
      binding('b', 'ClusterRole r', [{ kind: 'Group', name: 'team' }]),
      joe,
      'get core nodes x',
      'RBAC: allowed by ClusterRoleBinding "b" of ClusterRole "r" to Group "team"',
    ],
    [binding('b', 'ClusterRole r', [{ kind: 'User', name: 'team' }]), joe, 'get core pods x in a', ''],
    [binding('b', 'ClusterRole r', [{ kind: 'Group', name: 'joe' }]), joe, 'get core pods x in a', ''],
    [binding('b', 'ClusterRole r', [{ kind: 'User', name: 'Joe' }]), joe, 'get core pods x in a', ''],
    [binding('b', 'ClusterRole r', []), joe, 'get core pods x in a', ''],
    [
      binding('b', 'ClusterRole r', [{ kind: 'User', name: 'joe' }], 'a'),
      joe,
      'get core pods x in a',
      'RBAC: allowed by RoleBinding "b/a" of ClusterRole "r" to User "joe"',
    ],
    [binding('b', 'ClusterRole r', [{ kind: 'User', name: 'joe' }], 'a'), joe, 'get core pods x in b', ''],
    [binding('b', 'ClusterRole r', [{ kind: 'User', name: 'joe' }], 'a'), joe, 'get core nodes x', ''],
    [
      binding('b', 'Role own', [{ kind: 'ServiceAccount', name: 'robot', namespace: 'a' }], 'a'),
      account,
      'get core pods x in a',
      'RBAC: allowed by RoleBinding "b/a" of Role "own" to ServiceAccount "robot/a"',
    ],
    [
      binding('b', 'Role own', [{ kind: 'ServiceAccount', name: 'robot' }], 'a'),
      account,
      'get core pods x in a',
      'RBAC: allowed by RoleBinding "b/a" of Role "own" to ServiceAccount "robot/a"',
    ],
    [
      binding('b', 'ClusterRole r', [{ kind: 'ServiceAccount', name: 'robot' }]),
      account,
      'get core pods x in a',
      '',
    ],
    [
      binding('b', 'ClusterRole gone', [{ kind: 'User', name: 'joe' }]),
      joe,
      'get core pods x in a',
      'RBAC: clusterrole.rbac.example "gone" not found',
    ],
    [
      binding('b', 'Role r', [{ kind: 'User', name: 'joe' }], 'a'),
      joe,
      'get core pods x in a',
      'RBAC: role.rbac.example "r" not found',
    ],
  ] as const) {
    const { authorizer } = withPolicy([role('r', read), role('own', read, 'a')], [given])
    const decision = await authorizer.authorize({ user, request: attributes(request) })
    t.equal(decision.reason, reason, `${JSON.stringify(given)}: ${user.name} ${request}`)
    t.equal(decision.decision, reason.includes('allowed') ? 'allow' : 'noOpinion')
  }
})

t.test('the index follows changes, in any order', async (t) => {
  const { index, authorizer } = withPolicy([], [])
  const allowed = async () =>
    (await authorizer.authorize({ user: joe, request: attributes('get core pods x in a') })).decision ===
    'allow'
  const subjects = [{ kind: 'User', name: 'joe' }]
  index.setBinding(binding('b', 'ClusterRole r', subjects))
  t.notOk(await allowed(), 'the binding came first')
  index.setRole(role('r', read))
  t.ok(await allowed(), 'then the role')
  index.setRole(role('r', []))
  t.notOk(await allowed(), 'the role lost its rules')
  index.setRole(role('r', read))
  index.setBinding(binding('b', 'ClusterRole r', [{ kind: 'User', name: 'eve' }]))
  t.notOk(await allowed(), 'the binding lost its subject')
  index.setBinding(binding('b', 'ClusterRole r', subjects))
  index.setBinding(binding('c', 'ClusterRole r', subjects, 'a'))
  index.removeBinding({ namespace: '', name: 'b' })
  t.ok(await allowed(), 'one binding went, another is left')
  index.removeRole({ namespace: '', name: 'r' })
  t.notOk(await allowed(), 'the role went')
  index.setRole(role('r', read))
  t.ok(await allowed(), 'the role came back')
  index.removeBinding({ namespace: 'a', name: 'c' })
  t.notOk(await allowed(), 'the last binding went')
})

t.test('decisions wait until roles and bindings have been read', async (t) => {
  const index = new PolicyIndex()
  let load = () => {}
  let loading: Promise<void> | undefined = new Promise<void>((resolve) => {
    load = resolve
  })
  const authorizer = createRbacAuthorizer({ index, group, loading: () => loading })
  const decision = authorizer.authorize({ user: joe, request: attributes('get core pods x in a') })
  index.setRole(role('r', read))
  index.setBinding(binding('b', 'ClusterRole r', [{ kind: 'User', name: 'joe' }]))
  loading = undefined
  load()
  t.equal((await decision).decision, 'allow')
})
