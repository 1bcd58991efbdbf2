/** The life of a provider: dead at the start, keys that rotate, dead later, lying. */

import t from 'tap'
import { eventually } from '../../../support/eventually.ts'
import { createSigningKey, seconds, signToken } from '../../../support/oidc-provider.ts'
import { createTestAuthority, sendJson } from '../../../support/tls-service.ts'
import { createBench, outcome } from './oidc-test-bench.ts'

const authority = await createTestAuthority()

t.test('a provider that is dead at the start: 401 until it lives', async (t) => {
  const { provider, authenticator, claims, key, clock } = await createBench(t, authority)
  await provider.service.stop()
  const oidc = authenticator()
  oidc.start()
  t.match(await outcome(oidc, await signToken(key, claims())), /not initialized/)
  await eventually('the first attempt to fail', () => clock.pending > 0)
  await provider.service.restart()
  clock.advance(10_000)
  await oidc.whenReady()
  t.equal(await outcome(oidc, await signToken(key, claims())), 'oidc:jane')
})

t.test('no call for each token, and none for a token of somebody else', async (t) => {
  const { provider, ready, claims, key } = await createBench(t, authority)
  const oidc = await ready()
  for (let at = 0; at < 20; at++) await outcome(oidc, await signToken(key, claims()))
  for (let at = 0; at < 20; at++) await outcome(oidc, await signToken(key, claims({ iss: 'https://other' })))
  t.equal(provider.keyFetches(), 1)
})

t.test('keys that rotate', async (t) => {
  const { provider, ready, claims, key, clock } = await createBench(t, authority)
  const oidc = await ready()
  t.equal(await outcome(oidc, await signToken(key, claims())), 'oidc:jane')
  const second = await createSigningKey('second')
  provider.publish(second)
  clock.advance(10_000)
  t.equal(
    await outcome(oidc, await signToken(second, claims())),
    'oidc:jane',
    'a new key id: the keys are fetched',
  )
  t.equal(provider.keyFetches(), 2)
  t.match(await outcome(oidc, await signToken(key, claims())), /no key/, 'the old key is gone')
  const renewed = { ...(await createSigningKey('second')), kid: 'second' }
  provider.publish(renewed)
  clock.advance(10_000)
  t.equal(await outcome(oidc, await signToken(renewed, claims())), 'oidc:jane', 'another key of the same id')
})

t.test('tokens with unknown keys cannot make the server ask and ask', async (t) => {
  const { provider, ready, claims, clock } = await createBench(t, authority)
  const oidc = await ready()
  const stranger = await createSigningKey('stranger')
  clock.advance(10_000)
  const flood = Array.from({ length: 50 }, async (_, at) =>
    outcome(oidc, await signToken(stranger, claims(), { kid: `made-up-${at}` })),
  )
  for (const answer of await Promise.all(flood)) t.match(answer, /no key/)
  t.equal(provider.keyFetches(), 2, 'one fetch for all of them')
})

t.test('keys that are known count while the provider is dead', async (t) => {
  const { provider, ready, claims, key, clock } = await createBench(t, authority)
  const oidc = await ready()
  t.equal(await outcome(oidc, await signToken(key, claims())), 'oidc:jane')
  await provider.service.stop()
  clock.advance(3_600_000)
  t.equal(await outcome(oidc, await signToken(key, claims())), 'oidc:jane')
  t.match(await outcome(oidc, await signToken(await createSigningKey('x'), claims())), /no key/)
})

t.test('a key that was withdrawn stops counting within the hour', async (t) => {
  const { provider, ready, claims, key, clock } = await createBench(t, authority)
  const oidc = await ready()
  t.equal(await outcome(oidc, await signToken(key, claims())), 'oidc:jane')
  provider.publish(await createSigningKey('second'))
  clock.advance(3_600_000)
  await outcome(oidc, await signToken(key, claims()))
  await eventually('the keys to be fetched anew', async () =>
    /no key/.test(await outcome(oidc, await signToken(key, claims()))),
  )
})

t.test('tokens without a key id are tried with every key', async (t) => {
  const { provider, ready, claims, key } = await createBench(t, authority)
  const second = await createSigningKey('second')
  provider.publish(second, key)
  const oidc = await ready()
  t.equal(await outcome(oidc, await signToken(key, claims(), { kid: undefined })), 'oidc:jane')
  const stranger = await createSigningKey('stranger')
  t.match(await outcome(oidc, await signToken(stranger, claims(), { kid: undefined })), /signature/)
})

t.test('a good token is remembered, but not beyond its end', async (t) => {
  const { ready, claims, key, clock } = await createBench(t, authority)
  const oidc = await ready()
  const token = await signToken(key, claims({ exp: seconds(clock.wallMs()) + 5 }))
  t.equal(await outcome(oidc, token), 'oidc:jane')
  clock.advance(4_000)
  t.equal(await outcome(oidc, token), 'oidc:jane')
  clock.advance(2_000)
  t.match(await outcome(oidc, token), /expired/)
})

t.test('discovery that lies is not believed', async (t) => {
  const { provider, authenticator, claims, key, clock } = await createBench(t, authority)
  const oidc = authenticator()
  const lies: readonly (readonly [string, unknown, number])[] = [
    ['another issuer', { issuer: 'https://evil.example', jwks_uri: `${provider.url}/keys` }, 200],
    ['keys without TLS', { issuer: provider.url, jwks_uri: provider.url.replace('https', 'http') }, 200],
    ['no address of keys', { issuer: provider.url }, 200],
    ['no object', ['x'], 200],
    ['a failure', { issuer: provider.url, jwks_uri: `${provider.url}/keys` }, 500],
  ]
  let asked = 0
  oidc.start()
  for (const [what, document, status] of lies) {
    provider.discovery((response) => {
      asked++
      sendJson(response, document, status)
    })
    const before = asked
    if (before > 0) clock.advance(10_000)
    await eventually(what, () => asked > before)
    await eventually('the attempt to end', () => clock.pending > 0)
    t.match(await outcome(oidc, await signToken(key, claims())), /not initialized/, what)
  }
  t.equal(provider.keyFetches(), 0)
})

t.test('a provider behind a certificate of somebody else is not asked for anything', async (t) => {
  const { provider, authenticator, clock } = await createBench(t, authority)
  const stranger = await createTestAuthority('stranger')
  const oidc = authenticator({ certificateAuthority: stranger.ca.certificate })
  oidc.start()
  await eventually('the attempt to fail', () => clock.pending > 0)
  t.same(provider.service.seen, [])
})

t.test('redirects lead nowhere else', async (t) => {
  const { provider, authenticator, clock } = await createBench(t, authority)
  const other = await createBench(t, authority)
  provider.discovery((response) => {
    response.writeHead(302, { location: `${other.provider.url}/.well-known/openid-configuration` })
    response.end()
  })
  const oidc = authenticator()
  oidc.start()
  await eventually('the attempt to fail', () => clock.pending > 0)
  t.same(other.provider.service.seen, [])
})

t.test('a discovery URL of its own, answering for the issuer', async (t) => {
  const { provider, ready, claims, key } = await createBench(t, authority)
  provider.route('/elsewhere', (response) =>
    sendJson(response, { issuer: 'https://issuer.example', jwks_uri: `${provider.url}/keys` }),
  )
  const oidc = await ready({ issuer: 'https://issuer.example', discoveryUrl: `${provider.url}/elsewhere` })
  t.equal(await outcome(oidc, await signToken(key, claims({ iss: 'https://issuer.example' }))), 'oidc:jane')
})

t.test('groups that are at another place', async (t) => {
  const { ready, claims, key } = await createBench(t, authority)
  const other = await createBench(t, authority)
  const oidc = await ready()
  const inside = { ...other.claims({ groups: ['far-away'] }), iss: other.provider.url }
  const elsewhere = await signToken(other.key, inside)
  other.provider.route('/groups', (response, authorization) => {
    response.writeHead(authorization === 'Bearer access' ? 200 : 403)
    response.end(elsewhere)
  })
  const distributed = (endpoint: string, token: string) => ({
    groups: undefined,
    _claim_names: { groups: 'src1' },
    _claim_sources: { src1: { endpoint, access_token: token } },
  })
  const good = await oidc.authenticateToken(
    await signToken(key, claims(distributed(`${other.provider.url}/groups`, 'access'))),
  )
  t.same(good.type === 'user' ? good.user.groups : good, ['oidc:far-away', 'system:authenticated'])
  const table: readonly (readonly [string, Record<string, unknown>, RegExp])[] = [
    ['no access', distributed(`${other.provider.url}/groups`, 'wrong'), /403/],
    ['nothing there', distributed('https://localhost:1/groups', 'access'), /reached/],
    ['not TLS', distributed('http://localhost:1/groups', 'access'), /not https/],
    ['no source', { groups: undefined, _claim_names: { groups: 'src1' } }, /lacks/],
  ]
  for (const [what, change, reason] of table)
    t.match(await outcome(oidc, await signToken(key, claims(change))), reason, what)
})

t.test('what is counted', async (t) => {
  const { ready, claims, key, metrics } = await createBench(t, authority)
  const oidc = await ready()
  const token = await signToken(key, claims())
  for (let at = 0; at < 3; at++) await outcome(oidc, token)
  await outcome(oidc, await signToken(key, claims({ aud: 'x' })))
  const counts = [
    ...metrics.text().matchAll(/_count\{jwt_issuer_hash="sha256:[0-9a-f]{64}",result="(\w+)"\} (\d)/g),
  ]
  t.same(
    counts.map(([, result, count]) => `${result} ${count}`),
    ['success 1', 'failure 1'],
  )
})
