/** Source: specification, "Bootstrap tokens". */

import { createHmac } from 'node:crypto'
import t from 'tap'
import { bootstrapTokenOf, splitBootstrapToken } from '../../../src/authn/bootstrap-token-secret.ts'
import { detachedSignature } from '../../../src/controllers/bootstrap-signature.ts'
import { createNames, type DialectName } from '../../../src/names/names.ts'
import { eventually } from '../../support/eventually.ts'
import { tokenClient } from '../authn/token-client.ts'

const secrets = '/api/v1/namespaces/kube-system/secrets'
const [id, secret] = ['abcdef', '0123456789abcdef']
const token = `${id}.${secret}`

type Data = Readonly<Record<string, string>>

function tokenSecret(data: Data, more: object = {}): object {
  const all = { 'token-id': id, 'token-secret': secret, 'usage-bootstrap-authentication': 'true', ...data }
  return {
    metadata: { name: `bootstrap-token-${id}` },
    type: 'bootstrap.kubernetes.io/token',
    stringData: all,
    ...more,
  }
}

function inSeconds(seconds: number): string {
  return new Date(Date.now() + seconds * 1000).toISOString()
}

t.test('(secret × token → who it is)', async (t) => {
  const client = await tokenClient(t, { bootstrapTokens: true })
  for (const [what, kept, sent, groups] of [
    ['as it should be', {}, token, []],
    [
      'with more groups',
      { 'auth-extra-groups': 'system:bootstrappers:a:b,system:bootstrappers:c' },
      token,
      ['system:bootstrappers:a:b', 'system:bootstrappers:c'],
    ],
    ['not yet expired', { expiration: inSeconds(100) }, token, []],
    ['expired', { expiration: inSeconds(-1) }, token, undefined],
    ['expires at no time', { expiration: 'tomorrow' }, token, undefined],
    ['another secret', {}, `${id}.0123456789abcdee`, undefined],
    ['the id alone', {}, `${id}.`, undefined],
    ['in capitals', {}, token.toUpperCase(), undefined],
    ['longer', {}, `${token}0`, undefined],
    ['not for authentication', { 'usage-bootstrap-authentication': 'false' }, token, undefined],
    ['for authentication in other letters', { 'usage-bootstrap-authentication': 'TRUE' }, token, undefined],
    ['the id of another', { 'token-id': 'bcdefg' }, token, undefined],
    ['without a secret', { 'token-secret': '' }, `${id}.${' '.repeat(16)}`, undefined],
    ['a group that is not of them', { 'auth-extra-groups': 'system:masters' }, token, undefined],
    ['one of two groups', { 'auth-extra-groups': 'system:bootstrappers:a,system:masters' }, token, undefined],
    ['a group that begins like one', { 'auth-extra-groups': 'system:bootstrappersx' }, token, undefined],
  ] as const) {
    const ask = (text: string) =>
      client.ask('POST /apis/authentication.k8s.io/v1/selfsubjectreviews', {}, text)
    await client.must(`POST ${secrets}`, tokenSecret(groups === undefined ? {} : kept))
    await eventually('the token to be known', async () => (await ask(token)).status === 201)
    if (groups === undefined && Object.keys(kept).length > 0) {
      await client.must(`PATCH ${secrets}/bootstrap-token-${id}`, { stringData: kept })
      await eventually(what, async () => (await ask(sent)).status === 401)
    }
    const told = await ask(sent)
    t.equal(told.status, groups === undefined ? 401 : 201, what)
    if (groups !== undefined)
      t.same((told.body as object as { status: object }).status, {
        userInfo: {
          username: `system:bootstrap:${id}`,
          groups: ['system:bootstrappers', ...groups, 'system:authenticated'],
        },
      })
    await client.must(`DELETE ${secrets}/bootstrap-token-${id}`)
    await eventually('the token to end with its secret', async () => (await ask(token)).status === 401)
  }
})

t.test('a secret of another type, name or place is none', async (t) => {
  const client = await tokenClient(t, { bootstrapTokens: true })
  await client.must(`POST ${secrets}`, tokenSecret({}, { type: 'Opaque' }))
  await client.must('POST /api/v1/namespaces/default/secrets', tokenSecret({}))
  await client.must(`POST ${secrets}`, tokenSecret({}, { metadata: { name: 'bootstrap-token-abcde' } }))
  const good = { 'token-id': 'behind' }
  await client.must(`POST ${secrets}`, tokenSecret(good, { metadata: { name: 'bootstrap-token-behind' } }))
  const status = async (text: string) => (await client.ask('GET /version', undefined, text)).status
  await eventually('a later one to count', async () => (await status(`behind.${secret}`)) === 200)
  t.equal(await status(token), 401)
})

t.test('they count only where that is asked for', async (t) => {
  const client = await tokenClient(t, {})
  await client.must(`POST ${secrets}`, tokenSecret({}))
  t.equal((await client.ask('GET /version', undefined, token)).status, 401)
})

t.test('the cleaner deletes what has expired, when it does', async (t) => {
  const client = await tokenClient(t, { selectedControllers: ['*', 'tokencleaner'] })
  const status = async (name: string) => (await client.ask(`GET ${secrets}/bootstrap-token-${name}`)).status
  const named = (name: string, expiration: string) =>
    tokenSecret({ 'token-id': name, expiration }, { metadata: { name: `bootstrap-token-${name}` } })
  await client.must(`POST ${secrets}`, named('expire', inSeconds(-10)))
  await client.must(`POST ${secrets}`, named('shortl', inSeconds(1)))
  await client.must(`POST ${secrets}`, named('lasts1', inSeconds(1000)))
  await client.must(`POST ${secrets}`, tokenSecret({}))
  await eventually('the expired one to go', async () => (await status('expire')) === 404)
  await eventually('the other to go in its time', async () => (await status('shortl')) === 404)
  t.same([await status('lasts1'), await status(id)], [200, 200])
})

t.test('the signer signs what everybody may read', async (t) => {
  const client = await tokenClient(t, { selectedControllers: ['*', 'bootstrapsigner'] })
  const info = '/api/v1/namespaces/kube-public/configmaps/cluster-info'
  const data = async () => ((await client.must(`GET ${info}`)) as object as { data: Data }).data
  const signatures = async () => Object.keys(await data()).filter((key) => key.startsWith('jws-'))
  const until = (what: string, ...ids: readonly string[]) =>
    eventually(
      what,
      async () => (await signatures()).join() === ids.map((one) => `jws-kubeconfig-${one}`).join(),
    )
  await client.must('POST /api/v1/namespaces/kube-public/configmaps', {
    metadata: { name: 'cluster-info' },
    data: { kubeconfig: 'apiVersion: v1\n', 'jws-kubeconfig-forged': 'x', other: 'stays' },
  })
  await until('the signature of nobody to go')
  await client.must(`POST ${secrets}`, tokenSecret({ 'usage-bootstrap-signing': 'true' }))
  await until('the signature', id)
  const first = (await data())[`jws-kubeconfig-${id}`] ?? ''
  t.equal(first, detachedSignature('apiVersion: v1\n', { id, secret }, 'kubernetes'))
  await client.must(`PATCH ${info}`, { data: { kubeconfig: 'apiVersion: v2\n' } })
  await eventually(
    'a signature of the new text',
    async () => (await data())[`jws-kubeconfig-${id}`] !== first,
  )
  t.equal((await data())['other'], 'stays')
  await client.must(`PATCH ${secrets}/bootstrap-token-${id}`, {
    stringData: { 'usage-bootstrap-signing': 'false' },
  })
  await until('the signature to go with the right to sign')
  await client.must(`PATCH ${secrets}/bootstrap-token-${id}`, {
    stringData: { 'usage-bootstrap-signing': 'true', expiration: inSeconds(2) },
  })
  await until('it to be back', id)
  await until('it to go when the token expires')
})

t.test('the signature, verified as RFC 7515 says', (t) => {
  const content = 'kubeconfig: ä\n'
  for (const [dialect, key] of [
    ['cluster', token],
    ['kubernetes', secret],
  ] as const satisfies readonly (readonly [DialectName, string])[]) {
    const signature = detachedSignature(content, { id, secret }, dialect)
    const [header = '', empty, mac] = signature.split('.')
    t.same(JSON.parse(Buffer.from(header, 'base64url').toString()), { alg: 'HS256', kid: id })
    t.equal(empty, '')
    const whole = `${header}.${Buffer.from(content).toString('base64').replaceAll('=', '').replaceAll('+', '-').replaceAll('/', '_')}`
    t.equal(mac, createHmac('sha256', key).update(whole).digest('base64url'), dialect)
  }
  t.end()
})

t.test('the form of a token', (t) => {
  t.same(splitBootstrapToken(token), { id, secret })
  for (const text of ['', '.', token.slice(1), `${token}x`, token.toUpperCase(), ` ${token}`, `${token}\n`])
    t.equal(splitBootstrapToken(text), undefined, JSON.stringify(text))
  t.equal(
    bootstrapTokenOf({ apiVersion: 'v1', kind: 'Secret', metadata: {} }, createNames('cluster')),
    undefined,
  )
  t.end()
})
