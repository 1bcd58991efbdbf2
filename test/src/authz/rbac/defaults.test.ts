/** What the default roles allow. Source: specification, "Access-control resources", the table of default roles. */

import t from 'tap'
import { aggregatedRules } from '../../../../src/authz/rbac/aggregation.ts'
import { compileRole, questionOf } from '../../../../src/authz/rbac/compiled-role.ts'
import { readPolicy } from '../../../../src/authz/rbac/defaults/notation.ts'
import { defaultPolicy } from '../../../../src/authz/rbac/defaults/policy.ts'
import { rulesOf } from '../../../../src/authz/rbac/rule.ts'
import { createNames, dialectNames } from '../../../../src/names/names.ts'
import type { ApiObject } from '../../../../src/types/object.ts'
import { attributes } from '../attributes.ts'

const names = createNames('kubernetes')

/** Roles by name, with their rules gathered as the controller gathers them. */
function gathered(): ReadonlyMap<string, ApiObject> {
  const roles = new Map<string, ApiObject>()
  for (const role of defaultPolicy(names, new Map()).roles) roles.set(role.metadata.name, { ...role })
  for (const name of ['view', 'edit', 'admin']) {
    const role = roles.get(name)
    if (role === undefined) throw new Error(`no role ${name}`)
    const rules = aggregatedRules(role, roles.values()) ?? []
    roles.set(name, { ...role, rules: JSON.parse(JSON.stringify(rules)) })
  }
  return roles
}

t.test('what the default roles allow', async (t) => {
  const roles = gathered()
  for (const [request, allowing] of [
    ['get core configmaps x in a', ['cluster-admin', 'admin', 'edit', 'view']],
    ['get core secrets x in a', ['cluster-admin', 'admin', 'edit']],
    ['create core configmaps in a', ['cluster-admin', 'admin', 'edit']],
    ['delete apps deployments x in a', ['cluster-admin', 'admin', 'edit']],
    ['update apps deployments/scale x in a', ['cluster-admin', 'admin', 'edit']],
    ['create core pods/exec x in a', ['cluster-admin', 'admin', 'edit']],
    ['get core pods/log x in a', ['cluster-admin', 'admin', 'edit', 'view']],
    ['get core pods/exec x in a', ['cluster-admin', 'admin', 'edit']],
    ['impersonate core serviceaccounts x in a', ['cluster-admin', 'admin', 'edit']],
    ['create core serviceaccounts/token x in a', ['cluster-admin', 'admin', 'edit']],
    ['get rbac.authorization.k8s.io roles x in a', ['cluster-admin', 'admin']],
    ['create rbac.authorization.k8s.io rolebindings in a', ['cluster-admin', 'admin']],
    ['create rbac.authorization.k8s.io clusterroles', ['cluster-admin']],
    ['update core resourcequotas x in a', ['cluster-admin']],
    ['get core resourcequotas x in a', ['cluster-admin', 'admin', 'edit', 'view']],
    ['get core namespaces a in a', ['cluster-admin', 'admin', 'edit', 'view']],
    ['update core namespaces a in a', ['cluster-admin']],
    ['update core endpoints x in a', ['cluster-admin']],
    ['create discovery.k8s.io endpointslices in a', ['cluster-admin']],
    ['create authorization.k8s.io localsubjectaccessreviews in a', ['cluster-admin', 'admin']],
    ['create authorization.k8s.io selfsubjectaccessreviews', ['cluster-admin', 'system:basic-user']],
    ['create authentication.k8s.io selfsubjectreviews', ['cluster-admin', 'system:basic-user']],
    ['create authentication.k8s.io tokenreviews', ['cluster-admin', 'system:auth-delegator']],
    ['get /version', ['cluster-admin', 'system:discovery', 'system:public-info-viewer']],
    ['get /apis/apps/v1', ['cluster-admin', 'system:discovery']],
    ['get /metrics', ['cluster-admin', 'system:monitoring']],
    ['get /livez/ping', ['cluster-admin', 'system:monitoring']],
    ['get core nodes x', ['cluster-admin']],
  ] as const) {
    const question = questionOf(attributes(request))
    const people = [
      'cluster-admin',
      'admin',
      'edit',
      'view',
      'system:basic-user',
      'system:discovery',
      'system:public-info-viewer',
      'system:monitoring',
      'system:auth-delegator',
    ]
    const found = people.filter((name) => {
      const role = roles.get(name)
      return role !== undefined && compileRole(rulesOf(role)).allows(question)
    })
    t.same(found, allowing, request)
  }
})

t.test('every binding is to a role that is there, and nothing is called twice', async (t) => {
  for (const dialect of dialectNames) {
    const { roles, bindings } = defaultPolicy(createNames(dialect), new Map([['AllAlpha', true]]))
    const ids = [...roles, ...bindings].map(
      ({ kind, metadata: { namespace, name } }) => `${kind}/${namespace ?? ''}/${name}`,
    )
    t.equal(new Set(ids).size, ids.length, dialect)
    for (const binding of bindings) {
      const { kind, name } = JSON.parse(JSON.stringify(binding['roleRef']))
      t.ok(ids.includes(`${kind}/${binding.metadata.namespace ?? ''}/${name}`), `${dialect}: ${name}`)
    }
  }
})

t.test('the dialect decides what the brand is, and gates what there is', async (t) => {
  const cluster = JSON.stringify(defaultPolicy(createNames('cluster'), new Map()))
  t.notMatch(cluster, /k8s|kubernetes|kube-/)
  t.match(cluster, /"cluster-system"/)
  const name = (text: string) => text.includes('system:cluster-trust-bundle-discovery')
  t.notOk(name(cluster))
  t.ok(name(JSON.stringify(defaultPolicy(names, new Map([['ClusterTrustBundle', true]])))))
})

t.test('the notation', async (t) => {
  const text = `
reader +edit = view -> (binding) group team, account robot
  read,create core,apps: pods,
      pods/log
    named a, b
  [Closed] get paths: /closed
  get paths: /open
[Closed] hidden -> user joe
  read core: nodes
in system
local ->
  write batch: jobs
`
  const { roles, bindings } = readPolicy(text, { names, isGateOpen: () => false })
  const mark = { 'kubernetes.io/bootstrapping': 'rbac-defaults' }
  const annotations = { 'rbac.authorization.kubernetes.io/autoupdate': 'true' }
  const group = 'rbac.authorization.k8s.io'
  t.same(roles, [
    {
      apiVersion: `${group}/v1`,
      kind: 'ClusterRole',
      metadata: { name: 'reader', labels: { ...mark, [`${group}/aggregate-to-edit`]: 'true' }, annotations },
      rules: [
        {
          verbs: ['create', 'get', 'list', 'watch'],
          apiGroups: ['', 'apps'],
          resources: ['pods', 'pods/log'],
          resourceNames: ['a', 'b'],
        },
        { verbs: ['get'], nonResourceURLs: ['/open'] },
      ],
      aggregationRule: {
        clusterRoleSelectors: [{ matchLabels: { [`${group}/aggregate-to-view`]: 'true' } }],
      },
    },
    {
      apiVersion: `${group}/v1`,
      kind: 'Role',
      metadata: { name: 'local', namespace: 'kube-system', labels: mark, annotations },
      rules: [
        {
          verbs: ['create', 'delete', 'deletecollection', 'patch', 'update'],
          apiGroups: ['batch'],
          resources: ['jobs'],
        },
      ],
    },
  ])
  t.same(bindings, [
    {
      apiVersion: `${group}/v1`,
      kind: 'ClusterRoleBinding',
      metadata: { name: 'binding', labels: mark, annotations },
      subjects: [
        { kind: 'Group', apiGroup: group, name: 'team' },
        { kind: 'ServiceAccount', name: 'robot', namespace: 'kube-system' },
      ],
      roleRef: { apiGroup: group, kind: 'ClusterRole', name: 'reader' },
    },
    {
      apiVersion: `${group}/v1`,
      kind: 'RoleBinding',
      metadata: { name: 'local', namespace: 'kube-system', labels: mark, annotations },
      roleRef: { apiGroup: group, kind: 'Role', name: 'local' },
    },
  ])
  t.throws(() => readPolicy('role one two\n', { names, isGateOpen: () => true }), /not a role/)
  t.throws(() => readPolicy('role\n  no rule\n', { names, isGateOpen: () => true }), /not a rule/)
})
