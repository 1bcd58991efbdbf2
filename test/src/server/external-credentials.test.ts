/**
 * Credential × request → status, with every method that rests on others switched on at once: what somebody who guards
 * the door would write down. One credential that is bad beside one that is good does no harm, and no good.
 */

import t from 'tap'
import { openExternalAccess } from '../../../src/config/external-access.ts'
import { createNames } from '../../../src/names/names.ts'
import { silentLog } from '../../../src/observe/log.ts'
import type { PeerCertificate } from '../../../src/pipeline/exchange.ts'
import { eventually } from '../../support/eventually.ts'
import { exchangeWith } from '../../support/fake-exchange.ts'
import { adminToken, startInProcess, userToken } from '../../support/in-process-server.ts'
import { liveClock } from '../../support/live-clock.ts'
import { createSigningKey, seconds, signToken, startOidcProvider } from '../../support/oidc-provider.ts'
import { kubeconfigTo } from '../../support/service-files.ts'
import { createTestAuthority, outsideWith, sendJson, startTlsService } from '../../support/tls-service.ts'

const authority = await createTestAuthority()
const key = await createSigningKey('key')
const stranger = await createSigningKey('key')

function certificate(commonName: string, ...organizations: readonly string[]): PeerCertificate {
  return { commonName, organizations, fingerprint256: `${commonName}/${organizations.join()}`, untilMs: 0 }
}

/** Statuses of: health, version, discovery, a question about oneself, all secrets. */
const anonymous = '200 200 403 403 403'
const nobody = '401 401 401 401 401'
const known = '200 200 200 201 403'
const everything = '200 200 200 201 200'

t.test('who may do what', async (t) => {
  const provider = await startOidcProvider(t, authority)
  provider.publish(key)
  const hook = await startTlsService(t, authority, (_, response, body) => {
    const { apiVersion, kind, spec } = JSON.parse(body)
    if (spec.token === 'breaks') return sendJson(response, { kind })
    const groups = spec.token === 'of-the-hook-admin' ? ['system:masters'] : []
    const authenticated = String(spec.token).startsWith('of-the-hook')
    sendJson(response, { apiVersion, kind, status: { authenticated, user: { username: 'hooked', groups } } })
  })
  const kubeconfig = kubeconfigTo(hook.url, { 'certificate-authority': '/ca' })
  const external = await openExternalAccess(
    {
      oidc: {
        issuerUrl: provider.url,
        clientId: 'me',
        usernameClaim: 'sub',
        usernamePrefix: '-',
        groupsClaim: 'groups',
        groupsPrefix: '',
        requiredClaims: new Map(),
        signingAlgorithms: ['ES256'],
        caFile: '/ca',
      },
      tokenWebhook: { configFile: '/hook', version: 'v1', cacheTtlMs: 60_000 },
      requestHeader: {
        allowedNames: ['proxy'],
        usernameHeaders: ['X-Remote-User'],
        groupHeaders: ['X-Remote-Group'],
        extraPrefixes: [],
      },
    },
    {
      outside: outsideWith(
        new Map([
          ['/ca', authority.ca.certificate],
          ['/hook', kubeconfig],
        ]),
      ),
      names: createNames('kubernetes'),
      clock: liveClock,
      log: silentLog,
      fraction: () => 0,
      disallowedIssuers: [],
      apiAudiences: [],
      serverIdHash: '',
    },
  )
  if (!external.ok) throw new Error(external.failure)
  const server = await startInProcess({ options: { external: external.value } })
  t.teardown(() => server.close())
  const claims = { iss: provider.url, aud: 'me', sub: 'jane', exp: seconds(Date.now()) + 600 }
  const bearer = (token: string) => ({ headers: { authorization: `Bearer ${token}` } })
  const oidc = async (more: object = {}, by = key) => bearer(await signToken(by, { ...claims, ...more }))
  const behindProxy = { 'x-remote-user': 'jane', 'x-remote-group': 'system:masters' }
  const proxy = { proxyCertificate: certificate('proxy') }

  const line = async (credential: object): Promise<string> => {
    const requests = [
      ['GET', '/healthz'],
      ['GET', '/version'],
      ['GET', '/api'],
      ['POST', '/apis/authentication.k8s.io/v1/selfsubjectreviews'],
      ['GET', '/api/v1/secrets'],
    ] as const
    const statuses = requests.map(async ([method, target]) => {
      const review = { apiVersion: 'authentication.k8s.io/v1', kind: 'SelfSubjectReview' }
      const body = method === 'POST' ? { body: Buffer.from(JSON.stringify(review)) } : {}
      return (await exchangeWith(server.api.handler, { method, target, ...body, ...credential }).answered)
        .status
    })
    return (await Promise.all(statuses)).join(' ')
  }
  const good = await oidc()
  await eventually('the provider to be found', async () => (await line(good)) !== nobody)

  const table: readonly (readonly [string, object, string])[] = [
    ['nothing', {}, anonymous],
    ['another scheme', { headers: { authorization: 'Basic YTpi' } }, anonymous],
    ['headers of a proxy without its certificate', { headers: behindProxy }, anonymous],
    ['a wrong token', bearer('wrong'), nobody],
    [
      'a wrong token and headers of a proxy',
      { headers: { ...behindProxy, authorization: 'Bearer wrong' } },
      nobody,
    ],
    ['a user’s token', bearer(userToken), known],
    ['the administrator’s token', bearer(adminToken), everything],
    ['a token of the provider', good, known],
    ['one whose groups say more than a provider may', await oidc({ groups: ['system:masters'] }), known],
    ['one whose name says so', await oidc({ sub: 'system:admin' }), nobody],
    ['one for others', await oidc({ aud: 'other' }), nobody],
    ['one that is over', await oidc({ exp: 1 }), nobody],
    ['one of another issuer', await oidc({ iss: 'https://other.example' }), nobody],
    ['one that others signed', await oidc({}, stranger), nobody],
    ['a token that the webhook knows', bearer('of-the-hook'), known],
    ['one that the webhook takes for an administrator’s', bearer('of-the-hook-admin'), everything],
    ['a proxy’s certificate and headers', { ...proxy, headers: behindProxy }, everything],
    ['a proxy’s certificate alone', proxy, nobody],
    [
      'a certificate of the proxies’ CA with another name',
      { proxyCertificate: certificate('x'), headers: behindProxy },
      nobody,
    ],
    ['a client’s certificate', { certificate: certificate('jane', 'dev') }, known],
    [
      'a client’s certificate and a wrong token',
      { certificate: certificate('jane'), ...bearer('wrong') },
      known,
    ],
    [
      'a client’s certificate and headers of a proxy',
      { certificate: certificate('jane'), headers: behindProxy },
      known,
    ],
    ['a proxy’s certificate alone and a good token', { ...proxy, ...bearer(userToken) }, known],
    ['an administrator’s certificate', { certificate: certificate('root', 'system:masters') }, everything],
  ]
  for (const [what, credential, statuses] of table) t.equal(await line(credential), statuses, what)
  t.equal(await line(bearer('breaks')), nobody, 'a token at which the webhook breaks')
  t.equal(await line(bearer(userToken)), known, 'and everything else goes on')
})
