/** Tokens that somebody might try to get in with: each is refused, and the reason never quotes it. */

import { createHmac, createPublicKey } from 'node:crypto'
import type { JWK } from 'jose'
import t from 'tap'
import { createSigningKey, seconds, signToken } from '../../../support/oidc-provider.ts'
import { createTestAuthority } from '../../../support/tls-service.ts'
import { createBench, outcome } from './oidc-test-bench.ts'

const authority = await createTestAuthority()

function unsigned(header: object, claims: object, signature = ''): string {
  const part = (value: object): string => Buffer.from(JSON.stringify(value)).toString('base64url')
  return `${part(header)}.${part(claims)}.${signature}`
}

function hmac(header: object, claims: object, secret: string | Buffer): string {
  const head = unsigned(header, claims).slice(0, -1)
  return `${head}.${createHmac('sha256', secret).update(head).digest('base64url')}`
}

t.test('the good token, so that the others fail for their own reason', async (t) => {
  const { ready, claims, key } = await createBench(t, authority)
  const answer = await (await ready()).authenticateToken(await signToken(key, claims()))
  t.match(answer, {
    type: 'user',
    user: { name: 'oidc:jane', uid: '', groups: ['oidc:developers', 'system:authenticated'] },
  })
})

t.test('claims that do not hold', async (t) => {
  const { ready, claims, key, clock } = await createBench(t, authority)
  const authenticator = await ready()
  const now = seconds(clock.wallMs())
  const table: readonly (readonly [string, Record<string, unknown>, RegExp])[] = [
    ['for somebody else', { aud: 'other-client' }, /expected audience/],
    ['for several others', { aud: ['a', 'b'] }, /expected audience/],
    ['for nobody', { aud: undefined }, /expected audience/],
    ['an audience that only looks alike', { aud: 'my-client ' }, /expected audience/],
    ['of another issuer', { iss: 'https://evil.example' }, /^none$/],
    ['of the issuer with a slash', { iss: `${claims()['iss']}/` }, /^none$/],
    ['expired a second ago', { exp: now - 1 }, /expired/],
    ['without an end', { exp: undefined }, /no expiry/],
    ['an end that is text', { exp: String(now + 600) }, /no expiry/],
    ['valid in an hour', { nbf: now + 3600 }, /not valid before/],
    ['from when on is no time', { nbf: 'now' }, /nbf/],
    ['without a name', { sub: undefined }, /parse username/],
    ['an empty name', { sub: '' }, /empty/],
    ['a name that is an object', { sub: { name: 'jane' } }, /parse username/],
    ['groups that are numbers', { groups: [1, 2] }, /parse groups/],
    ['groups that are an object', { groups: { admins: true } }, /parse groups/],
  ]
  for (const [what, change, reason] of table)
    t.match(await outcome(authenticator, await signToken(key, claims(change))), reason, what)
  t.equal(
    await outcome(authenticator, await signToken(key, claims({ nbf: now + 120 }))),
    'oidc:jane',
    'clocks differ a little',
  )
  t.equal(
    await outcome(authenticator, await signToken(key, claims({ aud: ['x', 'my-client'] }))),
    'oidc:jane',
  )
})

t.test('algorithms: none, and a public key as a shared secret', async (t) => {
  const { ready, claims, provider } = await createBench(t, authority)
  const rsa = await createSigningKey('rsa', 'RS256')
  provider.publish(rsa)
  const authenticator = await ready()
  const pem = createPublicKey({ key: { ...rsa.jwk }, format: 'jwk' }).export({ type: 'spki', format: 'pem' })
  const der = createPublicKey({ key: { ...rsa.jwk }, format: 'jwk' }).export({ type: 'spki', format: 'der' })
  const secret: JWK = { kty: 'oct', k: Buffer.from('known to all').toString('base64url') }
  const forged: readonly (readonly [string, string])[] = [
    ['none', unsigned({ alg: 'none', kid: 'rsa' }, claims(), 'AA')],
    ['None', unsigned({ alg: 'None' }, claims(), 'AA')],
    ['none without a signature', unsigned({ alg: 'none' }, claims())],
    ['no algorithm', unsigned({ kid: 'rsa' }, claims(), 'AA')],
    ['HS256 with the public key as PEM', hmac({ alg: 'HS256', kid: 'rsa' }, claims(), pem)],
    ['HS256 with the public key as DER', hmac({ alg: 'HS256', kid: 'rsa' }, claims(), der)],
    ['HS256 with the modulus', hmac({ alg: 'HS256', kid: 'rsa' }, claims(), rsa.jwk.n ?? '')],
    ['a key of its own in the header', hmac({ alg: 'HS256', jwk: secret }, claims(), 'known to all')],
    ['an algorithm that is not accepted', await signToken(await createSigningKey('rsa', 'RS512'), claims())],
    [
      'a signature of zeros',
      unsigned({ alg: 'ES256', kid: 'rsa' }, claims(), Buffer.alloc(64).toString('base64url')),
    ],
  ]
  for (const [what, token] of forged) {
    const answer = await authenticator.authenticateToken(token)
    t.not(answer.type, 'user', what)
    if (answer.type === 'refused')
      t.notOk(
        token.split('.').some((part) => part.length > 4 && answer.reason?.includes(part)),
        `${what}: says nothing of the token`,
      )
  }
  t.equal(await outcome(authenticator, await signToken(rsa, claims())), 'oidc:jane')
})

t.test('shared secrets among the keys of the provider are no keys', async (t) => {
  const { ready, claims, provider, key } = await createBench(t, authority)
  const secret = 'a secret that the provider has published by mistake'
  provider.publish(key, {
    ...key,
    kid: 'oct',
    jwk: { kty: 'oct', kid: 'oct', alg: 'HS256', k: Buffer.from(secret).toString('base64url') },
  })
  const authenticator = await ready({ algorithms: ['RS256', 'ES256'] })
  t.match(await outcome(authenticator, hmac({ alg: 'HS256', kid: 'oct' }, claims(), secret)), /not accepted/)
})

t.test('key ids are looked up among keys, never followed', async (t) => {
  const { ready, claims, provider, clock } = await createBench(t, authority)
  const authenticator = await ready()
  const stranger = await createSigningKey('stranger')
  const ids = [
    '../../../../etc/passwd',
    '/dev/null',
    `${provider.url}/evil-keys`,
    "first' or '1'='1",
    '__proto__',
    'constructor',
    '',
    'x'.repeat(60_000),
  ]
  for (const kid of ids) {
    clock.advance(60_000)
    t.match(
      await outcome(authenticator, await signToken(stranger, claims(), { kid })),
      /no key|signature/,
      kid.slice(0, 30),
    )
  }
  clock.advance(60_000)
  const headers = { jku: `${provider.url}/evil-keys`, x5u: `${provider.url}/evil-keys`, jwk: stranger.jwk }
  t.match(
    await outcome(authenticator, await signToken(stranger, claims(), { ...headers, kid: 'first' })),
    /signature/,
  )
  const known = new Set(['GET /.well-known/openid-configuration', 'GET /keys'])
  t.same(
    provider.service.seen.filter((line) => !known.has(line)),
    [],
    'nothing else was asked for',
  )
})

t.test('tokens that are no tokens', async (t) => {
  const { ready, claims, key } = await createBench(t, authority)
  const authenticator = await ready()
  const good = await signToken(key, claims())
  const [head = '', body = '', signature = ''] = good.split('.')
  const junk = [
    '',
    '.',
    '..',
    '...',
    'a.b',
    `${good}.x`,
    `${head}..${signature}`,
    `${head}.${body}`,
    `${head}.${body}.`,
    `${head}.!!!.${signature}`,
  ]
  for (const token of junk)
    t.not((await authenticator.authenticateToken(token)).type, 'user', token.slice(0, 20))
  const other = Buffer.from(JSON.stringify(claims({ sub: 'root' }))).toString('base64url')
  t.match(await outcome(authenticator, `${head}.${other}.${signature}`), /signature/, 'another payload')
  t.equal(await outcome(authenticator, good), 'oidc:jane')
})

t.test('a provider cannot make up what is reserved for the system', async (t) => {
  const { ready, claims, key } = await createBench(t, authority)
  const bare = await ready({
    username: { type: 'claim', claim: 'sub', prefix: '' },
    groups: { type: 'claim', claim: 'groups', prefix: '' },
  })
  const answer = await bare.authenticateToken(
    await signToken(key, claims({ groups: ['system:masters', 'developers', 'system:nodes'] })),
  )
  t.same(answer.type === 'user' ? answer.user.groups : [], ['developers', 'system:authenticated'])
  for (const sub of ['system:admin', 'system:serviceaccount:kube-system:default', 'system:node:n1'])
    t.match(await outcome(bare, await signToken(key, claims({ sub }))), /reserved/, sub)
  const prefixed = await ready()
  const behind = await prefixed.authenticateToken(
    await signToken(key, claims({ groups: ['system:masters'] })),
  )
  t.same(behind.type === 'user' ? behind.user.groups : [], ['oidc:system:masters', 'system:authenticated'])
})

t.test('an address counts only when the provider has verified it', async (t) => {
  const { ready, claims, key } = await createBench(t, authority)
  const authenticator = await ready({ username: { type: 'claim', claim: 'email', prefix: '' } })
  const email = 'jane@example.com'
  const table: readonly (readonly [Record<string, unknown>, RegExp])[] = [
    [{ email }, /^jane@example.com$/],
    [{ email, email_verified: true }, /^jane@example.com$/],
    [{ email, email_verified: false }, /not verified/],
    [{ email, email_verified: 'true' }, /not verified/],
  ]
  for (const [change, expected] of table)
    t.match(
      await outcome(authenticator, await signToken(key, claims(change))),
      expected,
      JSON.stringify(change),
    )
})
