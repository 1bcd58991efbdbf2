/** Whose request goes where: the schemas of a new cluster, and rules of one's own. */

import t from 'tap'
import { flowSchemas, priorityLevels } from '../../../src/controllers/bootstrap-flows.ts'
import { Classifier, classify } from '../../../src/flowcontrol/classifier.ts'
import { configurationOf, type FlowObject } from '../../../src/flowcontrol/configuration.ts'
import { flowObjectOf } from '../../../src/flowcontrol/flow-source.ts'
import type { JsonObject } from '../../../src/json.ts'
import { createNames } from '../../../src/names/names.ts'
import { parseRequestInfo, type RequestInfo } from '../../../src/pipeline/request-info.ts'
import type { User } from '../../../src/pipeline/user.ts'

const names = createNames('kubernetes')
const defaults = {
  schemas: flowSchemas(names).map(flowObjectOf),
  levels: priorityLevels(names).map(flowObjectOf),
}

function user(name: string, ...groups: readonly string[]): User {
  return { name, uid: '', groups: [...groups, 'system:authenticated'], extra: new Map() }
}

function account(namespace: string, name: string): User {
  const groups = ['system:serviceaccounts', `system:serviceaccounts:${namespace}`]
  return user(`system:serviceaccount:${namespace}:${name}`, ...groups)
}

const anonymous: User = {
  name: 'system:anonymous',
  uid: '',
  groups: ['system:unauthenticated'],
  extra: new Map(),
}

function infoOf(line: string): RequestInfo {
  const [method = '', target = ''] = line.split(' ')
  const [path = '', query = ''] = target.split('?')
  const info = parseRequestInfo(method, path, query === 'watch')
  if (!info.ok) throw new Error(info.failure)
  return info.value
}

const leases = '/apis/coordination.k8s.io/v1/namespaces/kube-system/leases'

t.test('the schemas of a new cluster', (t) => {
  const { schemas } = configurationOf(defaults, defaults, 600)
  const rows: readonly (readonly [User, string, string, string, string?])[] = [
    [user('root', 'system:masters'), 'DELETE /api/v1/nodes/n', 'exempt', 'exempt'],
    [user('root', 'system:masters'), 'GET /healthz', 'exempt', 'exempt'],
    [anonymous, 'GET /livez', 'probes', 'exempt'],
    [user('jane'), 'GET /readyz', 'probes', 'exempt'],
    [user('jane'), 'HEAD /readyz', 'probes', 'exempt'],
    [user('jane'), 'POST /readyz', 'global-default', 'global-default', 'jane'],
    [user('jane'), 'GET /readyz/ping', 'global-default', 'global-default', 'jane'],
    [anonymous, 'GET /version', 'global-default', 'global-default', 'system:anonymous'],
    [
      user('system:kube-scheduler'),
      `PUT ${leases}/kube-scheduler`,
      'system-leader-election',
      'leader-election',
      'system:kube-scheduler',
    ],
    [user('system:kube-scheduler'), `DELETE ${leases}/l`, 'kube-scheduler', 'workload-high', 'kube-system'],
    [user('system:kube-scheduler'), 'GET /api/v1/pods?watch', 'kube-scheduler', 'workload-high', ''],
    [
      account('kube-system', 'x'),
      `POST ${leases}`,
      'system-leader-election',
      'leader-election',
      'system:serviceaccount:kube-system:x',
    ],
    [
      account('kube-system', 'x'),
      'GET /api/v1/namespaces/a/configmaps/c',
      'workload-leader-election',
      'leader-election',
      'system:serviceaccount:kube-system:x',
    ],
    [
      account('kube-system', 'x'),
      'GET /api/v1/namespaces/a/configmaps',
      'kube-system-service-accounts',
      'workload-high',
      'a',
    ],
    [
      account('kube-system', 'endpoint-controller'),
      'PUT /api/v1/namespaces/a/endpoints/e',
      'endpoint-controller',
      'workload-high',
      'system:serviceaccount:kube-system:endpoint-controller',
    ],
    [
      account('work', 'endpoint-controller'),
      'PUT /api/v1/namespaces/a/endpoints/e',
      'service-accounts',
      'workload-low',
      'system:serviceaccount:work:endpoint-controller',
    ],
    [
      user('system:node:n', 'system:nodes'),
      'PATCH /api/v1/nodes/n/status',
      'system-node-high',
      'node-high',
      'system:node:n',
    ],
    [
      user('system:node:n', 'system:nodes'),
      'PATCH /api/v1/nodes/n/proxy',
      'system-nodes',
      'system',
      'system:node:n',
    ],
    [
      user('system:node:n', 'system:nodes'),
      'PUT /apis/coordination.k8s.io/v1/namespaces/kube-node-lease/leases/n',
      'system-node-high',
      'node-high',
      'system:node:n',
    ],
    [user('jane'), 'GET /api/v1/namespaces/a', 'global-default', 'global-default', 'jane'],
    [{ ...user('ghost'), groups: [] }, 'GET /api/v1/pods', 'catch-all', 'catch-all', 'ghost'],
  ]
  for (const [who, line, schema, level, distinguisher = ''] of rows) {
    const found = classify(schemas, who, infoOf(line))
    t.same(
      { schema: found.schema.name, level: found.schema.level, distinguisher: found.distinguisher },
      { schema, level, distinguisher },
      `${who.name}: ${line}`,
    )
  }
  t.end()
})

function schema(name: string, precedence: number, rule: JsonObject, level = 'exempt'): FlowObject {
  const spec = {
    priorityLevelConfiguration: { name: level },
    matchingPrecedence: precedence,
    rules: [{ subjects: [{ kind: 'User', user: { name: '*' } }], ...rule }],
  }
  return { name, uid: `uid of ${name}`, spec }
}

function resourceRule(rule: JsonObject): JsonObject {
  return {
    resourceRules: [{ verbs: ['*'], apiGroups: ['*'], resources: ['*'], namespaces: ['*'], ...rule }],
  }
}

t.test('rules', (t) => {
  const rows: readonly (readonly [string, JsonObject, string, boolean])[] = [
    ['a namespace', resourceRule({ namespaces: ['a'] }), 'GET /api/v1/namespaces/a/pods', true],
    ['another namespace', resourceRule({ namespaces: ['a'] }), 'GET /api/v1/namespaces/b/pods', false],
    ['the namespace itself', resourceRule({ namespaces: ['a'] }), 'GET /api/v1/namespaces/a', true],
    ['all namespaces are none', resourceRule({}), 'GET /api/v1/pods', false],
    ['cluster scope', resourceRule({ clusterScope: true }), 'GET /api/v1/pods', true],
    ['cluster scope alone', resourceRule({ clusterScope: true, namespaces: [] }), 'GET /api/v1/pods', true],
    [
      'cluster scope alone, in a namespace',
      resourceRule({ clusterScope: true, namespaces: [] }),
      'GET /api/v1/namespaces/a/pods',
      false,
    ],
    ['a verb', resourceRule({ verbs: ['list'] }), 'GET /api/v1/namespaces/a/pods', true],
    ['watch is a verb', resourceRule({ verbs: ['list'] }), 'GET /api/v1/namespaces/a/pods?watch', false],
    ['a group', resourceRule({ apiGroups: ['apps'] }), 'GET /apis/apps/v1/namespaces/a/deployments', true],
    ['the core group', resourceRule({ apiGroups: [''] }), 'GET /apis/apps/v1/namespaces/a/x', false],
    [
      'no subresource',
      resourceRule({ resources: ['pods'] }),
      'GET /api/v1/namespaces/a/pods/p/status',
      false,
    ],
    [
      'a subresource',
      resourceRule({ resources: ['pods/status'] }),
      'GET /api/v1/namespaces/a/pods/p/status',
      true,
    ],
    ['no path', resourceRule({}), 'GET /version', false],
    [
      'a path',
      { nonResourceRules: [{ verbs: ['get'], nonResourceURLs: ['/version'] }] },
      'GET /version',
      true,
    ],
    ['a prefix', { nonResourceRules: [{ verbs: ['get'], nonResourceURLs: ['/a/*'] }] }, 'GET /a/b/c', true],
    ['not its root', { nonResourceRules: [{ verbs: ['get'], nonResourceURLs: ['/a/*'] }] }, 'GET /a', false],
    ['half a step', { nonResourceRules: [{ verbs: ['*'], nonResourceURLs: ['/a*'] }] }, 'GET /ab', false],
  ]
  for (const [what, rule, line, matches] of rows) {
    const given = { schemas: [schema('mine', 2, rule)], levels: [] }
    const { schemas } = configurationOf(given, defaults, 600)
    t.equal(
      classify(schemas, { ...user('jane'), groups: [] }, infoOf(line)).schema.name === 'mine',
      matches,
      what,
    )
  }
  t.end()
})

t.test('order, missing levels, what cannot be changed', (t) => {
  const all = resourceRule({ clusterScope: true })
  const schemas = [
    schema('b', 7, all),
    schema('a', 7, all),
    schema('dangling', 2, all, 'missing'),
    schema('exempt', 9000, all, 'missing'),
  ]
  const configuration = configurationOf({ schemas, levels: [] }, defaults, 600)
  t.same(
    configuration.schemas.map(({ name, precedence, uid }) => [name, precedence, uid]),
    [
      ['exempt', 1, 'uid of exempt'],
      ['a', 7, 'uid of a'],
      ['b', 7, 'uid of b'],
      ['catch-all', 10_000, ''],
    ],
  )
  t.same(
    configuration.levels.map(({ name }) => name),
    ['exempt', 'catch-all'],
  )
  t.end()
})

t.test('seats in proportion to shares, those of the default levels of kube-apiserver 1.30', (t) => {
  const { levels } = configurationOf(defaults, defaults, 600)
  t.same(
    levels.map(({ name, seats }) => [name, seats.nominal, seats.lendable, seats.exempt]),
    [
      ['exempt', 0, 0, true],
      ['catch-all', 13, 0, false],
      ['global-default', 49, 25, false],
      ['leader-election', 25, 0, false],
      ['node-high', 98, 25, false],
      ['system', 74, 24, false],
      ['workload-high', 98, 49, false],
      ['workload-low', 245, 221, false],
    ],
  )
  t.end()
})

t.test('what is remembered: once for each question, not mixed up, within bounds', (t) => {
  const { schemas } = configurationOf(defaults, defaults, 600)
  let asked = 0
  const classifier = new Classifier(schemas, ({ schema: { name } }) => {
    asked++
    return name
  })
  const jane = user('jane')
  t.equal(classifier.classify(jane, infoOf('GET /api/v1/pods')), 'global-default')
  t.equal(
    classifier.classify({ ...jane, groups: [...jane.groups] }, infoOf('GET /api/v1/pods')),
    'global-default',
  )
  t.equal(asked, 1)
  t.equal(classifier.classify(user('jane', 'system:masters'), infoOf('GET /api/v1/pods')), 'exempt')
  t.equal(classifier.classify(jane, infoOf('GET /api/v1/pods')), 'global-default')

  const controller = account('kube-system', 'x')
  t.equal(
    classifier.classify(controller, infoOf('GET /api/v1/namespaces/a/configmaps/c')),
    'workload-leader-election',
  )
  const crafted = infoOf('GET /apis/%2Fconfigmaps%2F/v1/namespaces/a/%20/c')
  t.equal(classifier.classify(controller, crafted), 'kube-system-service-accounts')

  asked = 0
  for (let at = 0; at < 3000; at++) classifier.classify(anonymous, infoOf(`GET /path-${at}`))
  t.equal(classifier.classify(jane, infoOf('GET /api/v1/pods')), 'global-default')
  t.equal(asked, 3000, 'new paths of one user make nothing be forgotten of another')
  t.end()
})
