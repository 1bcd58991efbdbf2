/** Source: specification, "Authentication" (methods), "Authorization". */

import t from 'tap'
import type { PeerCertificate } from '../../../src/pipeline/exchange.ts'
import { exchangeWith } from '../../support/fake-exchange.ts'
import { adminToken, startInProcess, userToken } from '../../support/in-process-server.ts'

const target = '/api/v1/namespaces'

function certificate(commonName: string, organizations: readonly string[]): PeerCertificate {
  return { commonName, organizations, fingerprint256: `${commonName}/${organizations.join()}`, untilMs: 0 }
}

t.test('who is let in, by credential', async (t) => {
  const server = await startInProcess()
  t.teardown(() => server.close())
  for (const [name, request, status] of [
    ['no credential', {}, 403],
    ['the administrator by token', { headers: { authorization: `Bearer ${adminToken}` } }, 200],
    ['the scheme in any case', { headers: { authorization: `bearer ${adminToken}` } }, 200],
    ['another user by token', { headers: { authorization: `Bearer ${userToken}` } }, 403],
    ['a wrong token', { headers: { authorization: 'Bearer wrong' } }, 401],
    ['a prefix of a token', { headers: { authorization: `Bearer ${adminToken.slice(0, -1)}` } }, 401],
    ['another scheme', { headers: { authorization: 'Basic YTpi' } }, 403],
    ['a certificate of the privileged group', { certificate: certificate('root', ['system:masters']) }, 200],
    ['a certificate of no such group', { certificate: certificate('joe', ['devs']) }, 403],
    ['a certificate without a name', { certificate: certificate('', ['system:masters']) }, 403],
  ] as const) {
    const { answered } = exchangeWith(server.api.handler, { method: 'GET', target, ...request })
    t.equal((await answered).status, status, name)
  }
})

t.test('without anonymous access a request needs a credential', async (t) => {
  const server = await startInProcess({ options: { anonymousAuth: false } })
  t.teardown(() => server.close())
  for (const [path, as, status] of [
    ['/healthz', 'anonymous', 401],
    ['/version', 'anonymous', 401],
    ['/api/v1/namespaces', 'anonymous', 401],
    ['/version', 'user', 200],
    ['/api/v1/namespaces', 'user', 403],
    ['/api/v1/namespaces', 'admin', 200],
  ] as const) {
    const answer = await server.request({ method: 'GET', target: path, as })
    t.equal(answer.status, status, `${path} as ${as}`)
  }
})

t.test('what everybody may read, and what the authenticated', async (t) => {
  const server = await startInProcess()
  t.teardown(() => server.close())
  for (const [path, anonymous, user] of [
    ['/healthz', 200, 200],
    ['/livez', 200, 200],
    ['/readyz?verbose', 200, 200],
    ['/version', 200, 200],
    ['/version/', 200, 200],
    ['/livez/ping', 403, 403],
    ['/versions', 403, 403],
    ['/metrics', 403, 403],
    ['/api', 403, 200],
    ['/apis', 403, 200],
    ['/apis/apps/v1', 403, 200],
    ['/openapi/v3', 403, 200],
  ] as const) {
    for (const [as, status] of [
      ['anonymous', anonymous],
      ['user', user],
    ] as const) {
      const answer = await server.request({ method: 'GET', target: path, as })
      t.equal(answer.status, status, `${path} as ${as}`)
    }
  }
})
