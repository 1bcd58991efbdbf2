/** Ways to get in with a service account token that one should not have: each a row, each refused. */

import { createPublicKey, type KeyObject } from 'node:crypto'
import t from 'tap'
import {
  ecKey,
  type Forgery,
  forge,
  issuer,
  type Payload,
  payloadOf,
  rsaKey,
  serviceAccountOptions,
} from '../../support/tokens.ts'
import { tokenClient } from './token-client.ts'

const ours = ecKey()
const rsa = rsaKey()
const stranger = ecKey()
const account = '/api/v1/namespaces/default/serviceaccounts/robot'

t.test('(token × request → status)', async (t) => {
  const client = await tokenClient(t, {
    serviceAccounts: serviceAccountOptions(ours, { verificationKeys: [rsa.publicPem] }),
  })
  await client.must('POST /api/v1/namespaces/default/serviceaccounts', { metadata: { name: 'robot' } })
  await client.must('POST /api/v1/namespaces/default/serviceaccounts', { metadata: { name: 'admin' } })
  const made = await client.must(`POST ${account}/token`, {})
  const { token: good } = made['status'] as unknown as { token: string }
  const right = payloadOf(good)
  const now = Number(right['iat'])
  const admin = await client.must('GET /api/v1/namespaces/default/serviceaccounts/admin')
  const { uid: adminUid } = admin['metadata'] as unknown as { uid: string }
  const own = right['kubernetes.io'] as unknown as Payload
  const signed = (payload: Payload, more: Partial<Forgery> = {}): string =>
    forge(payload, { alg: 'ES256', key: ours.privateKey, header: { kid: ours.id }, ...more })
  const without = (name: string): Payload =>
    Object.fromEntries(Object.entries(right).filter(([claim]) => claim !== name))
  const [header = '', payload = '', signature = ''] = good.split('.')
  const encode = (value: object): string => Buffer.from(JSON.stringify(value)).toString('base64url')
  const publicKey: KeyObject = createPublicKey(ours.privateKey)

  const rows: readonly (readonly [what: string, token: string, status: number])[] = [
    ['the token as it was issued', good, 200],
    ['the same, signed again', signed(right), 200],
    ['without the name of its key', signed(right, { header: {} }), 200],
    [
      'by the other key that counts',
      forge(right, { alg: 'RS256', key: rsa.privateKey, header: { kid: rsa.id } }),
      200,
    ],

    ['alg none', forge(right, { alg: 'none' }), 401],
    ['alg None, with the name of the key', forge(right, { alg: 'None', header: { kid: ours.id } }), 401],
    [
      'alg none under the signature of the good one',
      `${encode({ alg: 'none' })}.${payload}.${signature}`,
      401,
    ],
    ['no signature', `${header}.${payload}.`, 401],
    ['no signature, two parts', `${header}.${payload}`, 401],
    ['a fourth part', `${good}.x`, 401],
    ['HS256 with the public key as secret', forge(right, { alg: 'HS256', secret: ours.publicPem }), 401],
    [
      'HS256 with the DER form of it',
      forge(right, {
        alg: 'HS256',
        secret: publicKey.export({ type: 'spki', format: 'der' }).toString('latin1'),
        header: { kid: ours.id },
      }),
      401,
    ],
    [
      'HS256 with the public RSA key',
      forge(right, { alg: 'HS256', secret: rsa.publicPem, header: { kid: rsa.id } }),
      401,
    ],
    ['HS256 with an empty secret', forge(right, { alg: 'HS256' }), 401],
    [
      'PS256 with the RSA key',
      forge(right, { alg: 'PS256', key: rsa.privateKey, header: { kid: rsa.id } }),
      401,
    ],
    [
      'RS512 with the RSA key',
      forge(right, { alg: 'RS512', key: rsa.privateKey, header: { kid: rsa.id } }),
      401,
    ],
    [
      'the RSA key under the name of the other',
      forge(right, { alg: 'RS256', key: rsa.privateKey, header: { kid: ours.id } }),
      401,
    ],

    ["a stranger's key", forge(right, { alg: 'ES256', key: stranger.privateKey }), 401],
    [
      "a stranger's key under our name",
      forge(right, { alg: 'ES256', key: stranger.privateKey, header: { kid: ours.id } }),
      401,
    ],
    [
      "a stranger's key, brought along as jwk",
      forge(right, {
        alg: 'ES256',
        key: stranger.privateKey,
        header: { jwk: createPublicKey(stranger.privateKey).export({ format: 'jwk' }) },
      }),
      401,
    ],
    [
      "a stranger's key, to be fetched from jku",
      forge(right, {
        alg: 'ES256',
        key: stranger.privateKey,
        header: { jku: 'https://127.0.0.1:1/keys', kid: stranger.id },
      }),
      401,
    ],
    [
      'kid as a path',
      forge(right, { alg: 'HS256', secret: '', header: { kid: '../../../../dev/null' } }),
      401,
    ],
    ['kid as a query', signed(right, { header: { kid: "' or '1'='1" } }), 401],
    ['kid __proto__', signed(right, { header: { kid: '__proto__' } }), 401],
    ['kid that is no text', signed(right, { header: { kid: { toString: ours.id } } }), 200],
    [
      'an extension that must be understood',
      signed(right, { header: { kid: ours.id, crit: ['x'], x: 1 } }),
      401,
    ],
    [
      'changed in one letter',
      `${header}.${payload}.${signature.startsWith('A') ? 'B' : 'A'}${signature.slice(1)}`,
      401,
    ],
    [
      'another account under the good signature',
      `${header}.${encode({ ...right, sub: 'system:serviceaccount:default:admin' })}.${signature}`,
      401,
    ],

    ['another issuer', signed({ ...right, iss: 'https://evil.example' }), 401],
    ['the issuer in other letters', signed({ ...right, iss: issuer.toUpperCase() }), 401],
    ['no issuer', signed(without('iss')), 401],
    ['issuers as a list', signed({ ...right, iss: [issuer] }), 401],
    ['for somebody else', signed({ ...right, aud: ['vault'] }), 401],
    ['for something that is no text', signed({ ...right, aud: [1] }), 401],
    ['for us among others', signed({ ...right, aud: ['vault', issuer] }), 200],
    ['expired', signed({ ...right, exp: now - 100 }), 401],
    ['expired within what clocks may differ', signed({ ...right, exp: now - 30 }), 200],
    ['expires at a time that is none', signed({ ...right, exp: 'never' }), 401],
    ['not yet valid', signed({ ...right, nbf: now + 100 }), 401],
    ['issued in the future', signed({ ...right, iat: now + 100 }), 401],

    [
      'a subject that is not its account',
      signed({ ...right, sub: 'system:serviceaccount:default:admin' }),
      401,
    ],
    ['a subject that is no account', signed({ ...right, sub: 'system:admin' }), 401],
    ['the privileged group as a subject', signed({ ...right, sub: 'system:masters' }), 401],
    [
      'another account with the uid of ours',
      signed({
        ...right,
        sub: 'system:serviceaccount:default:admin',
        'kubernetes.io': { ...own, serviceaccount: { ...(own['serviceaccount'] as object), name: 'admin' } },
      }),
      401,
    ],
    [
      'our account with the uid of another',
      signed({ ...right, 'kubernetes.io': { ...own, serviceaccount: { name: 'robot', uid: adminUid } } }),
      401,
    ],
    ['no claims of the maker', signed(without('kubernetes.io')), 401],
    [
      'bound to a pod that never was',
      signed({ ...right, 'kubernetes.io': { ...own, pod: { name: 'ghost', uid: '1' } } }),
      401,
    ],
    [
      'bound to a secret that never was',
      signed({ ...right, 'kubernetes.io': { ...own, secret: { name: 'ghost', uid: '1' } } }),
      401,
    ],
    [
      'bound to a node that never was',
      signed({ ...right, 'kubernetes.io': { ...own, node: { name: 'ghost', uid: '1' } } }),
      401,
    ],
    [
      'a legacy token without its secret',
      signed({
        iss: 'kubernetes/serviceaccount',
        sub: right['sub'],
        'kubernetes.io/serviceaccount/namespace': 'default',
        'kubernetes.io/serviceaccount/secret.name': 'ghost',
        'kubernetes.io/serviceaccount/service-account.name': 'robot',
        'kubernetes.io/serviceaccount/service-account.uid': '1',
      }),
      401,
    ],
    ['a legacy issuer without its claims', signed({ ...right, iss: 'kubernetes/serviceaccount' }), 401],
    ['not JSON', `${header}.${Buffer.from('{').toString('base64url')}.${signature}`, 401],
    ['not base64', `${header}.%%%.${signature}`, 401],
    ['groups that it gives itself', signed({ ...right, groups: ['system:masters'] }), 200],
  ]
  for (const [what, token, status] of rows) {
    const { status: told } = await client.ask('GET /version', undefined, token)
    t.equal(told, status, what)
  }
  const { status } = await client.ask(
    'GET /api/v1/secrets',
    undefined,
    signed({ ...right, groups: ['system:masters'] }),
  )
  t.equal(status, 403, 'groups that a token gives itself do not count')
})
