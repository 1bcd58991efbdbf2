/** What is written down of requests: entries, stage by stage. */

import t from 'tap'
import { eventually } from '../../support/eventually.ts'
import { type Entry, startAudited } from './auditing.ts'

const all = '[{level: RequestResponse}]'
const configMaps = '/api/v1/namespaces/default/configmaps'
const allowed = { 'authorization.k8s.io/decision': 'allow', 'authorization.k8s.io/reason': '' }
const admin = { username: 'admin', groups: ['system:masters', 'system:authenticated'] }

function stages(entries: readonly Entry[]): readonly unknown[] {
  return entries.map(({ stage }) => stage)
}

t.test('a create, with the objects of request and response', async (t) => {
  const server = await startAudited(all)
  t.teardown(() => server.close())
  await server.request({
    method: 'POST',
    target: `${configMaps}?fieldManager=me&pretty=true`,
    headers: {
      'audit-id': 'a',
      'user-agent': 'kubectl/v1.30',
      'x-forwarded-for': '10.1.2.3, none, 10.1.2.4',
      'x-real-ip': '10.1.2.3',
    },
    body: { metadata: { name: 'one' }, data: { a: 'b' } },
  })
  const common = {
    level: 'RequestResponse',
    auditID: 'a',
    requestURI: `${configMaps}?fieldManager=me&pretty=true`,
    verb: 'create',
    user: admin,
    sourceIPs: ['10.1.2.3', '10.1.2.4', '192.0.2.1'],
    userAgent: 'kubectl/v1.30',
    objectRef: { resource: 'configmaps', namespace: 'default', apiVersion: 'v1' },
  }
  const [received, complete, ...rest] = server.of('a')
  t.same(received, { ...common, stage: 'RequestReceived' })
  const { requestObject, responseObject, ...told } = complete ?? {}
  t.same(told, {
    ...common,
    stage: 'ResponseComplete',
    objectRef: { ...common.objectRef, name: 'one' },
    responseStatus: { metadata: {}, code: 201 },
    annotations: allowed,
  })
  t.match(requestObject, { kind: 'ConfigMap', apiVersion: 'v1', metadata: { name: 'one' }, data: { a: 'b' } })
  t.match(responseObject, {
    kind: 'ConfigMap',
    metadata: { namespace: 'default', uid: /./, managedFields: [{ manager: 'me' }] },
    data: { a: 'b' },
  })
  t.same(rest, [])
})

t.test('levels and what they leave out', async (t) => {
  for (const [rule, fields] of [
    ['{level: Metadata}', { requestObject: undefined, responseObject: undefined }],
    ['{level: Request}', { requestObject: { data: { a: 'b' } }, responseObject: undefined }],
    ['{level: RequestResponse}', { responseObject: { metadata: { managedFields: [{}] } } }],
    [
      '{level: RequestResponse, omitManagedFields: true}',
      { responseObject: { metadata: { managedFields: undefined } } },
    ],
  ] as const) {
    const server = await startAudited(`[${rule}]`)
    await server.request({
      method: 'POST',
      target: configMaps,
      headers: { 'audit-id': 'a' },
      body: { metadata: { name: 'one' }, data: { a: 'b' } },
    })
    t.match(server.of('a')[1], { objectRef: { name: 'one' }, ...fields }, rule)
    await server.close()
  }
  const server = await startAudited('[{level: Metadata, omitStages: [RequestReceived]}]')
  t.teardown(() => server.close())
  await server.request({ method: 'GET', target: configMaps, headers: { 'audit-id': 'a' } })
  t.same(stages(server.of('a')), ['ResponseComplete'])
})

t.test('bodies of the other verbs', async (t) => {
  const server = await startAudited(all)
  t.teardown(() => server.close())
  const body = { metadata: { name: 'one' }, data: { a: 'b' } }
  await server.request({ method: 'POST', target: configMaps, body })
  const one = `${configMaps}/one`
  const json = { 'content-type': 'application/json' }
  for (const [id, request, object] of [
    [
      'merge',
      {
        method: 'PATCH',
        headers: { 'content-type': 'application/merge-patch+json' },
        body: '{"data":\n{"c":"d"}}',
      },
      { data: { c: 'd' } },
    ],
    [
      'apply',
      {
        method: 'PATCH',
        query: '?fieldManager=m',
        headers: { 'content-type': 'application/apply-patch+yaml' },
        body: 'apiVersion: v1\nkind: ConfigMap\nmetadata:\n  name: one\ndata:\n  e: f\n',
      },
      { apiVersion: 'v1', kind: 'ConfigMap', metadata: { name: 'one' }, data: { e: 'f' } },
    ],
    ['put', { method: 'PUT', headers: json, body: JSON.stringify(body) }, body],
    [
      'broken',
      { method: 'PATCH', headers: { 'content-type': 'application/merge-patch+json' }, body: '{"data"' },
      '{"data"',
    ],
    [
      'delete',
      {
        method: 'DELETE',
        headers: json,
        body: '{"kind":"DeleteOptions","apiVersion":"v1","gracePeriodSeconds":0}',
      },
      { kind: 'DeleteOptions', apiVersion: 'v1', gracePeriodSeconds: 0 },
    ],
  ] as const) {
    const { method, headers, body: text } = request
    const query = 'query' in request ? request.query : ''
    await server.request({ method, target: one + query, headers: { ...headers, 'audit-id': id }, body: text })
    t.match(server.of(id)[1], { requestObject: object }, id)
  }
  t.match(server.of('delete')[1]?.['responseStatus'], {
    status: 'Success',
    details: { name: 'one', kind: 'configmaps' },
    code: 200,
  })
})

t.test('answers in any form are written down as JSON on one line', async (t) => {
  const server = await startAudited(all)
  t.teardown(() => server.close())
  for (const [accept, target, object] of [
    ['application/yaml', '/api/v1/namespaces/default', { kind: 'Namespace', metadata: { name: 'default' } }],
    [
      'application/vnd.kubernetes.protobuf',
      '/api/v1/namespaces/default',
      { kind: 'Namespace', metadata: { name: 'default' } },
    ],
    [
      'application/vnd.kubernetes.protobuf',
      '/api/v1/namespaces',
      { kind: 'NamespaceList', items: [{ metadata: { name: 'default' } }] },
    ],
    [
      'application/vnd.kubernetes.protobuf',
      '/api/v1/namespaces/none',
      { kind: 'Status', reason: 'NotFound' },
    ],
    [
      'application/json;as=Table;g=meta.k8s.io;v=v1',
      '/api/v1/namespaces',
      { kind: 'Table', rows: [{ cells: ['default'] }] },
    ],
  ] as const) {
    const id = `${accept} ${target}`
    const { body } = await server.request({ method: 'GET', target, headers: { accept, 'audit-id': id } })
    t.ok(body.length > 0)
    t.match(server.of(id)[1]?.['responseObject'], object, id)
  }
})

t.test('a watch: it starts, and is complete when it ends', async (t) => {
  const server = await startAudited(all)
  t.teardown(() => server.close())
  const watch = await server.watch({
    method: 'GET',
    target: `${configMaps}?watch=1`,
    headers: { 'audit-id': 'w' },
  })
  t.same(stages(server.of('w')), ['RequestReceived', 'ResponseStarted'])
  t.match(server.of('w')[1], { verb: 'watch', responseStatus: { code: 200 }, annotations: allowed })
  watch.close()
  await eventually('the end of the watch', () => server.of('w').length === 3)
  t.match(server.of('w')[2], {
    stage: 'ResponseComplete',
    responseStatus: { code: 200 },
    responseObject: undefined,
  })
})

t.test('requests that are refused', async (t) => {
  const server = await startAudited(all)
  t.teardown(() => server.close())
  const refused = async (id: string, as: 'user' | 'admin' | 'anonymous', target: string, headers = {}) => {
    await server.request({ method: 'GET', target, as, headers: { 'audit-id': id, ...headers } })
    return server.of(id)
  }
  const forbidden = { 'authorization.k8s.io/decision': 'forbid', 'authorization.k8s.io/reason': '' }
  const message =
    'configmaps is forbidden: User "jane" cannot list resource "configmaps" in API group "" in the namespace "default"'
  const status = {
    status: 'Failure',
    message,
    reason: 'Forbidden',
    details: { kind: 'configmaps' },
    code: 403,
  }
  t.match(await refused('forbidden', 'user', configMaps), [
    { stage: 'RequestReceived', annotations: undefined },
    { stage: 'ResponseComplete', user: { username: 'jane' }, responseStatus: status, annotations: forbidden },
  ])
  t.same(stages(await refused('watch', 'user', `${configMaps}?watch=1`)), [
    'RequestReceived',
    'ResponseStarted',
    'ResponseComplete',
  ])
  t.match(await refused('unknown', 'anonymous', configMaps, { authorization: 'Bearer wrong' }), [
    {
      stage: 'ResponseStarted',
      user: {},
      responseStatus: { message: 'Unauthorized', code: 401 },
      annotations: undefined,
    },
  ])
  t.match(await refused('timeout', 'admin', `${configMaps}?timeout=x`), [
    { stage: 'ResponseStarted', user: {}, responseStatus: { code: 400 } },
  ])
  const acting = { 'impersonate-user': 'joe', 'impersonate-group': 'devs', 'impersonate-extra-color': 'red' }
  t.match(await refused('acting', 'admin', configMaps, acting), [
    { user: admin, impersonatedUser: undefined },
    {
      user: admin,
      impersonatedUser: {
        username: 'joe',
        groups: ['devs', 'system:authenticated'],
        extra: { color: ['red'] },
      },
      annotations: forbidden,
    },
  ])
})

t.test('deprecated versions, and paths that are no resources', async (t) => {
  const server = await startAudited(all, {
    runtimeConfig: new Map([['flowcontrol.apiserver.k8s.io/v1beta3', true]]),
  })
  t.teardown(() => server.close())
  const target = '/apis/flowcontrol.apiserver.k8s.io/v1beta3/flowschemas?limit=1'
  await server.request({ method: 'GET', target, headers: { 'audit-id': 'old' } })
  t.match(server.of('old')[1]?.['annotations'], {
    'k8s.io/deprecated': 'true',
    'k8s.io/removed-release': '1.32',
  })
  await server.request({ method: 'GET', target: '/version', headers: { 'audit-id': 'version' } })
  t.match(server.of('version')[1], {
    verb: 'get',
    objectRef: undefined,
    responseObject: undefined,
    responseStatus: { code: 200 },
  })
})

t.test('who cannot be written down is not served, where nobody forgives it', async (t) => {
  const server = await startAudited(all)
  t.teardown(() => server.close())
  server.stores(false)
  const { status, body } = await server.request({
    method: 'GET',
    target: configMaps,
    headers: { 'audit-id': 'a' },
  })
  t.equal(status, 500)
  t.match(body.toString(), 'failed to store audit event')
  t.same(stages(server.of('a')), ['RequestReceived'])
  server.stores(true)
  await server.request({ method: 'GET', target: '/version', headers: { 'audit-id': 'b' } })
  const text = await server.api.metricsText()
  for (const line of [
    'apiserver_audit_event_total 3',
    'apiserver_audit_requests_rejected_total 1',
    'apiserver_audit_level_total{level="RequestResponse"} 2',
  ])
    t.match(text, line)
})

t.test('policies and standards for pods write down what nobody is told', async (t) => {
  const server = await startAudited(all)
  t.teardown(() => server.close())
  const admission = '/apis/admissionregistration.k8s.io/v1'
  await server.request({
    method: 'POST',
    target: `${admission}/validatingadmissionpolicies`,
    body: {
      metadata: { name: 'small' },
      spec: {
        matchConstraints: {
          resourceRules: [
            { apiGroups: [''], apiVersions: ['v1'], operations: ['CREATE'], resources: ['configmaps'] },
          ],
        },
        validations: [{ expression: 'true' }, { expression: 'size(object.data) < 2', message: 'too much' }],
        auditAnnotations: [
          { key: 'size', valueExpression: "' ' + string(size(object.data)) + ' '" },
          { key: 'none', valueExpression: "''" },
        ],
      },
    },
  })
  await server.request({
    method: 'POST',
    target: `${admission}/validatingadmissionpolicybindings`,
    body: {
      metadata: { name: 'everywhere' },
      spec: { policyName: 'small', validationActions: ['Audit', 'Warn'] },
    },
  })
  const create = async (id: string) =>
    server.request({
      method: 'POST',
      target: configMaps,
      headers: { 'audit-id': id },
      body: { metadata: { generateName: 'c-' }, data: { a: '1', b: '2' } },
    })
  let tries = 0
  await eventually('the policy', async () => {
    const id = `c${++tries}`
    const { status } = await create(id)
    t.equal(status, 201)
    return (
      server.of(id)[1]?.['annotations'] !== undefined &&
      JSON.stringify(server.of(id)[1]).includes('validation_failure')
    )
  })
  t.same(server.of(`c${tries}`)[1]?.['annotations'], {
    ...allowed,
    'small/size': '2',
    'validation.policy.admission.k8s.io/validation_failure': JSON.stringify([
      {
        message: 'too much',
        policy: 'small',
        binding: 'everywhere',
        expressionIndex: 1,
        validationActions: ['Audit', 'Warn'],
      },
    ]),
  })

  const label = 'pod-security.kubernetes.io'
  await server.request({
    method: 'POST',
    target: '/api/v1/namespaces',
    body: {
      metadata: {
        name: 'strict',
        labels: { [`${label}/enforce`]: 'baseline', [`${label}/audit`]: 'restricted' },
      },
    },
  })
  await server.request({
    method: 'POST',
    target: '/api/v1/namespaces/strict/serviceaccounts',
    body: { metadata: { name: 'default' } },
  })
  const container = { name: 'a', image: 'a' }
  await server.request({
    method: 'POST',
    target: '/api/v1/namespaces/strict/pods',
    headers: { 'audit-id': 'pod' },
    body: { metadata: { name: 'a' }, spec: { containers: [container] } },
  })
  t.match(server.of('pod')[1], {
    responseStatus: { code: 201 },
    annotations: {
      [`${label}/enforce-policy`]: 'baseline:latest',
      [`${label}/audit-violations`]:
        /^would violate PodSecurity "restricted:latest": allowPrivilegeEscalation != false/,
    },
  })
})
