/** Admission webhooks, over real TLS: conditions, answers that cannot be used, and webhooks that give none. */

import t from 'tap'
import type { JsonObject } from '../../../src/json.ts'
import { eventually } from '../../support/eventually.ts'
import { sendJson, startTlsService } from '../../support/tls-service.ts'
import { authority, create, group, hook, install, maps, patchOf, rule, scene, send } from './webhook-scene.ts'

t.test('a condition that fails refuses, or lets the webhook out', async (t) => {
  const at = await scene(t)
  const matchConditions = [{ name: 'c', expression: 'object.spec.none == 1' }]
  const path = await install(at, 'Validating', [hook(at, '/c', { matchConditions })])
  t.match((await create(at, 'c')).body, {
    code: 403,
    message: /^configmaps "c" is forbidden: match condition "c": .*no such key: spec/,
  })
  await send(at, { method: 'DELETE', target: path })
  await install(at, 'Validating', [hook(at, '/c', { matchConditions, failurePolicy: 'Ignore' })])
  t.equal((await create(at, 'c')).status, 201)
  t.same(at.asked, [])
})

t.test('conditions are compiled when they are written', async (t) => {
  const at = await scene(t)
  const refused = await send(at, {
    method: 'POST',
    target: `/apis/${group}/v1/validatingwebhookconfigurations`,
    body: {
      metadata: { name: 'bad' },
      webhooks: [hook(at, '/x', { matchConditions: [{ name: 'c', expression: 'objet.name == "x"' }] })],
    },
  })
  t.equal(refused.status, 422)
  t.match(refused.body, {
    details: {
      causes: [
        {
          field: 'webhooks[0].matchConditions[0].expression',
          message: /compilation failed: .*undeclared reference to 'objet'/s,
        },
      ],
    },
  })
})

t.test('dry runs', async (t) => {
  const at = await scene(t)
  const path = await install(at, 'Validating', [hook(at, '/dry', { sideEffects: 'NoneOnDryRun' })])
  t.equal((await create(at, 'd', {}, `${maps}?dryRun=All`)).status, 201)
  t.match(at.asked[0]?.request, { dryRun: true, options: { dryRun: ['All'] } })
  await send(at, { method: 'DELETE', target: path })
  const made = await send(at, {
    method: 'POST',
    target: `/apis/${group}/v1/validatingwebhookconfigurations`,
    body: { metadata: { name: 'some' }, webhooks: [hook(at, '/dry', { sideEffects: 'Some' })] },
  })
  t.match(made.body, { code: 422 }, 'version v1 takes none that has effects')
})

/** What is wrong with an answer, as the client of the write reads it. */
const answers: readonly (readonly [JsonObject, string])[] = [
  [{ uid: 'other', allowed: true }, 'expected response.uid='],
  [{ allowed: true, patch: 'W10=' }, 'webhook returned response.patch but not response.patchType'],
  [{ allowed: true, patchType: 'JSONPatch' }, 'webhook returned response.patchType but not response.patch'],
  [
    { allowed: true, patch: 'W10=', patchType: 'Merge' },
    'webhook returned invalid response.patchType of "Merge"',
  ],
  [{ allowed: true, patch: '!', patchType: 'JSONPatch' }, 'response.patch is not JSON in base64'],
]

t.test('answers that cannot be used', async (t) => {
  const at = await scene(t)
  await install(at, 'Mutating', [hook(at, '/bad')])
  for (const [answer, why] of answers) {
    at.answers['/bad'] = () => answer
    const { status, body } = await create(at, 'bad')
    t.equal(status, 500, why)
    t.match(
      body['message'],
      `Internal error occurred: failed calling webhook "bad.example.com": received invalid webhook response: ${why}`,
    )
  }
  at.answers['/bad'] = () => patchOf({ op: 'remove', path: '/data/none' })
  t.match((await create(at, 'bad')).body, { code: 500, message: /^Internal error occurred: / })
  at.answers['/bad'] = () => patchOf({ op: 'add', path: '/data', value: 'text' })
  t.match((await create(at, 'bad')).body, { code: 500, message: /cannot be handled as a ConfigMap/ })
})

t.test('a validating webhook changes nothing', async (t) => {
  const at = await scene(t)
  await install(at, 'Validating', [hook(at, '/v')])
  at.answers['/v'] = () => patchOf({ op: 'add', path: '/data', value: {} })
  t.match((await create(at, 'v')).body, {
    code: 500,
    message: /received invalid webhook response: validating webhook may not return response.patch$/,
  })
})

t.test('nobody answers', async (t) => {
  const at = await scene(t)
  const path = await install(at, 'Validating', [hook(at, '/gone')])
  await at.service.stop()
  const { status, body } = await create(at, 'gone')
  t.equal(status, 500)
  t.match(body, {
    reason: 'InternalError',
    message:
      /^Internal error occurred: failed calling webhook "gone.example.com": failed to call webhook: Post "https:\/\/localhost:\d+\/gone\?timeout=10s": localhost:\d+ cannot be reached: ECONNREFUSED$/,
  })
  t.equal((await send(at, { method: 'DELETE', target: path })).status, 200, 'it can be taken away')
  await at.service.restart()
  await install(at, 'Validating', [hook(at, '/gone', { failurePolicy: 'Ignore' })])
  await at.service.stop()
  await eventually('the webhook to be left out', async () => (await create(at, 'gone')).status === 201)
  await at.service.restart()
  const text = await at.server.api.metricsText()
  t.match(text, 'apiserver_admission_webhook_fail_open_count{name="gone.example.com",type="validating"} 1')
  t.match(
    text,
    'apiserver_admission_webhook_rejection_count{error_type="calling_webhook_error",name="gone.example.com",operation="CREATE",rejection_code="0",type="validating"} 1',
  )
})

t.test('it takes too long', async (t) => {
  const at = await scene(t)
  await install(at, 'Validating', [hook(at, '/slow', { timeoutSeconds: 1 })])
  at.service.handle(() => {})
  t.match((await create(at, 'slow')).body, {
    code: 500,
    message:
      /"slow.example.com": failed to call webhook: Post ".*\/slow\?timeout=1s": context deadline exceeded$/,
  })
})

t.test('asked again, when others have changed the object after it', async (t) => {
  const at = await scene(t)
  at.answers['/first'] = ({ object }) =>
    patchOf({ op: 'add', path: '/data', value: { ...((object?.['data'] as JsonObject) ?? {}), first: 'x' } })
  at.answers['/second'] = ({ object }) =>
    patchOf({ op: 'add', path: '/data', value: { ...((object?.['data'] as JsonObject) ?? {}), second: 'x' } })
  await install(at, 'Mutating', [
    hook(at, '/first', { reinvocationPolicy: 'IfNeeded' }),
    hook(at, '/second', { reinvocationPolicy: 'Never' }),
  ])
  const made = await create(at, 'again')
  t.match(made.body, { data: { first: 'x', second: 'x' } })
  t.same(
    at.asked.map(({ path }) => path),
    ['/first', '/second', '/first'],
  )
})

t.test('the older reviews', async (t) => {
  const at = await scene(t)
  await install(at, 'Mutating', [hook(at, '/beta', { admissionReviewVersions: ['v2', 'v1beta1', 'v1'] })])
  at.service.handle((_, response, body) => {
    const { request, apiVersion } = JSON.parse(body)
    at.asked.push({ path: apiVersion, request })
    const patch = Buffer.from('[{"op":"add","path":"/data","value":{"beta":"yes"}}]').toString('base64')
    sendJson(response, { response: { allowed: true, patch } })
  })
  t.match((await create(at, 'beta')).body, { data: { beta: 'yes' } })
  t.equal(at.asked[0]?.path, 'admission.k8s.io/v1beta1')
})

t.test('a service is called by its name, at its address', async (t) => {
  const at = await scene(t)
  const { issuer, ca } = authority
  const dayMs = 86_400_000
  const valid = { fromMs: Date.now() - dayMs, untilMs: Date.now() + dayMs }
  const serving = await issuer.serving(ca, ['hook.default.svc'], valid)
  const hosts: string[] = []
  const service = await startTlsService(t, { issuer, ca, serving }, ({ headers }, response, body) => {
    hosts.push(headers.host ?? '')
    const { request, apiVersion } = JSON.parse(body)
    sendJson(response, { apiVersion, kind: 'AdmissionReview', response: { uid: request.uid, allowed: true } })
  })
  const port = Number(new URL(service.url).port)
  await create(
    at,
    'hook',
    { spec: { type: 'ExternalName', externalName: 'localhost' } },
    '/api/v1/namespaces/default/services',
  )
  await install(at, 'Validating', [
    hook(at, '/service', {
      clientConfig: {
        service: { namespace: 'default', name: 'hook', port, path: '/here' },
        caBundle: Buffer.from(ca.certificate).toString('base64'),
      },
    }),
    hook(at, '/none', {
      rules: [rule(['*'], ['secrets'])],
      clientConfig: { service: { namespace: 'default', name: 'none' } },
    }),
  ])
  t.equal((await create(at, 's')).status, 201)
  t.same(hosts, [`hook.default.svc:${port}`])
  t.same(service.seen, ['POST /here?timeout=10s'])
  t.match((await create(at, 's', {}, '/api/v1/namespaces/default/secrets')).body, {
    message:
      'Internal error occurred: failed calling webhook "none.example.com": failed to call webhook: service "none" not found',
  })
})
