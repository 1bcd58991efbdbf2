/** Webhooks and policies that name one version of a custom resource, while requests come in another. */

import t from 'tap'
import type { JsonObject } from '../../../../src/json.ts'
import { eventually } from '../../../support/eventually.ts'
import { sendJson } from '../../../support/tls-service.ts'
import { authorityBundle, create, group, path, type Scene, scene, widget } from './conversion-scene.ts'

const rule = (version: string): JsonObject => ({
  operations: ['CREATE', 'UPDATE', 'DELETE'],
  apiGroups: [group],
  apiVersions: [version],
  resources: ['widgets'],
})

interface Asked {
  readonly kind: JsonObject
  readonly requestKind: JsonObject
  readonly operation: string
  readonly object: JsonObject | null
  readonly oldObject: JsonObject | null
}

type Answer = (asked: Asked) => JsonObject

/** An admission webhook that names one version, beside the one that converts. Waits until it counts. */
async function hooked(at: Scene, version: string, kind: 'Mutating' | 'Validating', answer: Answer) {
  const asked: Asked[] = []
  at.others['/admit'] = (response, body) => {
    const { apiVersion, request } = JSON.parse(body)
    if (request.name !== 'probe') asked.push(request)
    sendJson(response, {
      apiVersion,
      kind: 'AdmissionReview',
      response: { uid: request.uid, allowed: true, ...answer(request) },
    })
  }
  const plural = `${kind.toLowerCase()}webhookconfigurations`
  const made = await at.client.post(`/apis/admissionregistration.k8s.io/v1/${plural}`, {
    metadata: { name: 'hook' },
    webhooks: [
      {
        name: 'hook.example.com',
        clientConfig: { url: `${at.service.url}/admit`, caBundle: authorityBundle },
        rules: [rule(version)],
        sideEffects: 'None',
        admissionReviewVersions: ['v1'],
      },
    ],
  })
  if (made.status !== 201) throw new Error(JSON.stringify(made.body))
  await eventually('the webhook to count', async () => {
    await at.client.post(path(version, '?dryRun=All'), widget(version, 'probe'))
    return at.service.seen.some((one) => one.startsWith('POST /admit'))
  })
  return asked
}

const patched = (...operations: readonly JsonObject[]): JsonObject => ({
  patchType: 'JSONPatch',
  patch: Buffer.from(JSON.stringify(operations)).toString('base64'),
})

t.test('a webhook sees requests in the version that it names', async (t) => {
  const at = await scene(t)
  const asked = await hooked(at, 'v2', 'Validating', () => ({}))
  await create(at, 'v1', 'one', { size: 1 })
  await at.client.patch(path('v1', '/one'), { spec: { size: 2 } })
  await at.client.delete(path('v1', '/one'))
  const v2 = { group, version: 'v2', kind: 'Widget' }
  const both = { kind: v2, requestKind: { ...v2, version: 'v1' } }
  t.match(asked, [
    {
      ...both,
      operation: 'CREATE',
      object: { apiVersion: `${group}/v2`, spec: { count: 1 } },
      oldObject: null,
    },
    { ...both, operation: 'UPDATE', object: { spec: { count: 2 } }, oldObject: { spec: { count: 1 } } },
    {
      ...both,
      operation: 'DELETE',
      object: null,
      oldObject: { apiVersion: `${group}/v2`, spec: { count: 2 } },
    },
  ])
})

t.test('what it changes is changed in the version of the request', async (t) => {
  const at = await scene(t)
  await hooked(at, 'v2', 'Mutating', ({ object }) =>
    object === null ? {} : patched({ op: 'add', path: '/spec', value: { count: 7, note: 'changed' } }),
  )
  t.match(await create(at, 'v1', 'one', { size: 1 }), {
    status: 201,
    body: { apiVersion: `${group}/v1`, spec: { size: 7, note: 'changed', count: undefined } },
  })
  t.match((await at.client.get(path('v2', '/one'))).body, { spec: { count: 7, note: 'changed' } })
})

t.test('requests that cannot be shown are refused', async (t) => {
  const at = await scene(t)
  await hooked(at, 'v2', 'Validating', () => ({}))
  await create(at, 'v1', 'one', { size: 1 })
  at.converts = () => ({ result: { status: 'Failed', message: 'not today' } })
  const message = `conversion webhook for ${group}/v1, Kind=Widget failed: not today`
  t.match(await create(at, 'v1', 'two', { size: 1 }), { status: 500, body: { message } })
  t.match(await at.client.patch(path('v1', '/one'), { spec: { size: 3 } }), {
    status: 500,
    body: { message },
  })
  t.match(await at.client.delete(path('v1', '/one')), { status: 500, body: { message } })
})

t.test('a policy judges the version that it names, and its parameters too', async (t) => {
  const at = await scene(t)
  const policies = '/apis/admissionregistration.k8s.io/v1'
  await create(at, 'v1', 'limits', { size: 5 })
  const policy = await at.client.post(`${policies}/validatingadmissionpolicies`, {
    metadata: { name: 'limit' },
    spec: {
      paramKind: { apiVersion: `${group}/v2`, kind: 'Widget' },
      matchConstraints: { resourceRules: [{ ...rule('v2'), operations: ['CREATE'] }] },
      validations: [{ expression: 'object.spec.count <= params.spec.count' }],
    },
  })
  t.equal(policy.status, 201)
  await at.client.post(`${policies}/validatingadmissionpolicybindings`, {
    metadata: { name: 'limit' },
    spec: {
      policyName: 'limit',
      validationActions: ['Deny'],
      paramRef: { name: 'limits', parameterNotFoundAction: 'Deny' },
    },
  })
  let refused = await create(at, 'v1', 'large', { size: 6 })
  await eventually('the policy to count', async () => {
    if (refused.status !== 201) return true
    await at.client.delete(path('v1', '/large'))
    refused = await create(at, 'v1', 'large', { size: 6 })
    return false
  })
  t.match(refused, {
    status: 422,
    body: { message: /failed expression: object.spec.count <= params.spec.count/ },
  })
  t.match(await create(at, 'v1', 'small', { size: 5 }), { status: 201 })
})
