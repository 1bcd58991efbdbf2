/** The client for services outside: what it bounds, whom it trusts, and what it says when it fails. */

import { mkdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import t from 'tap'
import type { HttpRequest } from '../../../src/outside/outside.ts'
import { createHttpsClient } from '../../../workers/outside/https-client.ts'
import { machineOutside } from '../../../workers/outside/outside.ts'
import { temporaryDirectory } from '../../support/server-process.ts'
import { createTestAuthority, type ServiceHandler, startTlsService } from '../../support/tls-service.ts'

const authority = await createTestAuthority()
const secret = 'secret-of-the-request'

async function ask(
  t: { teardown(action: () => unknown): void },
  handler: ServiceHandler,
  change: Partial<HttpRequest> = {},
) {
  const service = await startTlsService(t, authority, handler)
  const client = createHttpsClient({ ca: authority.ca.certificate })
  if (!client.ok) throw new Error(client.failure)
  t.teardown(() => client.value.close())
  const answer = await client.value.request({
    method: 'GET',
    url: `${service.url}/start?token=${secret}`,
    headers: { authorization: secret },
    timeoutMs: 60_000,
    answerBytesMax: 1000,
    ...change,
  })
  return { service, answer }
}

t.test('an answer', async (t) => {
  const { answer } = await ask(t, (_, response) => {
    response.writeHead(418, { 'Retry-After': '3' })
    response.end('short')
  })
  t.match(answer, { ok: true, value: { status: 418, body: Buffer.from('short') } })
  t.equal(answer.ok ? answer.value.headers.get('retry-after') : '', '3')
})

t.test('failures name the host, and nothing that is secret', async (t) => {
  const never: ServiceHandler = () => {}
  const slowly: ServiceHandler = (_, response) => {
    response.writeHead(200)
    const trickle = setInterval(() => response.write('x'), 5)
    response.once('close', () => clearInterval(trickle))
  }
  const table: readonly (readonly [string, ServiceHandler, Partial<HttpRequest>, string])[] = [
    ['hangs', never, { timeoutMs: 50 }, 'Timeout'],
    ['trickles', slowly, { timeoutMs: 50 }, 'Timeout'],
    ['closes', (request) => request.socket.destroy(), {}, 'Reset'],
    [
      'breaks off',
      (request, response) => {
        response.writeHead(200, { 'content-length': '100' })
        response.write('half', () => request.socket.destroy())
      },
      {},
      'Reset',
    ],
    ['sends too much', (_, response) => response.end('x'.repeat(1001)), {}, 'TooLarge'],
    ['is not there', never, { url: 'https://localhost:1/' }, 'Unreachable'],
    ['is nowhere', never, { url: 'https://nowhere.invalid/' }, 'Unreachable'],
    ['has a header that cannot be sent', never, { headers: { authorization: `${secret}\n` } }, 'Unreachable'],
    ['is not TLS', never, { url: 'http://localhost:1/' }, 'Redirected'],
  ]
  for (const [what, handler, change, code] of table) {
    const { answer } = await ask(t, handler, change)
    t.match(answer, { ok: false, failure: { code } }, what)
    t.notMatch(answer.ok ? '' : answer.failure.message, secret, what)
  }
})

t.test('redirects', async (t) => {
  const to =
    (location: string, status = 302): ServiceHandler =>
    (request, response) => {
      if (request.url === '/there') response.end('arrived')
      else {
        response.writeHead(status, { location })
        response.end()
      }
    }
  const table: readonly (readonly [string, ServiceHandler, Partial<HttpRequest>, object])[] = [
    ['on the same origin', to('/there'), {}, { ok: true, value: { body: Buffer.from('arrived') } }],
    ['in a circle', to('/start'), {}, { failure: { code: 'Redirected' } }],
    ['to another port', to('https://localhost:1/there'), {}, { failure: { code: 'Redirected' } }],
    ['to plain text', to('http://localhost/there'), {}, { failure: { code: 'Redirected' } }],
    ['to nothing', to('https://['), {}, { failure: { code: 'Redirected' } }],
    [
      'of a POST',
      to('/there', 307),
      { method: 'POST', body: Buffer.from('x') },
      { failure: { code: 'Redirected' } },
    ],
  ]
  for (const [what, handler, change, expected] of table)
    t.match((await ask(t, handler, change)).answer, expected, what)
})

t.test('whom it trusts', async (t) => {
  const service = await startTlsService(t, authority, (_, response) => response.end('hello'))
  const stranger = await createTestAuthority('stranger')
  const request: HttpRequest = { method: 'GET', url: service.url, timeoutMs: 60_000, answerBytesMax: 100 }
  const table = [
    [{ ca: authority.ca.certificate }, true],
    [{ ca: `${stranger.ca.certificate}${authority.ca.certificate}` }, true],
    [{ ca: stranger.ca.certificate }, false],
    [{}, false],
    [{ insecure: true }, true],
    [{ ca: authority.ca.certificate, serverName: '127.0.0.1.example' }, false],
  ] as const
  for (const [options, trusted] of table) {
    const client = createHttpsClient(options)
    if (!client.ok) throw new Error(client.failure)
    t.equal((await client.value.request(request)).ok, trusted, Object.keys(options).join(' '))
    client.value.close()
  }
})

t.test('closing ends what is under way', async (t) => {
  const service = await startTlsService(t, authority, () => {})
  const client = createHttpsClient({ ca: authority.ca.certificate })
  if (!client.ok) throw new Error(client.failure)
  const asked = client.value.request({
    method: 'GET',
    url: service.url,
    timeoutMs: 60_000,
    answerBytesMax: 1,
  })
  client.value.close()
  client.value.close()
  t.match(await asked, { ok: false })
})

t.test('a connection that the service gave up while it was idle', async (t) => {
  let served = 0
  const service = await startTlsService(t, authority, (request, response) => {
    served++
    if (served === 2) request.socket.destroy()
    else response.end('hello')
  })
  const client = createHttpsClient({ ca: authority.ca.certificate })
  if (!client.ok) throw new Error(client.failure)
  t.teardown(() => client.value.close())
  const request: HttpRequest = { method: 'POST', url: service.url, timeoutMs: 60_000, answerBytesMax: 100 }
  t.ok((await client.value.request(request)).ok)
  t.ok((await client.value.request(request)).ok, 'is replaced by a new one')
  t.equal(served, 3)
})

t.test('files', async (t) => {
  const folder = temporaryDirectory(t)
  writeFileSync(join(folder, 'text'), 'hello')
  writeFileSync(join(folder, 'huge'), Buffer.alloc(4 * 1024 * 1024 + 1))
  mkdirSync(join(folder, 'folder'))
  const read = (name: string) => machineOutside.readFile(join(folder, name))
  t.same(await read('text'), { ok: true, value: 'hello' })
  t.match(await read('none'), { ok: false, failure: 'does not exist' })
  t.match(await read('huge'), { ok: false, failure: /is longer than/ })
  t.match(await read('folder'), { ok: false, failure: 'is a directory' })
})
