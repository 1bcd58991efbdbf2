/** The token webhook: what it answers, how it lies, hangs and breaks × what becomes of the token. */

import t from 'tap'
import { createWebhookTokenAuthenticator } from '../../../src/authn/webhook-tokens.ts'
import type { Log } from '../../../src/observe/log.ts'
import { silentLog } from '../../../src/observe/log.ts'
import { openEndpoint } from '../../../src/outside/kubeconfig.ts'
import { createManualClock, type ManualClock } from '../../support/manual-clock.ts'
import { inlineCa, kubeconfigTo } from '../../support/service-files.ts'
import {
  createTestAuthority,
  outsideWith,
  type ServiceHandler,
  sendJson,
  startTlsService,
} from '../../support/tls-service.ts'

const authority = await createTestAuthority()
const apiVersion = 'authentication.k8s.io/v1'
const secret = 'eyJ-the-token-itself'

function kubeconfig(url: string): string {
  return kubeconfigTo(url, inlineCa(authority.ca.certificate), { token: 'credential-of-the-server' })
}

interface Bench {
  readonly handler: ServiceHandler
  readonly apiAudiences?: readonly string[]
  readonly cacheTtlMs?: number
}

async function bench(
  t: { teardown(action: () => unknown): void },
  { handler, apiAudiences = [], cacheTtlMs = 0 }: Bench,
) {
  const service = await startTlsService(t, authority, handler)
  const clock = createManualClock()
  const lines: string[] = []
  const note = (message: string, fields?: object): void =>
    void lines.push(`${message} ${JSON.stringify(fields)}`)
  const log: Log = { ...silentLog, warn: note, error: note }
  const files = new Map([['/webhook.yaml', kubeconfig(`${service.url}/authenticate`)]])
  const endpoint = await openEndpoint('/webhook.yaml', outsideWith(files), clock)
  if (!endpoint.ok) throw new Error(endpoint.failure)
  t.teardown(() => endpoint.value.client.close())
  const webhook = createWebhookTokenAuthenticator({
    endpoint: endpoint.value,
    apiVersion,
    cacheTtlMs,
    apiAudiences,
    clock,
    log,
    fraction: () => 0,
  })
  return { service, clock, lines, webhook }
}

/** Time passes between two attempts only: under way, an attempt has all the time that a slow machine needs. */
function passPauses(clock: ManualClock): NodeJS.Timeout {
  return setInterval(() => void (clock.pending > 0 && clock.advance(250)), 1)
}

function review(status: object): object {
  return { apiVersion, kind: 'TokenReview', status }
}

const jane = { username: 'jane', uid: '7', groups: ['developers'], extra: { 'example.org/team': ['a', 'b'] } }

t.test('what is asked, and a user with everything', async (t) => {
  let asked: unknown
  let authorization: string | undefined
  const { webhook, service } = await bench(t, {
    handler(request, response, body) {
      asked = JSON.parse(body)
      authorization = request.headers.authorization
      sendJson(response, review({ authenticated: true, user: jane, error: 'ignored' }), 201)
    },
  })
  t.same(await webhook.authenticateToken(secret), {
    type: 'user',
    user: {
      name: 'jane',
      uid: '7',
      groups: ['developers', 'system:authenticated'],
      extra: new Map([['example.org/team', ['a', 'b']]]),
    },
  })
  t.same(asked, { apiVersion, kind: 'TokenReview', spec: { token: secret } })
  t.equal(authorization, 'Bearer credential-of-the-server')
  t.same(service.seen, ['POST /authenticate'])
})

t.test('answers', async (t) => {
  const table: readonly (readonly [string, unknown, string, RegExp?])[] = [
    ['no', review({ authenticated: false }), 'none'],
    ['no, and nothing else', review({}), 'none'],
    ['no, and why', review({ authenticated: false, error: 'expired' }), 'refused'],
    ['no, with a user all the same', review({ authenticated: false, user: jane }), 'none'],
    ['yes without a user', review({ authenticated: true }), 'refused', /status.user is missing/],
    ['yes for nobody', review({ authenticated: true, user: { username: '' } }), 'refused', /username/],
    ['yes as text', review({ authenticated: 'true', user: jane }), 'refused', /no boolean/],
    [
      'groups as text',
      review({ authenticated: true, user: { ...jane, groups: 'admins' } }),
      'refused',
      /groups/,
    ],
    [
      'extra as text',
      review({ authenticated: true, user: { ...jane, extra: { a: 'b' } } }),
      'refused',
      /extra/,
    ],
    [
      'another kind',
      { apiVersion, kind: 'Pod', status: { authenticated: true, user: jane } },
      'refused',
      /expected/,
    ],
    [
      'another version',
      {
        apiVersion: 'authentication.k8s.io/v1beta1',
        kind: 'TokenReview',
        status: { authenticated: true, user: jane },
      },
      'refused',
      /v1beta1/,
    ],
    ['no status', { apiVersion, kind: 'TokenReview' }, 'refused', /no status/],
    ['a list', [review({ authenticated: true, user: jane })], 'refused', /not an object/],
  ]
  for (const [what, answer, outcome, line] of table) {
    const { webhook, lines } = await bench(t, { handler: (_, response) => sendJson(response, answer) })
    t.equal((await webhook.authenticateToken(secret)).type, outcome, what)
    if (line === undefined) t.same(lines, [], what)
    else t.match(lines.join('\n'), line, what)
    t.notMatch(lines.join('\n'), secret, `${what}: the token is in no log`)
  }
})

t.test('services that misbehave', async (t) => {
  const good = JSON.stringify(review({ authenticated: true, user: jane }))
  const table: readonly (readonly [string, ServiceHandler, RegExp])[] = [
    ['no JSON', (_, response) => response.end('<html>'), /not JSON/],
    ['empty', (_, response) => response.end(), /not JSON/],
    [
      'half an answer',
      (request, response) => {
        response.writeHead(200, { 'content-length': '5000' })
        response.write(good.slice(0, 20), () => request.socket.destroy())
      },
      /dropped the connection/,
    ],
    [
      'endless',
      (_, response) => {
        const more = (error?: Error | null): void =>
          void (error || response.destroyed || response.write('x'.repeat(65_536), more))
        more()
      },
      /more than 1048576 bytes/,
    ],
    [
      'forbidden',
      (_, response) => sendJson(response, review({ authenticated: true, user: jane }), 403),
      /403/,
    ],
    [
      'elsewhere',
      (_, response) => {
        response.writeHead(307, { location: 'https://localhost:1/' })
        response.end()
      },
      /redirect/,
    ],
  ]
  for (const [what, handler, line] of table) {
    const { webhook, lines, clock } = await bench(t, { handler })
    const answer = webhook.authenticateToken(secret)
    const ticking = passPauses(clock)
    t.equal((await answer).type, 'refused', what)
    clearInterval(ticking)
    t.match(lines.join('\n'), line, what)
    t.notMatch(lines.join('\n'), secret)
  }
})

t.test('faults that pass are tried again', async (t) => {
  let attempts = 0
  const { webhook, clock } = await bench(t, {
    handler(request, response) {
      attempts++
      if (attempts === 1) request.socket.destroy()
      else if (attempts === 2) sendJson(response, {}, 503)
      else sendJson(response, review({ authenticated: true, user: jane }))
    },
  })
  const answer = webhook.authenticateToken(secret)
  const ticking = passPauses(clock)
  t.equal((await answer).type, 'user')
  clearInterval(ticking)
  t.equal(attempts, 3)
})

t.test('a service that is dead all the time is given up after five attempts', async (t) => {
  let attempts = 0
  const { webhook, clock, lines } = await bench(t, {
    handler(_, response) {
      attempts++
      sendJson(response, {}, 500)
    },
  })
  const answer = webhook.authenticateToken(secret)
  const ticking = passPauses(clock)
  t.equal((await answer).type, 'refused')
  clearInterval(ticking)
  t.equal(attempts, 5)
  t.match(lines, [/answered 500/])
})

t.test('answers are kept, yes and no, for a while; failures are not', async (t) => {
  let status: object = { authenticated: true, user: jane }
  const { webhook, service, clock } = await bench(t, {
    cacheTtlMs: 120_000,
    handler: (_, response) => sendJson(response, review(status)),
  })
  const outcome = async (token: string): Promise<string> => (await webhook.authenticateToken(token)).type
  t.same(await Promise.all(Array.from({ length: 20 }, () => outcome('a'))), Array(20).fill('user'))
  t.equal(service.seen.length, 1, 'requests with one token share one question')
  status = { authenticated: false }
  t.equal(await outcome('a'), 'user')
  t.equal(await outcome('b'), 'none')
  t.equal(await outcome('b'), 'none')
  t.equal(service.seen.length, 2)
  clock.advance(120_000)
  t.equal(await outcome('a'), 'none')
  status = { authenticated: 'broken' }
  clock.advance(120_000)
  t.equal(await outcome('a'), 'refused')
  t.equal(await outcome('a'), 'refused')
  t.equal(service.seen.length, 5)
})

t.test('audiences', async (t) => {
  let answered: readonly string[] | undefined
  const sent: unknown[] = []
  const { webhook } = await bench(t, {
    apiAudiences: ['api'],
    handler(_, response, body) {
      sent.push(JSON.parse(body).spec.audiences)
      sendJson(
        response,
        review({
          authenticated: true,
          user: jane,
          ...(answered === undefined ? {} : { audiences: answered }),
        }),
      )
    },
  })
  const table: readonly (readonly [
    readonly string[] | undefined,
    readonly string[] | undefined,
    readonly string[] | 'none',
  ])[] = [
    // asked     answered        good for
    [undefined, ['api'], ['api']],
    [undefined, undefined, ['api']],
    [undefined, ['vault'], 'none'],
    [['vault'], ['vault', 'x'], ['vault']],
    [['vault'], undefined, 'none'],
    [['vault'], ['x'], 'none'],
  ]
  for (const [asked, answer, good] of table) {
    answered = answer
    const found = await webhook.authenticateToken(secret, asked)
    t.same(found.type === 'user' ? found.audiences : found.type, good, JSON.stringify([asked, answer]))
  }
  t.same(sent, [['api'], ['api'], ['api'], ['vault'], ['vault'], ['vault']])
})
