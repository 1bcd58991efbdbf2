/** Source: specification, "Methods" (service account tokens), "Users". */

import type { Test } from 'tap'
import t from 'tap'
import type { ServiceAccountOptions } from '../../../src/authn/service-account/options.ts'
import { eventually } from '../../support/eventually.ts'
import { ecKey, issuer, payloadOf, rsaKey, serviceAccountOptions } from '../../support/tokens.ts'
import { type TokenClient, tokenClient } from './token-client.ts'

const key = ecKey()
const account = '/api/v1/namespaces/default/serviceaccounts/robot'
const reviews = '/apis/authentication.k8s.io/v1/tokenreviews'
const whoAmI = 'POST /apis/authentication.k8s.io/v1/selfsubjectreviews'

async function withRobot(t: Test, more: Partial<ServiceAccountOptions> = {}): Promise<TokenClient> {
  const client = await tokenClient(t, { serviceAccounts: serviceAccountOptions(key, more) })
  await client.must('POST /api/v1/namespaces/default/serviceaccounts', { metadata: { name: 'robot' } })
  return client
}

function uidOf(object: object): string {
  return (object as { metadata: { uid: string } }).metadata.uid
}

interface Issued {
  readonly token: string
  readonly claims: Readonly<Record<string, never>>
  readonly expirationTimestamp: string
}

async function issue({ must }: TokenClient, spec: object = {}): Promise<Issued> {
  const { status } = await must(`POST ${account}/token`, { spec })
  const { token, expirationTimestamp } = status as unknown as Issued
  return { token, claims: payloadOf(token), expirationTimestamp }
}

async function runPod({ must }: TokenClient, name = 'runner', serviceAccountName = 'robot'): Promise<string> {
  const pod = await must('POST /api/v1/namespaces/default/pods', {
    metadata: { name },
    spec: { serviceAccountName, nodeName: 'node-1', containers: [{ name: 'main', image: 'i' }] },
  })
  return uidOf(pod)
}

/** As the caches of this process hear of it. */
async function fallen(t: Test, client: TokenClient, token: string, why: string): Promise<void> {
  await eventually(why, async () => (await standing(client, token)) === 401, 2000)
  t.pass(why)
}

/** 200 = the token names somebody. */
async function standing({ ask }: TokenClient, token: string): Promise<number> {
  return (await ask('GET /version', undefined, token)).status
}

t.test('what may be requested', async (t) => {
  const client = await withRobot(t)
  const uid = await runPod(client)
  await runPod(client, 'stranger', 'default')
  const bound = (kind: string, name: string, more: object = {}) => ({
    spec: { boundObjectRef: { apiVersion: 'v1', kind, name, ...more } },
  })
  for (const [what, body, status, message] of [
    ['nothing special', {}, 201, ''],
    ['ten minutes', { spec: { expirationSeconds: 600 } }, 201, ''],
    [
      'less than that',
      { spec: { expirationSeconds: 599 } },
      422,
      'spec.expirationSeconds: Invalid value: 599: may not specify a duration less than 10 minutes',
    ],
    [
      'more than can be',
      { spec: { expirationSeconds: 2 ** 32 + 1 } },
      422,
      'may not specify a duration larger than 2^32 seconds',
    ],
    ['another name in the body', { metadata: { name: 'x' } }, 422, 'must match the service account name'],
    ['another namespace', { metadata: { namespace: 'x' } }, 422, 'must match the service account namespace'],
    ['a pod of the account', bound('Pod', 'runner'), 201, ''],
    ['the pod with its uid', bound('Pod', 'runner', { uid }), 201, ''],
    [
      'a pod that was made again',
      bound('Pod', 'runner', { uid: 'other' }),
      409,
      'the UID in the bound object reference (other) does not match the UID in record',
    ],
    [
      'a pod of another account',
      bound('Pod', 'stranger'),
      400,
      'cannot bind token for serviceaccount "robot" to pod running with different serviceaccount name.',
    ],
    ['a pod that is not there', bound('Pod', 'ghost'), 404, 'pods "ghost" not found'],
    ['a secret that is not there', bound('Secret', 'ghost'), 404, 'secrets "ghost" not found'],
    [
      'a node, while that gate is closed',
      bound('Node', 'node-1'),
      400,
      'cannot bind token to object of type /v1, Kind=Node',
    ],
    [
      'something else',
      bound('ConfigMap', 'x'),
      400,
      'cannot bind token to object of type /v1, Kind=ConfigMap',
    ],
  ] as const) {
    const told = await client.ask(`POST ${account}/token`, body)
    t.equal(told.status, status, what)
    if (message !== '') t.match(told.body.message, message, what)
  }
  const absent = await client.ask('POST /api/v1/namespaces/default/serviceaccounts/nobody/token', {})
  t.match(absent, { status: 404, body: { message: 'serviceaccounts "nobody" not found' } })
  t.equal((await client.ask(`GET ${account}/token`)).status, 405)
})

t.test('what a token says', async (t) => {
  const client = await withRobot(t)
  const podUid = await runPod(client)
  const node = await client.must('POST /api/v1/nodes', { metadata: { name: 'node-1' } })
  const uid = uidOf(await client.must(`GET ${account}`))
  const { claims, token } = await issue(client, {
    expirationSeconds: 1200,
    audiences: ['vault'],
    boundObjectRef: { apiVersion: 'v1', kind: 'Pod', name: 'runner' },
  })
  const { iat = 0 } = claims as { iat?: number }
  t.match(claims, {
    iss: issuer,
    sub: 'system:serviceaccount:default:robot',
    aud: ['vault'],
    exp: iat + 1200,
    nbf: iat,
    jti: /^[0-9a-f-]{36}$/,
  })
  t.same(claims['kubernetes.io'], {
    namespace: 'default',
    node: { name: 'node-1', uid: uidOf(node) },
    pod: { name: 'runner', uid: podUid },
    serviceaccount: { name: 'robot', uid },
  })
  const header = JSON.parse(Buffer.from(token.split('.')[0] ?? '', 'base64url').toString())
  t.same(header, { alg: 'ES256', kid: key.id })
})

t.test('who the bearer is', async (t) => {
  const client = await withRobot(t)
  const podUid = await runPod(client)
  const uid = uidOf(await client.must(`GET ${account}`))
  const { token, claims } = await issue(client, {
    boundObjectRef: { apiVersion: 'v1', kind: 'Pod', name: 'runner' },
  })
  const { body } = await client.ask(whoAmI, {}, token)
  t.same(body['status'], {
    userInfo: {
      username: 'system:serviceaccount:default:robot',
      uid,
      groups: ['system:serviceaccounts', 'system:serviceaccounts:default', 'system:authenticated'],
      extra: {
        'authentication.kubernetes.io/credential-id': [`JTI=${claims['jti']}`],
        'authentication.kubernetes.io/node-name': ['node-1'],
        'authentication.kubernetes.io/pod-name': ['runner'],
        'authentication.kubernetes.io/pod-uid': [podUid],
      },
    },
  })
})

t.test('tokens of mounted volumes live on, and say when they should have been read anew', async (t) => {
  const client = await withRobot(t)
  await runPod(client)
  const pod = { boundObjectRef: { apiVersion: 'v1', kind: 'Pod', name: 'runner' } }
  const year = 365 * 24 * 3600
  for (const [what, spec, lifetime] of [
    ['as the admission plugin asks', { ...pod, expirationSeconds: 3607 }, year],
    ['another time', { ...pod, expirationSeconds: 3600 }, 3600],
    ['another audience', { ...pod, expirationSeconds: 3607, audiences: ['vault'] }, 3607],
    ['no pod', { expirationSeconds: 3607 }, 3607],
  ] as const) {
    const { claims, expirationTimestamp } = await issue(client, spec)
    const {
      exp = 0,
      iat = 0,
      'kubernetes.io': own,
    } = claims as {
      exp?: number
      iat?: number
      'kubernetes.io'?: { warnafter?: number }
    }
    t.equal(exp - iat, lifetime, what)
    t.equal(own?.warnafter, lifetime === year ? iat + 3607 : undefined, what)
    t.ok(Date.parse(expirationTimestamp) / 1000 <= exp, 'the client comes again in time')
  }
})

t.test('the operator bounds how long tokens live', async (t) => {
  const client = await withRobot(t, { maxExpirationSeconds: 3600, extendExpiration: false })
  const { status, headers, body } = await client.ask(`POST ${account}/token`, {
    spec: { expirationSeconds: 7200 },
  })
  t.equal(status, 201)
  t.match(headers['warning'], [/requested expiration of 7200 seconds shortened to 3600 seconds/])
  t.match(body, { spec: { expirationSeconds: 3600 } })
})

t.test('a token stops working at once when what it stands on goes', async (t) => {
  const client = await withRobot(t)
  await client.must('POST /api/v1/namespaces/default/secrets', { metadata: { name: 'lease' } })
  await runPod(client)
  const reference = (kind: string, name: string) => ({ boundObjectRef: { apiVersion: 'v1', kind, name } })
  const ofAccount = await issue(client)
  const ofSecret = await issue(client, reference('Secret', 'lease'))
  const ofPod = await issue(client, reference('Pod', 'runner'))
  for (const { token } of [ofAccount, ofSecret, ofPod]) t.equal(await standing(client, token), 200)

  await client.must('DELETE /api/v1/namespaces/default/secrets/lease')
  await fallen(t, client, ofSecret.token, 'its secret has gone')
  await client.must('POST /api/v1/namespaces/default/secrets', { metadata: { name: 'lease' } })
  await fallen(t, client, ofSecret.token, 'one of the same name is another')

  await client.must('DELETE /api/v1/namespaces/default/pods/runner?gracePeriodSeconds=0')
  await fallen(t, client, ofPod.token, 'its pod has gone')
  t.equal(await standing(client, ofAccount.token), 200, 'the other is not concerned')

  await client.must(`DELETE ${account}`)
  await fallen(t, client, ofAccount.token, 'its account has gone')
  await client.must('POST /api/v1/namespaces/default/serviceaccounts', { metadata: { name: 'robot' } })
  await fallen(t, client, ofAccount.token, 'an account of the same name is another')
})

t.test('a pod keeps its token until its time to end is over', async (t) => {
  const client = await withRobot(t)
  await runPod(client)
  const { token } = await issue(client, {
    expirationSeconds: 7200,
    boundObjectRef: { apiVersion: 'v1', kind: 'Pod', name: 'runner' },
  })
  await client.must('DELETE /api/v1/namespaces/default/pods/runner?gracePeriodSeconds=30')
  t.equal(await standing(client, token), 200)
  client.later(30 + 59)
  t.equal(await standing(client, token), 200, 'clocks may differ by a minute')
  client.later(3)
  t.equal(await standing(client, token), 401)
})

t.test('time passes', async (t) => {
  const client = await withRobot(t)
  const { token } = await issue(client, { expirationSeconds: 600 })
  for (const [seconds, status] of [
    [0, 200],
    [600, 200],
    [58, 200],
    [4, 401],
    [-2 * 600, 401],
  ] as const) {
    client.later(seconds)
    t.equal(await standing(client, token), status, `${seconds} s later`)
  }
})

t.test('reviews of tokens tell whom a token is for', async (t) => {
  const client = await withRobot(t, { apiAudiences: ['api', 'https://api.example'] })
  const [own, foreign, both] = [
    await issue(client),
    await issue(client, { audiences: ['vault'] }),
    await issue(client, { audiences: ['vault', 'api'] }),
  ]
  for (const [what, token, asked, audiences] of [
    ['its own', own.token, undefined, ['api', 'https://api.example']],
    ['one of its own', own.token, ['api', 'db'], ['api']],
    ['another', own.token, ['db'], undefined],
    ["another's, not asked for", foreign.token, undefined, undefined],
    ["another's", foreign.token, ['vault'], ['vault']],
    ['both', both.token, ['db', 'vault'], ['vault']],
  ] as const) {
    const review = await client.must(`POST ${reviews}`, {
      spec: { token, ...(asked === undefined ? {} : { audiences: asked }) },
    })
    const { status } = review as unknown as {
      status: { authenticated?: boolean; audiences?: string[]; error?: string }
    }
    t.equal(status.authenticated ?? false, audiences !== undefined, what)
    t.same(status.audiences, audiences, what)
    if (audiences === undefined)
      t.match(status.error, /^token audiences .* is invalid for the target audiences/)
  }
  t.equal(await standing(client, foreign.token), 401, 'a token for somebody else does not count here')
})

t.test('keys that are replaced go on counting while they are given', async (t) => {
  const rsa = rsaKey()
  const store = await withRobot(t)
  const { token } = await issue(store)
  const shared = { store: store.server.store }
  const { startInProcess } = await import('../../support/in-process-server.ts')
  for (const [what, verificationKeys, issuers, status] of [
    ['the old key is given', [key.publicPem], [issuer], 200],
    ['the old key is given as it was', [key.privatePem], [issuer], 200],
    ['the old key has been taken away', [], [issuer], 401],
    [
      'the issuer has a new name, and the old is believed',
      [key.publicPem],
      ['https://new.example', issuer],
      200,
    ],
    ['the issuer has a new name alone', [key.publicPem], ['https://new.example'], 401],
  ] as const) {
    const next = await startInProcess({
      ...shared,
      options: { serviceAccounts: serviceAccountOptions(rsa, { verificationKeys, issuers }) },
    })
    const answer = await next.request({
      method: 'GET',
      target: '/version',
      as: 'anonymous',
      headers: { authorization: `Bearer ${token}` },
    })
    t.equal(answer.status, status, what)
    await next.api.close()
  }
})

t.test('others find the keys', async (t) => {
  const client = await withRobot(t)
  const { token } = await issue(client)
  for (const [path, type] of [
    ['/.well-known/openid-configuration', 'application/json'],
    ['/openid/v1/jwks', 'application/jwk-set+json'],
  ] as const) {
    t.equal((await client.ask(`GET ${path}`, undefined, '')).status, 403, 'not for everybody')
    const found = await client.ask(`GET ${path}`, undefined, token)
    t.equal(found.status, 200, 'but for every service account')
    t.equal(found.headers['content-type'], type)
    t.equal(found.headers['cache-control'], 'public, max-age=3600')
  }
  const configuration = await client.must('GET /.well-known/openid-configuration')
  t.same(configuration, {
    issuer,
    jwks_uri: 'https://192.0.2.10:6443/openid/v1/jwks',
    response_types_supported: ['id_token'],
    subject_types_supported: ['public'],
    id_token_signing_alg_values_supported: ['ES256'],
  })
  const { keys } = (await client.must('GET /openid/v1/jwks')) as unknown as { keys: object[] }
  t.equal(keys.length, 1)
  t.match(keys[0], { use: 'sig', kty: 'EC', kid: key.id, alg: 'ES256', crv: 'P-256' })
  t.notOk('d' in (keys[0] ?? {}), 'nothing of the private key')
  const { createLocalJWKSet, jwtVerify } = await import('jose')
  const verified = await jwtVerify(token, createLocalJWKSet({ keys: keys as never }), { issuer })
  t.equal(verified.payload.sub, 'system:serviceaccount:default:robot')
})

t.test('an issuer that is no web address is not published', async (t) => {
  const client = await withRobot(t, { issuers: ['cluster'] })
  t.equal((await client.ask('GET /openid/v1/jwks')).status, 404)
  t.equal(await standing(client, (await issue(client)).token), 200)
})

t.test('uses are counted', async (t) => {
  const client = await withRobot(t)
  await runPod(client)
  const { token } = await issue(client, {
    expirationSeconds: 3607,
    boundObjectRef: { apiVersion: 'v1', kind: 'Pod', name: 'runner' },
  })
  await standing(client, token)
  client.later(3700)
  t.equal(await standing(client, token), 200)
  const text = await client.server.api.metricsText()
  await eventually('the counters', () => text.includes('serviceaccount_stale_tokens_total 1'))
  t.match(text, 'serviceaccount_valid_tokens_total 1')
})

t.test('the same in the dialect cluster', async (t) => {
  const { createNames } = await import('../../../src/names/names.ts')
  const client = await tokenClient(t, {
    names: createNames('cluster'),
    serviceAccounts: serviceAccountOptions(key),
  })
  await client.must('POST /api/v1/namespaces/default/serviceaccounts', { metadata: { name: 'robot' } })
  const { token, claims } = await issue(client)
  t.match(claims['cluster.io'], { namespace: 'default', serviceaccount: { name: 'robot' } })
  const { body } = await client.ask('POST /apis/authentication.cluster.io/v1/selfsubjectreviews', {}, token)
  t.match(body['status'], {
    userInfo: {
      username: 'system:serviceaccount:default:robot',
      extra: { 'authentication.cluster.io/credential-id': [`JTI=${claims['jti']}`] },
    },
  })
})
