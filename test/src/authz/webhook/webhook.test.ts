/** The authorization webhook: what it is asked, what its answers mean, and what its failures do. */

import t from 'tap'
import type { Attributes, RequestAttributes } from '../../../../src/authz/authorizer.ts'
import { createWebhookAuthorizer } from '../../../../src/authz/webhook/authorizer.ts'
import { WebhookMetrics } from '../../../../src/authz/webhook/metrics.ts'
import type { AuthorizationWebhookSettings } from '../../../../src/authz/webhook/settings.ts'
import { type Log, silentLog } from '../../../../src/observe/log.ts'
import { createHttpsClient } from '../../../../workers/outside/https-client.ts'
import { createManualClock } from '../../../support/manual-clock.ts'
import {
  createTestAuthority,
  type ServiceHandler,
  sendJson,
  startTlsService,
} from '../../../support/tls-service.ts'

const authority = await createTestAuthority()

const user = { name: 'jane', uid: '7', groups: ['dev'], extra: new Map([['scopes', ['a']]]) }
const pods: RequestAttributes = {
  type: 'resource',
  verb: 'get',
  group: '',
  version: 'v1',
  namespace: 'shop',
  resource: 'pods',
  subresource: 'log',
  name: 'p',
}
const metricsPath: RequestAttributes = { type: 'nonResource', verb: 'get', path: '/metrics' }

async function bench(
  t: { teardown(action: () => unknown): void },
  handler: ServiceHandler,
  change: Partial<AuthorizationWebhookSettings> = {},
) {
  const service = await startTlsService(t, authority, handler)
  const client = createHttpsClient({ ca: authority.ca.certificate })
  if (!client.ok) throw new Error(client.failure)
  t.teardown(() => client.value.close())
  const clock = createManualClock()
  const metrics = new WebhookMetrics()
  const lines: string[] = []
  const log: Log = {
    ...silentLog,
    warn: (message, fields) => void lines.push(`${message} ${JSON.stringify(fields)}`),
  }
  const authorizer = createWebhookAuthorizer({
    endpoint: { url: service.url, client: client.value, authorization: async () => undefined },
    group: 'authorization.k8s.io',
    settings: {
      name: 'hook',
      kubeconfigFile: '/unused',
      version: 'v1',
      timeoutMs: 3000,
      authorizedTtlMs: 300_000,
      unauthorizedTtlMs: 30_000,
      failurePolicy: 'NoOpinion',
      matchConditions: [],
      ...change,
    },
    metrics,
    clock,
    log,
    fraction: () => 0,
  })
  const ask = (request: RequestAttributes = pods, who: Attributes['user'] = user) =>
    authorizer.authorize({ user: who, request })
  return { service, clock, metrics, lines, authorizer, ask }
}

function answer(status: object, version = 'v1'): object {
  return { apiVersion: `authorization.k8s.io/${version}`, kind: 'SubjectAccessReview', status }
}

t.test('what is asked', async (t) => {
  const asked: unknown[] = []
  const note: ServiceHandler = (_, response, body) => {
    const review = JSON.parse(body)
    asked.push(review)
    sendJson(response, { ...review, spec: undefined, status: { allowed: true } })
  }
  const v1 = await bench(t, note)
  await v1.ask()
  await v1.ask(metricsPath, { name: 'x', uid: '', groups: [], extra: new Map() })
  const beta = await bench(t, note, { version: 'v1beta1' })
  await beta.ask({ ...pods, name: '', subresource: '', group: 'apps' })
  t.same(asked, [
    {
      apiVersion: 'authorization.k8s.io/v1',
      kind: 'SubjectAccessReview',
      spec: {
        user: 'jane',
        groups: ['dev'],
        uid: '7',
        extra: { scopes: ['a'] },
        resourceAttributes: {
          namespace: 'shop',
          verb: 'get',
          version: 'v1',
          resource: 'pods',
          subresource: 'log',
          name: 'p',
        },
      },
    },
    {
      apiVersion: 'authorization.k8s.io/v1',
      kind: 'SubjectAccessReview',
      spec: { user: 'x', nonResourceAttributes: { path: '/metrics', verb: 'get' } },
    },
    {
      apiVersion: 'authorization.k8s.io/v1beta1',
      kind: 'SubjectAccessReview',
      spec: {
        user: 'jane',
        group: ['dev'],
        uid: '7',
        extra: { scopes: ['a'] },
        resourceAttributes: {
          namespace: 'shop',
          verb: 'get',
          group: 'apps',
          version: 'v1',
          resource: 'pods',
        },
      },
    },
  ])
})

t.test('answers and failures, by policy', async (t) => {
  const noOpinion = { decision: 'noOpinion' }
  const table: readonly (readonly [string, ServiceHandler, object, object])[] = [
    // what, answer, decision with NoOpinion, decision with Deny
    [
      'yes',
      (_, r) => sendJson(r, answer({ allowed: true, reason: 'ok' })),
      { decision: 'allow', reason: 'ok' },
      { decision: 'allow' },
    ],
    [
      'no',
      (_, r) => sendJson(r, answer({ allowed: false, denied: true, reason: 'never' })),
      { decision: 'deny', reason: 'never' },
      { decision: 'deny' },
    ],
    [
      'nothing to say',
      (_, r) => sendJson(r, answer({ allowed: false, reason: 'who?' })),
      { ...noOpinion, reason: 'who?' },
      noOpinion,
    ],
    ['empty', (_, r) => sendJson(r, answer({})), noOpinion, noOpinion],
    [
      'yes and no',
      (_, r) => sendJson(r, answer({ allowed: true, denied: true })),
      { decision: 'deny' },
      { decision: 'deny' },
    ],
    [
      'yes as text',
      (_, r) => sendJson(r, answer({ allowed: 'true' })),
      noOpinion,
      { decision: 'deny', reason: 'authorization webhook hook failed' },
    ],
    [
      'another version',
      (_, r) => sendJson(r, answer({ allowed: true }, 'v1beta1')),
      noOpinion,
      { decision: 'deny' },
    ],
    [
      'another kind',
      (_, r) => sendJson(r, { ...answer({ allowed: true }), kind: 'TokenReview' }),
      noOpinion,
      { decision: 'deny' },
    ],
    ['no JSON', (_, r) => r.end('yes'), noOpinion, { decision: 'deny' }],
    ['forbidden', (_, r) => sendJson(r, answer({ allowed: true }), 403), noOpinion, { decision: 'deny' }],
    [
      'elsewhere',
      (_, r) => void r.writeHead(307, { location: 'https://localhost:1/' }).end(),
      noOpinion,
      { decision: 'deny' },
    ],
    ['too much', (_, r) => r.end(Buffer.alloc(1_100_000)), noOpinion, { decision: 'deny' }],
  ]
  for (const [what, handler, lenient, strict] of table) {
    t.match(await (await bench(t, handler)).ask(), lenient, what)
    t.match(await (await bench(t, handler, { failurePolicy: 'Deny' })).ask(), strict, `${what}, Deny`)
  }
})

t.test('one that hangs is given up in time', async (t) => {
  const lenient = await bench(t, () => {}, { timeoutMs: 50 })
  t.match(await lenient.ask(), { decision: 'noOpinion' })
  t.match(lenient.lines, [/did not answer within/])
  const strict = await bench(t, () => {}, { timeoutMs: 50, failurePolicy: 'Deny' })
  t.match(await strict.ask(), { decision: 'deny' })
})

t.test('answers are kept, each kind for its own time; failures are not', async (t) => {
  let status: object = { allowed: true }
  const { service, clock, ask } = await bench(t, (_, r) => sendJson(r, answer(status)))
  const asked = (): number => service.seen.length
  await ask()
  t.match(ask(), { decision: 'allow' }, 'known at once')
  await ask({ ...pods, name: 'other' })
  t.equal(asked(), 2, 'another object is another question')
  await ask(pods, { ...user, groups: ['ops'] })
  t.equal(asked(), 3, 'and so is another user')
  clock.advance(300_000)
  status = { allowed: false }
  t.match(await ask(), { decision: 'noOpinion' })
  t.equal(asked(), 4)
  clock.advance(29_000)
  await ask()
  t.equal(asked(), 4)
  clock.advance(1_000)
  status = { allowed: 'broken' }
  await ask()
  await ask()
  t.equal(asked(), 6)
  status = { allowed: true }
  const long = { ...metricsPath, path: `/${'x'.repeat(10_000)}` }
  await ask(long)
  await ask(long)
  t.equal(asked(), 8, 'questions of many kilobytes are not kept')
})

t.test('what is counted', async (t) => {
  let status: object = { allowed: true }
  const { metrics, ask } = await bench(t, (_, r) => sendJson(r, answer(status)), { authorizedTtlMs: 0 })
  await ask()
  await ask()
  status = { allowed: 1 }
  await ask()
  t.match(
    metrics.text(),
    /apiserver_authorization_webhook_evaluations_total\{name="hook",result="success"\} 2\n/,
  )
  t.match(
    metrics.text(),
    /apiserver_authorization_webhook_evaluations_total\{name="hook",result="error"\} 1\n/,
  )
  t.match(
    metrics.text(),
    /apiserver_authorization_webhook_evaluations_fail_open_total\{name="hook",result="error"\} 1\n/,
  )
  t.match(
    metrics.text(),
    /apiserver_authorization_webhook_duration_seconds_count\{name="hook",result="success"\} 2\n/,
  )
})

t.test('what a user may do cannot be listed', async (t) => {
  const { authorizer } = await bench(t, () => {})
  t.match(await authorizer.rulesFor(user, 'shop'), {
    resourceRules: [],
    incomplete: true,
    errors: ['webhook authorizer does not support user rule resolution'],
  })
})
