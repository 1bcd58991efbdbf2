/** Source: specification, "Authentication" (methods), "Authorization". */

import t from 'tap'
import type { PeerCertificate } from '../../../src/pipeline/exchange.ts'
import { exchangeWith } from '../../support/fake-exchange.ts'
import { adminToken, startInProcess, userToken } from '../../support/in-process-server.ts'

const target = '/api/v1/namespaces'

function certificate(commonName: string, organizations: readonly string[]): PeerCertificate {
  return { commonName, organizations, fingerprint256: `${commonName}/${organizations.join()}` }
}

t.test('who is let in, by credential', async (t) => {
  const server = await startInProcess()
  t.teardown(() => server.close())
  for (const [name, request, status] of [
    ['no credential', {}, 401],
    ['the administrator by token', { headers: { authorization: `Bearer ${adminToken}` } }, 200],
    ['the scheme in any case', { headers: { authorization: `bearer ${adminToken}` } }, 200],
    ['another user by token', { headers: { authorization: `Bearer ${userToken}` } }, 403],
    ['a wrong token', { headers: { authorization: 'Bearer wrong' } }, 401],
    ['a prefix of a token', { headers: { authorization: `Bearer ${adminToken.slice(0, -1)}` } }, 401],
    ['another scheme', { headers: { authorization: 'Basic YTpi' } }, 401],
    ['a certificate of the privileged group', { certificate: certificate('root', ['system:masters']) }, 200],
    ['a certificate of no such group', { certificate: certificate('joe', ['devs']) }, 403],
    ['a certificate without a name', { certificate: certificate('', ['system:masters']) }, 401],
  ] as const) {
    const { answered } = exchangeWith(server.api.handler, { method: 'GET', target, ...request })
    t.equal((await answered).status, status, name)
  }
})

t.test('everybody may ask for health and version', async (t) => {
  const server = await startInProcess()
  t.teardown(() => server.close())
  for (const [path, status] of [
    ['/healthz', 200],
    ['/livez/ping', 200],
    ['/readyz?verbose', 200],
    ['/version', 200],
    ['/versions', 401],
    ['/metrics', 401],
    ['/api', 401],
  ] as const) {
    const answer = await server.request({ method: 'GET', target: path, as: 'anonymous' })
    t.equal(answer.status, status, path)
  }
})
