/** Real processes that rest on others: an OpenID provider, webhooks, a proxy, named by flags and by files. */

import { spawnSync } from 'node:child_process'
import { randomUUID } from 'node:crypto'
import { writeFileSync } from 'node:fs'
import { Agent, request } from 'node:https'
import { join } from 'node:path'
import t from 'tap'
import type { JsonObject } from '../../src/json.ts'
import { root } from '../house/sources.ts'
import { eventually } from '../support/eventually.ts'
import { createSigningKey, seconds, signToken, startOidcProvider } from '../support/oidc-provider.ts'
import { type ServerProcess, startServerProcess, temporaryDirectory } from '../support/server-process.ts'
import { authorizationConfiguration, kubeconfigTo, webhookAuthorizer } from '../support/service-files.ts'
import {
  createTestAuthority,
  type ServiceHandler,
  sendJson,
  startTlsService,
  validNow,
} from '../support/tls-service.ts'

const authority = await createTestAuthority()
const proxies = await createTestAuthority('proxies')
const key = await createSigningKey('key', 'RS256')

interface Asking {
  readonly token?: string
  readonly body?: object
  readonly headers?: Readonly<Record<string, string>>
  readonly agent?: Agent
}

interface Answer {
  readonly status: number
  readonly text: string
}

function ask(
  server: ServerProcess,
  path: string,
  { token, body, headers, agent }: Asking = {},
): Promise<Answer> {
  return new Promise((resolve, reject) => {
    const sent = request(
      {
        host: '127.0.0.1',
        port: server.port,
        path,
        method: body === undefined ? 'GET' : 'POST',
        agent: agent ?? new Agent({ rejectUnauthorized: false }),
        headers: {
          'content-type': 'application/json',
          ...(token === undefined ? {} : { authorization: `Bearer ${token}` }),
          ...headers,
        },
      },
      (answer) => {
        let text = ''
        answer.on('data', (chunk: Buffer) => {
          text += chunk.toString()
        })
        answer.on('end', () => resolve({ status: answer.statusCode ?? 0, text }))
      },
    )
    sent.on('error', reject)
    sent.end(body === undefined ? undefined : JSON.stringify(body))
  })
}

const self = '/apis/authentication.k8s.io/v1/selfsubjectreviews'
const review = { apiVersion: 'authentication.k8s.io/v1', kind: 'SelfSubjectReview' }

/** Status, and the user whom the server sees. */
async function whoAmI(server: ServerProcess, asking: Asking): Promise<string> {
  const { status, text } = await ask(server, self, { ...asking, body: review })
  return `${status} ${JSON.parse(text).status?.userInfo?.username ?? ''}`.trim()
}

const kubeconfig = (url: string) => kubeconfigTo(url, { 'certificate-authority': 'ca.pem' })

const judgeToken: ServiceHandler = (_, response, body) => {
  const asked = JSON.parse(body)
  const status =
    asked.spec.token === 'good-webhook-token'
      ? { authenticated: true, user: { username: 'hooked', groups: ['from-hook'] } }
      : { authenticated: false }
  sendJson(response, { apiVersion: asked.apiVersion, kind: asked.kind, status })
}

const judgeAccess: ServiceHandler = (_, response, body) => {
  const { apiVersion, kind, spec } = JSON.parse(body)
  const allowed = spec.user === 'hooked' && spec.nonResourceAttributes?.path === '/metrics'
  sendJson(response, { apiVersion, kind, status: { allowed } })
}

t.test('by flags', async (t) => {
  const files = temporaryDirectory(t)
  const file = (name: string, text: string): string => {
    writeFileSync(join(files, name), text)
    return join(files, name)
  }
  const ca = file('ca.pem', authority.ca.certificate)
  const proxyCa = file('proxy-ca.pem', proxies.ca.certificate)
  const provider = await startOidcProvider(t, authority)
  provider.publish(key)
  await provider.service.stop()
  const tokens = await startTlsService(t, authority, judgeToken)
  const access = await startTlsService(t, authority, judgeAccess)
  const server = await startServerProcess(t, {
    args: [
      ...['--workers', '1', '--log-level', 'debug', '--log-format', 'json'],
      ...['--oidc-issuer-url', provider.url, '--oidc-client-id', 'me', '--oidc-ca-file', ca],
      ...[
        '--oidc-username-prefix',
        'oidc:',
        '--oidc-groups-claim',
        'groups',
        '--oidc-required-claim',
        'hd=example',
      ],
      ...['--authentication-token-webhook-config-file', file('tokens.yaml', kubeconfig(tokens.url))],
      ...['--authorization-mode', 'Node,RBAC,Webhook'],
      ...['--authorization-webhook-config-file', file('access.yaml', kubeconfig(access.url))],
      ...['--authorization-webhook-version', 'v1'],
      ...['--requestheader-client-ca-file', proxyCa, '--requestheader-allowed-names', 'front-proxy'],
      ...[
        '--requestheader-username-headers',
        'X-Remote-User',
        '--requestheader-group-headers',
        'X-Remote-Group',
      ],
    ],
  })
  const token = (claims: object = {}): Promise<string> =>
    signToken(key, {
      iss: provider.url,
      aud: 'me',
      sub: 'jane',
      hd: 'example',
      groups: ['dev'],
      jti: randomUUID(),
      exp: seconds(Date.now()) + 600,
      ...claims,
    })
  const good = await token()

  t.equal(
    await whoAmI(server, { token: good }),
    '401',
    'the provider is dead: the server lives, its tokens do not count',
  )
  await provider.service.restart()
  await eventually(
    'the provider to be found',
    async () => (await whoAmI(server, { token: good })) === '201 oidc:jane',
  )
  t.equal(await whoAmI(server, { token: await token({ hd: 'evil' }) }), '401')
  t.equal(await whoAmI(server, { token: await token({ exp: 1 }) }), '401')

  t.equal(await whoAmI(server, { token: 'good-webhook-token' }), '201 hooked')
  t.equal(await whoAmI(server, { token: 'bad-webhook-token' }), '401')
  t.equal(await whoAmI(server, {}), '403', 'without a token: anonymous')

  t.equal(
    (await ask(server, '/metrics', { token: 'good-webhook-token' })).status,
    200,
    'the webhook allows it',
  )
  t.equal((await ask(server, '/metrics', { token: good })).status, 403)
  t.match(
    (await ask(server, '/metrics', { token: 'good-webhook-token' })).text,
    /apiserver_authorization_webhook_evaluations_total\{name="default",result="success"\} \d/,
  )

  const proxy = await proxies.issuer.client(
    proxies.ca,
    { commonName: 'front-proxy', organizations: [] },
    validNow(),
  )
  const agent = new Agent({ rejectUnauthorized: false, cert: proxy.certificate, key: proxy.privateKey })
  t.equal(await whoAmI(server, { agent, headers: { 'X-Remote-User': 'behind' } }), '201 behind')
  t.equal(await whoAmI(server, { agent }), '401')
  t.equal(await whoAmI(server, { headers: { 'X-Remote-User': 'behind' } }), '403')

  const masters = { 'X-Remote-User': 'root', 'X-Remote-Group': 'system:masters' }
  const path = '/api/v1/namespaces/kube-system/configmaps/extension-apiserver-authentication'
  await eventually(
    'the config map',
    async () => (await ask(server, path, { agent, headers: masters })).status === 200,
  )
  const { data } = JSON.parse((await ask(server, path, { agent, headers: masters })).text)
  t.match(data, {
    'client-ca-file': /^-----BEGIN CERTIFICATE-----/,
    'requestheader-client-ca-file': proxies.ca.certificate.trim(),
    'requestheader-allowed-names': '["front-proxy"]',
    'requestheader-username-headers': '["X-Remote-User"]',
    'requestheader-group-headers': '["X-Remote-Group"]',
    'requestheader-extra-headers-prefix': '[]',
  })

  const asked = await ask(server, '/apis/authentication.k8s.io/v1/tokenreviews', {
    agent,
    headers: masters,
    body: { apiVersion: 'authentication.k8s.io/v1', kind: 'TokenReview', spec: { token: good } },
  })
  t.match(JSON.parse(asked.text).status, {
    authenticated: true,
    user: { username: 'oidc:jane', groups: ['dev', 'system:authenticated'] },
  })

  await server.stop()
  for (const secret of [good, ...good.split('.'), 'good-webhook-token', 'bad-webhook-token'])
    t.notOk(server.output().includes(secret), 'no token is in the log')
})

t.test('by files that change', async (t) => {
  const files = temporaryDirectory(t)
  writeFileSync(join(files, 'ca.pem'), authority.ca.certificate)
  const provider = await startOidcProvider(t, authority)
  provider.publish(key)
  const access = await startTlsService(t, authority, judgeAccess)
  writeFileSync(join(files, 'access.yaml'), kubeconfig(access.url))
  const authentication = join(files, 'authentication.yaml')
  const authorization = join(files, 'authorization.yaml')
  const writeAuthentication = (prefix: string): void =>
    writeFileSync(
      authentication,
      JSON.stringify({
        apiVersion: 'apiserver.config.k8s.io/v1beta1',
        kind: 'AuthenticationConfiguration',
        jwt: [
          {
            issuer: { url: provider.url, audiences: ['me'], certificateAuthority: authority.ca.certificate },
            claimMappings: { username: { claim: 'sub', prefix } },
          },
        ],
      }),
    )
  const writeAuthorization = (...authorizers: readonly JsonObject[]): void =>
    writeFileSync(authorization, JSON.stringify(authorizationConfiguration(...authorizers)))
  const webhook = webhookAuthorizer(join(files, 'access.yaml'))
  const rbac = { type: 'RBAC', name: 'rbac' }
  writeAuthentication('one:')
  writeAuthorization(rbac)
  const server = await startServerProcess(t, {
    args: [
      '--workers',
      '0',
      '--authentication-config',
      authentication,
      '--authorization-config',
      authorization,
    ],
  })
  const token = await signToken(key, {
    iss: provider.url,
    aud: 'me',
    sub: 'hooked',
    exp: seconds(Date.now()) + 600,
  })
  await eventually('the provider', async () => (await whoAmI(server, { token })) === '201 one:hooked')
  t.equal((await ask(server, '/metrics', { token })).status, 403)

  writeAuthentication('')
  await eventually('the other prefix', async () => (await whoAmI(server, { token })) === '201 hooked')
  writeAuthorization(rbac, webhook)
  await eventually('the webhook', async () => (await ask(server, '/metrics', { token })).status === 200)
  const { text } = await ask(server, '/metrics', { token })
  for (const subject of ['authentication', 'authorization'])
    t.match(
      text,
      new RegExp(
        `apiserver_${subject}_config_controller_automatic_reloads_total\\{apiserver_id_hash="sha256:[0-9a-f]{64}",status="success"\\} 1`,
      ),
    )

  writeFileSync(authentication, 'nonsense')
  await eventually('the complaint', () => server.output().includes('was not taken over'))
  t.equal(await whoAmI(server, { token }), '201 hooked')
})

t.test('a start that fails says which file is at fault', (t) => {
  const bad = join(temporaryDirectory(t), 'bad.yaml')
  writeFileSync(bad, 'a: [')
  const flags = ['--data-dir', temporaryDirectory(t), '--secure-port', '0', '--bind-address', '127.0.0.1']
  const words = ['serve', ...flags, '--workers', '1', '--authorization-config', bad]
  const ended = spawnSync(process.execPath, [join(root, 'dist/bundle/main.js'), ...words])
  t.equal(ended.status, 1)
  t.match(ended.stderr.toString(), /--authorization-config .*bad.yaml: .*line 1/)
  t.end()
})
