/** Client configuration files of webhooks: every form of credential, and what is wrong with files. */

import t from 'tap'
import { formatYaml } from '../../../src/codec/yaml.ts'
import type { JsonObject } from '../../../src/json.ts'
import { openEndpoint } from '../../../src/outside/kubeconfig.ts'
import type { HttpClientOptions, Outside } from '../../../src/outside/outside.ts'
import { fail, ok } from '../../../store/contract.ts'
import { createHttpsClient } from '../../../workers/outside/https-client.ts'
import { createStreamingClient } from '../../../workers/outside/streaming-client.ts'
import { createManualClock } from '../../support/manual-clock.ts'
import { createTestAuthority, startTlsService, validNow } from '../../support/tls-service.ts'

const authority = await createTestAuthority()
const client = await authority.issuer.client(
  authority.ca,
  { commonName: 'apiserver', organizations: ['servers'] },
  validNow(),
)

function base64(text: string): string {
  return Buffer.from(text).toString('base64')
}

function config(cluster: JsonObject, user: JsonObject = {}, more: JsonObject = {}): JsonObject {
  return {
    apiVersion: 'v1',
    kind: 'Config',
    'current-context': 'ctx',
    contexts: [{ name: 'ctx', context: { cluster: 'c', user: 'u' } }],
    clusters: [{ name: 'c', cluster }],
    users: [{ name: 'u', user }],
    ...more,
  }
}

const files = new Map([
  ['/etc/hooks/pki/ca.pem', authority.ca.certificate],
  ['/abs/client.pem', client.certificate],
  ['/abs/client.key', client.privateKey],
  ['/etc/hooks/token', 'from-a-file\n'],
  ['/etc/hooks/empty', ' \n'],
])

function outside(text: string, seen: (options: HttpClientOptions) => void = () => {}): Outside {
  return {
    async readFile(path) {
      const found = path === '/etc/hooks/config' ? text : files.get(path)
      return found === undefined ? fail('does not exist') : ok(found)
    },
    httpClient(options) {
      seen(options)
      return createHttpsClient(options)
    },
    streamingClient: createStreamingClient,
  }
}

const server = 'https://hooks.example/review?timeout=3s'

t.test('credentials', async (t) => {
  const table: readonly (readonly [string, JsonObject, string | undefined, Partial<HttpClientOptions>])[] = [
    ['none', config({ server }), undefined, { insecure: false }],
    [
      'no user',
      config({ server }, {}, { contexts: [{ name: 'ctx', context: { cluster: 'c' } }] }),
      undefined,
      {},
    ],
    ['token', config({ server }, { token: 'abc' }), 'Bearer abc', {}],
    [
      'token file before token',
      config({ server }, { token: 'abc', tokenFile: 'token' }),
      'Bearer from-a-file',
      {},
    ],
    ['basic', config({ server }, { username: 'me', password: 'p:w' }), `Basic ${base64('me:p:w')}`, {}],
    [
      'certificate by file, CA by a path beside the configuration',
      config(
        { server, 'certificate-authority': 'pki/ca.pem' },
        { 'client-certificate': '/abs/client.pem', 'client-key': '/abs/client.key' },
      ),
      undefined,
      { ca: authority.ca.certificate, certificate: client.certificate, privateKey: client.privateKey },
    ],
    [
      'certificate as data, which counts before files',
      config(
        {
          server,
          'certificate-authority-data': base64(authority.ca.certificate),
          'certificate-authority': 'missing',
          'tls-server-name': 'other.example',
        },
        {
          'client-certificate-data': base64(client.certificate),
          'client-key-data': base64(client.privateKey),
        },
      ),
      undefined,
      {
        ca: authority.ca.certificate,
        certificate: client.certificate,
        privateKey: client.privateKey,
        serverName: 'other.example',
      },
    ],
    ['any certificate', config({ server, 'insecure-skip-tls-verify': true }), undefined, { insecure: true }],
  ]
  for (const [what, object, authorization, options] of table) {
    for (const text of [JSON.stringify(object), formatYaml(object)]) {
      let seen: HttpClientOptions = {}
      const endpoint = await openEndpoint(
        '/etc/hooks/config',
        outside(text, (given) => {
          seen = given
        }),
        createManualClock(),
      )
      if (!endpoint.ok) throw new Error(`${what}: ${endpoint.failure}`)
      t.equal(endpoint.value.url, server)
      t.equal(await endpoint.value.authorization(), authorization, what)
      t.match(seen, options, what)
      endpoint.value.client.close()
    }
  }
})

t.test('what is wrong with a file', async (t) => {
  const table: readonly (readonly [string, string | JsonObject, RegExp])[] = [
    ['empty', ' ', /config: is empty/],
    ['no YAML', '{', /config: .*line 1/],
    ['no object', '[]', /no client configuration/],
    ['another kind', { ...config({ server }), kind: 'Pod' }, /expected "v1" "Config"/],
    ['no context', { ...config({ server }), 'current-context': '' }, /current-context is not set/],
    ['unknown context', { ...config({ server }), 'current-context': 'x' }, /context "x" does not exist/],
    ['unknown cluster', config({ server }, {}, { clusters: [] }), /cluster "c" .* does not exist/],
    ['unknown user', config({ server }, {}, { users: [] }), /user "u" .* does not exist/],
    ['no server', config({}), /no server/],
    ['no TLS', config({ server: 'http://hooks.example' }), /must begin with https/],
    ['no URL', config({ server: 'hooks' }), /no URL/],
    ['password in the URL', config({ server: 'https://a:b@hooks.example' }), /must not hold a user name/],
    [
      'CA missing',
      config({ server, 'certificate-authority': 'x.pem' }),
      /certificate-authority \/etc\/hooks\/x.pem does not exist/,
    ],
    ['CA empty', config({ server, 'certificate-authority': 'empty' }), /\/etc\/hooks\/empty is empty/],
    ['CA is no PEM', config({ server, 'certificate-authority-data': '????' }), /no PEM/],
    [
      'CA is broken',
      config({
        server,
        'certificate-authority-data': base64(
          '-----BEGIN CERTIFICATE-----\nAA==\n-----END CERTIFICATE-----\n',
        ),
      }),
      /cannot be used/,
    ],
    [
      'a certificate without its key',
      config({ server }, { 'client-certificate': '/abs/client.pem' }),
      /together/,
    ],
    [
      'a key of another certificate',
      config(
        { server },
        { 'client-certificate': '/abs/client.pem', 'client-key-data': base64(authority.ca.privateKey) },
      ),
      /cannot be used/,
    ],
    ['a plugin', config({ server }, { exec: { command: 'x' } }), /kind exec are not supported/],
    ['two credentials', config({ server }, { token: 'abc', username: 'me' }), /not both/],
    ['a proxy', config({ server, 'proxy-url': 'http://p' }), /proxy-url is not supported/],
    ['token file missing', config({ server }, { tokenFile: '/none' }), /tokenFile \/none does not exist/],
  ]
  for (const [what, content, message] of table) {
    const text = typeof content === 'string' ? content : JSON.stringify(content)
    const endpoint = await openEndpoint('/etc/hooks/config', outside(text), createManualClock())
    t.match(endpoint.ok ? 'fine' : endpoint.failure, message, what)
    t.notMatch(endpoint.ok ? '' : endpoint.failure, 'PRIVATE', what)
  }
  const missing = await openEndpoint('/none', outside(''), createManualClock())
  t.match(missing, { ok: false, failure: '/none does not exist' })
})

t.test('a token file is read again, and its last token counts while it cannot be', async (t) => {
  const clock = createManualClock()
  const text = JSON.stringify(config({ server }, { tokenFile: 'token' }))
  const endpoint = await openEndpoint('/etc/hooks/config', outside(text), clock)
  if (!endpoint.ok) throw new Error(endpoint.failure)
  files.set('/etc/hooks/token', 'second')
  t.equal(await endpoint.value.authorization(), 'Bearer from-a-file')
  clock.advance(60_000)
  t.equal(await endpoint.value.authorization(), 'Bearer second')
  files.delete('/etc/hooks/token')
  clock.advance(60_000)
  t.equal(await endpoint.value.authorization(), 'Bearer second')
})

t.test('mutual TLS', async (t) => {
  const service = await startTlsService(t, authority, (_, response) => response.end('hello'), {
    clientCa: authority.ca.certificate,
  })
  const ask = async (user: JsonObject, cluster: JsonObject = {}): Promise<string> => {
    const ca = base64(authority.ca.certificate)
    const text = JSON.stringify(
      config({ server: service.url, 'certificate-authority-data': ca, ...cluster }, user),
    )
    const endpoint = await openEndpoint('/etc/hooks/config', outside(text), createManualClock())
    if (!endpoint.ok) return endpoint.failure
    const { client: http, url } = endpoint.value
    const answer = await http.request({ method: 'GET', url, timeoutMs: 60_000, answerBytesMax: 100 })
    http.close()
    return answer.ok ? answer.value.body.toString() : answer.failure.code
  }
  const mine = { 'client-certificate': '/abs/client.pem', 'client-key': '/abs/client.key' }
  t.equal(await ask(mine), 'hello')
  t.not(await ask({}), 'hello', 'without a certificate')
  t.equal(await ask(mine, { 'tls-server-name': 'other.example' }), 'Unreachable')
  const stranger = await createTestAuthority('stranger')
  t.equal(await ask(mine, { 'certificate-authority-data': base64(stranger.ca.certificate) }), 'Unreachable')
})

t.test('certificates that are replaced in their files', async (t) => {
  const next = await createTestAuthority('next')
  const service = await startTlsService(t, authority, (_, response) => response.end('hello'), {
    clientCa: next.ca.certificate,
  })
  const clock = createManualClock()
  const cluster = { server: service.url, 'certificate-authority': 'pki/ca.pem' }
  const user = { 'client-certificate': 'mine.pem', 'client-key': 'mine.key' }
  files.set('/etc/hooks/mine.pem', client.certificate).set('/etc/hooks/mine.key', client.privateKey)
  const text = JSON.stringify(config(cluster, user))
  const endpoint = await openEndpoint('/etc/hooks/config', outside(text), clock)
  if (!endpoint.ok) throw new Error(endpoint.failure)
  const { client: http, url } = endpoint.value
  t.teardown(() => http.close())
  const ask = async (): Promise<boolean> =>
    (await http.request({ method: 'GET', url, timeoutMs: 60_000, answerBytesMax: 100 })).ok
  t.notOk(await ask(), 'the service wants a certificate of another CA')
  const fresh = await next.issuer.client(next.ca, { commonName: 'apiserver', organizations: [] }, validNow())
  files.set('/etc/hooks/mine.pem', fresh.certificate)
  clock.advance(60_000)
  t.notOk(await ask(), 'half of it is there: the former counts')
  files.set('/etc/hooks/mine.key', fresh.privateKey)
  t.notOk(await ask(), 'within a minute')
  clock.advance(60_000)
  t.ok(await ask())
})
