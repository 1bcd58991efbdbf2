/**
 * Certificates × headers → whom the server takes a request for, over real TLS. Two CAs: one of clients, one of proxies.
 */

import { once } from 'node:events'
import { connect } from 'node:http2'
import { Agent, request } from 'node:https'
import t from 'tap'
import { createRequestHeaderAuthenticator } from '../../src/authn/request-header.ts'
import { readCertificates } from '../../src/outside/certificates.ts'
import { listenNode } from '../../workers/http/node.ts'
import type { KeyPair } from '../../workers/pki/issue.ts'
import { startInProcess, userToken } from '../support/in-process-server.ts'
import { createTestAuthority, validNow } from '../support/tls-service.ts'
import { listening } from './transports.ts'

const [clients, proxies, strangers] = await Promise.all([
  createTestAuthority('clients'),
  createTestAuthority('proxies'),
  createTestAuthority('strangers'),
])
const yesterday = { fromMs: Date.now() - 2 * 86_400_000, untilMs: Date.now() - 86_400_000 }
const of = (authority: typeof clients, commonName: string, valid = validNow()): Promise<KeyPair> =>
  authority.issuer.client(authority.ca, { commonName, organizations: ['from-certificate'] }, valid)

const certificates = {
  none: undefined,
  proxy: await of(proxies, 'front-proxy'),
  'proxy of another name': await of(proxies, 'jane'),
  'client of the name of the proxy': await of(clients, 'front-proxy'),
  client: await of(clients, 'bob'),
  stranger: await of(strangers, 'front-proxy'),
  'one that signed itself': strangers.ca,
  'expired proxy': await of(proxies, 'front-proxy', yesterday),
}
type Certificate = keyof typeof certificates

const server = await startInProcess({
  options: {
    external: {
      tokens: [],
      authorizers: undefined,
      requestHeader: createRequestHeaderAuthenticator({
        allowedNames: ['front-proxy'],
        usernameHeaders: ['X-Remote-User', 'X-Other-User'],
        groupHeaders: ['X-Remote-Group'],
        extraPrefixes: ['X-Remote-Extra-'],
      }),
      metricsText: () => '',
      start() {},
      close() {},
    },
  },
})
t.teardown(() => server.close())
const listener = await listening(
  listenNode({
    host: '127.0.0.1',
    port: 0,
    tls: {
      certificate: clients.serving.certificate,
      privateKey: clients.serving.privateKey,
      clientCa: clients.ca.certificate,
      proxyCa: proxies.ca.certificate,
    },
    handler: server.api.handler,
    onHandlerError: () => {},
  }),
)
t.teardown(() => {
  listener.destroy()
  return listener.close()
})

const path = '/apis/authentication.k8s.io/v1/selfsubjectreviews'
const review = JSON.stringify({ apiVersion: 'authentication.k8s.io/v1', kind: 'SelfSubjectReview' })

interface Asked {
  readonly status: number
  readonly userInfo: unknown
}

function ask(
  certificate: Certificate,
  headers: Readonly<Record<string, string | string[]>>,
  agent = new Agent(credentials(certificate)),
): Promise<Asked> {
  return new Promise((resolve, reject) => {
    const sent = request(
      {
        host: 'localhost',
        port: listener.port,
        path,
        method: 'POST',
        agent,
        headers: { 'content-type': 'application/json', ...headers },
      },
      (answer) => {
        let text = ''
        answer.on('data', (chunk: Buffer) => {
          text += chunk.toString()
        })
        answer.on('end', () =>
          resolve({ status: answer.statusCode ?? 0, userInfo: JSON.parse(text).status?.userInfo }),
        )
      },
    )
    sent.on('error', reject)
    sent.end(review)
  })
}

/** The same as a stream of an HTTP/2 connection. */
async function askOverHttp2(certificate: Certificate, headers: Record<string, string>): Promise<Asked> {
  const session = connect(`https://localhost:${listener.port}`, credentials(certificate))
  try {
    const stream = session.request({
      'content-type': 'application/json',
      ...headers,
      ':method': 'POST',
      ':path': path,
    })
    stream.end(review)
    const [head] = await once(stream, 'response')
    const chunks: Buffer[] = []
    for await (const chunk of stream) chunks.push(Buffer.from(chunk))
    const answer = JSON.parse(Buffer.concat(chunks).toString())
    return { status: Number(head[':status']), userInfo: answer.status?.userInfo }
  } finally {
    session.destroy()
  }
}

function credentials(certificate: Certificate): object {
  const keys = certificates[certificate]
  return {
    ca: clients.ca.certificate,
    ...(keys === undefined ? {} : { cert: keys.certificate, key: keys.privateKey }),
  }
}

const jane = { 'X-Remote-User': 'jane' }
const admin = { 'X-Remote-User': 'admin', 'X-Remote-Group': 'system:masters' }
const bearer = { authorization: `Bearer ${userToken}` }

t.test('who gets in as whom', async (t) => {
  const table: readonly (readonly [Certificate, Record<string, string>, number, string?])[] = [
    // certificate, headers, status, user
    ['proxy', jane, 201, 'jane'],
    ['proxy', { 'X-Other-User': 'jane' }, 201, 'jane'],
    ['proxy', { 'X-Remote-User': '', 'X-Other-User': 'jane' }, 201, 'jane'],
    ['proxy', { 'X-Other-User': 'x', 'X-Remote-User': 'jane' }, 201, 'jane'],
    ['proxy', {}, 401],
    ['proxy', { 'X-Remote-Group': 'system:masters' }, 401],
    ['proxy', bearer, 201, 'jane'],
    ['proxy', { ...bearer, 'X-Remote-User': 'bob' }, 201, 'bob'],
    ['proxy', { authorization: 'Bearer wrong', ...jane }, 201, 'jane'],
    ['proxy of another name', admin, 401],
    ['client of the name of the proxy', admin, 201, 'front-proxy'],
    ['client', admin, 201, 'bob'],
    ['stranger', admin, 401],
    ['expired proxy', admin, 401],
    ['one that signed itself', admin, 401],
    ['none', admin, 403],
    ['none', { ...admin, authorization: 'Bearer wrong' }, 401],
    ['none', { ...admin, ...bearer }, 201, 'jane'],
    ['stranger', { ...admin, ...bearer }, 201, 'jane'],
  ]
  for (const [certificate, headers, status, user] of table) {
    for (const send of [ask, askOverHttp2]) {
      const answer = await send(certificate, headers)
      const what = `${send.name}: ${certificate} ${JSON.stringify(headers)}`
      t.equal(answer.status, status, what)
      if (user !== undefined) t.match(answer.userInfo, { username: user }, what)
      t.notMatch(answer.userInfo, { groups: /system:masters/ }, what)
    }
  }
})

t.test('groups and extra values', async (t) => {
  const { userInfo } = await ask('proxy', {
    'X-Remote-User': 'jane',
    'X-Remote-Group': ['dev', 'ops', ''],
    'X-Remote-Extra-Scopes': ['read', 'write'],
    'X-Remote-Extra-Acme.com%2FProject': 'a%2Fb',
    'X-Remote-Extra-Bad%zz': 'kept',
    'X-Other-Extra-No': 'no',
  })
  t.same(userInfo, {
    username: 'jane',
    groups: ['dev', 'ops', 'system:authenticated'],
    extra: { scopes: ['read', 'write'], 'acme.com/project': ['a%2Fb'], 'bad%zz': ['kept'] },
  })
})

t.test('what a proxy says holds for its request alone', async (t) => {
  const agent = new Agent({ ...credentials('proxy'), keepAlive: true, maxSockets: 1 })
  t.teardown(() => agent.destroy())
  t.match(await ask('proxy', jane, agent), { userInfo: { username: 'jane' } })
  t.equal((await ask('proxy', {}, agent)).status, 401)
  t.match(await ask('proxy', { 'X-Remote-User': 'bob' }, agent), { userInfo: { username: 'bob' } })
})

t.test('a proxy that comes back brings its whole chain again', async (t) => {
  const agent = new Agent({ ...credentials('proxy'), keepAlive: false, maxCachedSessions: 10 })
  for (let at = 0; at < 3; at++) t.match(await ask('proxy', jane, agent), { userInfo: { username: 'jane' } })
})

t.test('files of CAs', (t) => {
  const { certificate } = clients.ca
  t.match(readCertificates(`${certificate}${proxies.ca.certificate}`), { ok: true, value: { length: 2 } })
  for (const text of [
    '',
    'x',
    clients.ca.privateKey,
    certificate.slice(0, 200),
    certificate.replace('MII', '???'),
  ])
    t.match(readCertificates(text), { ok: false }, text.slice(0, 30))
  t.end()
})
