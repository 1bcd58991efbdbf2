/**
 * What one decision of the RBAC authorizer costs: a user with 50 bindings in a cluster with 2,000 roles. Goal: < 5 µs.
 *
 *     node dist/bench/authz.js
 */

import type { RequestAttributes } from '../src/authz/authorizer.ts'
import { createRbacAuthorizer } from '../src/authz/rbac/authorizer.ts'
import { PolicyIndex } from '../src/authz/rbac/policy-index.ts'
import type { User } from '../src/pipeline/user.ts'
import type { ApiObject } from '../src/types/object.ts'

const group = 'rbac.authorization.example'
const roleCount = 2000
const bindingCount = 50
const rounds = 200_000

function role(at: number): ApiObject {
  const rules = Array.from({ length: 8 }, (_, rule) => ({
    verbs: ['get', 'list', 'watch', 'update'],
    apiGroups: [`group-${(at + rule) % 40}.example`, ''],
    resources: [`things-${at}-${rule}`, `things-${at}-${rule}/status`],
  }))
  return { apiVersion: `${group}/v1`, kind: 'ClusterRole', metadata: { name: `role-${at}` }, rules }
}

function binding(at: number, roleAt: number): ApiObject {
  const inNamespace = at % 2 === 1
  return {
    apiVersion: `${group}/v1`,
    kind: inNamespace ? 'RoleBinding' : 'ClusterRoleBinding',
    metadata: { name: `binding-${at}`, ...(inNamespace ? { namespace: 'work' } : {}) },
    subjects: [at % 5 === 0 ? { kind: 'Group', name: 'team' } : { kind: 'User', name: 'joe' }],
    roleRef: { apiGroup: group, kind: 'ClusterRole', name: `role-${roleAt}` },
  }
}

const joe: User = { name: 'joe', uid: '', groups: ['team', 'system:authenticated'], extra: new Map() }

function resource(name: string, subresource = ''): RequestAttributes {
  return {
    type: 'resource',
    verb: 'get',
    group: '',
    version: 'v1',
    namespace: 'work',
    resource: name,
    subresource,
    name: 'one',
  }
}

const index = new PolicyIndex()
for (let at = 0; at < roleCount; at++) index.setRole(role(at))
for (let at = 0; at < bindingCount; at++) index.setBinding(binding(at, at * 40))
const authorizer = createRbacAuthorizer({ index, group, loading: () => undefined })

for (const [name, request] of [
  ['allowed by the first binding', resource('things-80-7')],
  ['allowed by the last binding', resource('things-1800-7')],
  ['denied', resource('secrets')],
  ['denied, subresource', resource('pods', 'log')],
  ['denied, path', { type: 'nonResource', verb: 'get', path: '/metrics' }],
] as const) {
  let allowed = 0
  for (let at = 0; at < rounds / 10; at++) authorizer.authorize({ user: joe, request })
  const start = process.cpuUsage()
  for (let at = 0; at < rounds; at++) {
    // As it comes from a request: texts that nobody has hashed yet.
    const fresh =
      request.type === 'resource' ? { ...request, resource: `${request.resource} `.trim() } : request
    const decision = authorizer.authorize({ user: joe, request: fresh })
    if ('decision' in decision && decision.decision === 'allow') allowed++
  }
  const used = process.cpuUsage(start)
  const micros = (used.user + used.system) / rounds
  process.stdout.write(`${name.padEnd(32)} ${micros.toFixed(2)} µs   allowed ${allowed > 0}\n`)
}
