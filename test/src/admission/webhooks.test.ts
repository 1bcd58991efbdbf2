/** Admission webhooks, over real TLS: who is asked about what, and what becomes of their patches. */

import t from 'tap'
import type { JsonObject } from '../../../src/json.ts'
import { create, hook, install, maps, patchOf, rule, scene, send } from './webhook-scene.ts'

t.test('a review says who wants what, and a patch changes the object', async (t) => {
  const at = await scene(t)
  at.answers['/mutate'] = () => patchOf({ op: 'add', path: '/data', value: { added: 'yes' } })
  await install(at, 'Mutating', [hook(at, '/mutate')])
  const made = await create(at, 'one', { data: { given: 'x' } }, `${maps}?fieldManager=me`)
  t.equal(made.status, 201)
  t.match(made.body, { data: { added: 'yes', given: undefined } })
  t.match(made.body, {
    metadata: { managedFields: [{ manager: 'me', fieldsV1: { 'f:data': { 'f:given': {} } } }] },
  })
  const kind = { group: '', version: 'v1', kind: 'ConfigMap' }
  const resource = { group: '', version: 'v1', resource: 'configmaps' }
  t.match(at.asked[0]?.request, {
    uid: /^[0-9a-f-]{36}$/,
    kind,
    resource,
    requestKind: kind,
    requestResource: resource,
    name: 'one',
    namespace: 'default',
    operation: 'CREATE',
    userInfo: { username: 'admin', groups: ['system:masters', 'system:authenticated'] },
    object: { apiVersion: 'v1', kind: 'ConfigMap', metadata: { name: 'one' }, data: { given: 'x' } },
    oldObject: null,
    dryRun: false,
    options: { kind: 'CreateOptions', apiVersion: 'meta.k8s.io/v1', fieldManager: 'me' },
  })
  t.notOk('subResource' in (at.asked[0]?.request ?? {}), 'what is empty is left out')
  t.match(at.service.seen.at(-1), 'POST /mutate?timeout=10s')
})

t.test('updates, patches, applies and deletions show what was and what will be', async (t) => {
  const at = await scene(t)
  await install(at, 'Validating', [hook(at, '/look')])
  await create(at, 'two', { data: { a: '1' } })
  const item = `${maps}/two`
  await send(at, {
    method: 'PUT',
    target: item,
    body: { metadata: { name: 'two' }, data: { a: '2' } },
  })
  await send(at, {
    method: 'PATCH',
    target: `${item}?fieldManager=applier&force=true`,
    headers: { 'content-type': 'application/apply-patch+yaml' },
    body: JSON.stringify({
      apiVersion: 'v1',
      kind: 'ConfigMap',
      metadata: { name: 'two' },
      data: { a: '3' },
    }),
  })
  await send(at, { method: 'DELETE', target: `${item}?gracePeriodSeconds=0` })
  const told = at.asked.map(({ request: { operation, object, oldObject, options } }) => [
    operation,
    (oldObject?.['data'] as JsonObject | undefined)?.['a'],
    (object?.['data'] as JsonObject | undefined)?.['a'],
    (options as JsonObject)['kind'],
    (options as JsonObject)['force'],
  ])
  t.same(told, [
    ['CREATE', undefined, '1', 'CreateOptions', undefined],
    ['UPDATE', '1', '2', 'UpdateOptions', undefined],
    ['UPDATE', '2', '3', 'PatchOptions', true],
    ['DELETE', '3', undefined, 'DeleteOptions', undefined],
  ])
  t.match(at.asked[0]?.request.object, {
    metadata: { uid: /./, creationTimestamp: /./, managedFields: [{}] },
  })
})

t.test('refusals', async (t) => {
  const at = await scene(t)
  await install(at, 'Validating', [hook(at, '/judge')])
  const rows: readonly (readonly [JsonObject | undefined, JsonObject])[] = [
    [
      { message: 'no', code: 418, reason: 'Teapot', details: { causes: [{ field: 'data', message: 'm' }] } },
      {
        code: 418,
        reason: 'Teapot',
        message: 'admission webhook "judge.example.com" denied the request: no',
        details: { causes: [{ field: 'data', message: 'm' }] },
      },
    ],
    [
      { reason: 'Forbidden', code: 200 },
      { code: 400, message: 'admission webhook "judge.example.com" denied the request: Forbidden' },
    ],
    [
      undefined,
      { code: 400, message: 'admission webhook "judge.example.com" denied the request without explanation' },
    ],
  ]
  for (const [status, expected] of rows) {
    at.answers['/judge'] = () => ({ allowed: false, ...(status === undefined ? {} : { status }) })
    const refused = await create(at, 'refused')
    t.equal(refused.status, expected['code'])
    t.match(refused.body, { kind: 'Status', status: 'Failure', ...expected })
  }
})

t.test('warnings reach the client', async (t) => {
  const at = await scene(t)
  await install(at, 'Validating', [hook(at, '/warn')])
  at.answers['/warn'] = () => ({ allowed: true, warnings: ['careful'] })
  t.match((await create(at, 'warned')).headers['warning'], ['299 - "careful"'])
})

/** Which requests a webhook with these fields is asked about. */
const matching: readonly (readonly [
  what: string,
  fields: JsonObject,
  target: string,
  body: JsonObject,
  asked: boolean,
])[] = [
  ['another operation', { rules: [rule(['UPDATE'], ['*'])] }, maps, {}, false],
  ['any resource', { rules: [rule(['*'], ['*'])] }, maps, {}, true],
  ['subresources alone', { rules: [rule(['*'], ['*/status'])] }, maps, {}, false],
  ['a resource and what is below', { rules: [rule(['*'], ['configmaps/*'])] }, maps, {}, true],
  ['objects of the cluster', { rules: [rule(['*'], ['*'], { scope: 'Cluster' })] }, maps, {}, false],
  ['objects of namespaces', { rules: [rule(['*'], ['*'], { scope: 'Namespaced' })] }, maps, {}, true],
  [
    'a namespace is an object of the cluster',
    { rules: [rule(['*'], ['*'], { scope: 'Cluster' })] },
    '/api/v1/namespaces',
    {},
    true,
  ],
  ['no object with the label', { objectSelector: { matchLabels: { a: 'b' } } }, maps, {}, false],
  [
    'the object has the label',
    { objectSelector: { matchLabels: { a: 'b' } } },
    maps,
    { metadata: { labels: { a: 'b' } } },
    true,
  ],
  [
    'the namespace has the label',
    { namespaceSelector: { matchLabels: { 'kubernetes.io/metadata.name': 'default' } } },
    maps,
    {},
    true,
  ],
  ['another namespace', { namespaceSelector: { matchLabels: { a: 'b' } } }, maps, {}, false],
  [
    'the new namespace has the label',
    { rules: [rule(['*'], ['namespaces'])], namespaceSelector: { matchLabels: { a: 'b' } } },
    '/api/v1/namespaces',
    { metadata: { labels: { a: 'b' } } },
    true,
  ],
  [
    'objects of the cluster have no namespace',
    { rules: [rule(['*'], ['nodes'])], namespaceSelector: { matchLabels: { a: 'b' } } },
    '/api/v1/nodes',
    {},
    true,
  ],
  [
    'an equivalent version',
    { rules: [{ ...rule(['*'], ['horizontalpodautoscalers']), apiGroups: ['autoscaling'] }] },
    '/apis/autoscaling/v2/namespaces/default/horizontalpodautoscalers',
    { spec: { maxReplicas: 3, scaleTargetRef: { kind: 'Deployment', name: 'd' } } },
    true,
  ],
  [
    'exactly that version',
    {
      matchPolicy: 'Exact',
      rules: [{ ...rule(['*'], ['horizontalpodautoscalers']), apiGroups: ['autoscaling'] }],
    },
    '/apis/autoscaling/v2/namespaces/default/horizontalpodautoscalers',
    { spec: { maxReplicas: 3, scaleTargetRef: { kind: 'Deployment', name: 'd' } } },
    false,
  ],
  [
    'a condition holds',
    { matchConditions: [{ name: 'c', expression: 'object.metadata.name.startsWith("m")' }] },
    maps,
    {},
    true,
  ],
  [
    'one of two does not',
    {
      matchConditions: [
        { name: 'error', expression: 'object.spec.none == 1' },
        { name: 'no', expression: 'request.operation == "DELETE"' },
      ],
    },
    maps,
    {},
    false,
  ],
  [
    'access, as the server decides it',
    {
      matchConditions: [
        {
          name: 'may',
          expression:
            'authorizer.group("").resource("pods").namespace("default").check("get").allowed() && authorizer.requestResource.check("create").allowed() && !authorizer.serviceAccount("default", "nobody").path("/metrics").check("get").allowed()',
        },
      ],
    },
    maps,
    {},
    true,
  ],
]

t.test('who is asked about what', async (t) => {
  const at = await scene(t)
  for (const [index, [what, fields, target, body, expected]] of matching.entries()) {
    const path = await install(at, 'Validating', [hook(at, `/match-${index}`, fields)])
    const made = await create(at, `m${index}`, body, `${target}?dryRun=All`)
    t.equal(made.status, 201, `${what}: ${JSON.stringify(made.body)}`)
    t.equal(at.asked.filter((one) => one.path === `/match-${index}`).length, expected ? 1 : 0, what)
    await send(at, { method: 'DELETE', target: path })
  }
})

t.test('an equivalent version is shown as the rule names it, and taken back', async (t) => {
  const at = await scene(t)
  at.answers['/hpa'] = () => patchOf({ op: 'add', path: '/spec/targetCPUUtilizationPercentage', value: 55 })
  await install(at, 'Mutating', [
    hook(at, '/hpa', {
      rules: [{ ...rule(['CREATE'], ['horizontalpodautoscalers']), apiGroups: ['autoscaling'] }],
    }),
  ])
  const made = await create(
    at,
    'h',
    { spec: { maxReplicas: 3, scaleTargetRef: { kind: 'Deployment', name: 'd' } } },
    '/apis/autoscaling/v2/namespaces/default/horizontalpodautoscalers',
  )
  t.match(at.asked[0]?.request, {
    kind: { group: 'autoscaling', version: 'v1' },
    requestKind: { group: 'autoscaling', version: 'v2' },
    object: { apiVersion: 'autoscaling/v1', spec: { maxReplicas: 3 } },
  })
  t.match(made.body, {
    apiVersion: 'autoscaling/v2',
    spec: { metrics: [{ resource: { name: 'cpu', target: { averageUtilization: 55 } } }] },
  })
})

t.test('a scale is shown as one, and changed', async (t) => {
  const at = await scene(t)
  const labels = { app: 'a' }
  const apps = '/apis/apps/v1/namespaces/default/deployments'
  const made = await create(
    at,
    'd',
    {
      spec: {
        replicas: 1,
        selector: { matchLabels: labels },
        template: { metadata: { labels }, spec: { containers: [{ name: 'c', image: 'i' }] } },
      },
    },
    apps,
  )
  t.equal(made.status, 201)
  at.answers['/scale'] = () => patchOf({ op: 'replace', path: '/spec/replicas', value: 7 })
  await install(at, 'Mutating', [
    hook(at, '/scale', { rules: [{ ...rule(['UPDATE'], ['deployments/scale']), apiGroups: ['apps'] }] }),
  ])
  const scaled = await send(at, {
    method: 'PATCH',
    target: `${apps}/d/scale`,
    headers: { 'content-type': 'application/merge-patch+json' },
    body: '{"spec":{"replicas":3}}',
  })
  t.match(scaled.body, { kind: 'Scale', spec: { replicas: 7 } })
  t.match(at.asked[0]?.request, {
    subResource: 'scale',
    kind: { group: 'autoscaling', version: 'v1', kind: 'Scale' },
    resource: { group: 'apps', version: 'v1', resource: 'deployments' },
    object: { kind: 'Scale', spec: { replicas: 3 } },
    oldObject: { kind: 'Scale', spec: { replicas: 1 } },
  })
})
