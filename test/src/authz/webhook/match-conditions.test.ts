/** Match conditions: which requests a webhook is asked about. */

import t from 'tap'
import type { RequestAttributes } from '../../../../src/authz/authorizer.ts'
import { createWebhookAuthorizer } from '../../../../src/authz/webhook/authorizer.ts'
import { WebhookMetrics } from '../../../../src/authz/webhook/metrics.ts'
import { parseAuthorizationConfig } from '../../../../src/config/authorization-config.ts'
import { createNames } from '../../../../src/names/names.ts'
import { silentLog } from '../../../../src/observe/log.ts'
import { ok } from '../../../../store/contract.ts'
import { createManualClock } from '../../../support/manual-clock.ts'
import { authorizationConfiguration, webhookAuthorizer } from '../../../support/service-files.ts'

const pod: RequestAttributes = {
  type: 'resource',
  verb: 'get',
  group: '',
  version: 'v1',
  namespace: 'shop',
  resource: 'pods',
  subresource: '',
  name: 'p',
}
const path: RequestAttributes = { type: 'nonResource', verb: 'get', path: '/metrics' }
const jane = { name: 'jane', uid: '', groups: ['dev'], extra: new Map([['scopes', ['a', 'b']]]) }

function bench(expressions: readonly string[], failurePolicy: 'NoOpinion' | 'Deny' = 'NoOpinion') {
  const matchConditions = expressions.map((expression) => ({ expression }))
  const file = authorizationConfiguration(webhookAuthorizer('/hook', { failurePolicy, matchConditions }))
  const parsed = parseAuthorizationConfig(JSON.stringify(file), createNames('kubernetes'))
  if (!parsed.ok) throw new Error(parsed.failure)
  const [first] = parsed.value
  if (first?.type !== 'webhook') throw new Error('no webhook')
  let asked = 0
  const metrics = new WebhookMetrics()
  const answer = {
    apiVersion: 'authorization.k8s.io/v1',
    kind: 'SubjectAccessReview',
    status: { allowed: true },
  }
  const authorizer = createWebhookAuthorizer({
    settings: first.webhook,
    endpoint: {
      url: 'https://hook.example/',
      authorization: async () => undefined,
      client: {
        async request() {
          asked++
          return ok({ status: 200, headers: new Map(), body: Buffer.from(JSON.stringify(answer)) })
        },
        close() {},
      },
    },
    group: 'authorization.k8s.io',
    metrics,
    clock: createManualClock(),
    log: silentLog,
    fraction: () => 0,
  })
  const decide = async (request: RequestAttributes): Promise<string> => {
    const { decision } = await authorizer.authorize({ user: jane, request })
    return asked > 0 ? `asked: ${decision}` : decision
  }
  return { decide, metrics }
}

const table: readonly (readonly [readonly string[], RequestAttributes, string])[] = [
  [[], pod, 'asked: allow'],
  [['true'], pod, 'asked: allow'],
  [['false'], pod, 'noOpinion'],
  [['true', 'request.user == "bob"'], pod, 'noOpinion'],
  [['has(request.resourceAttributes)'], pod, 'asked: allow'],
  [['has(request.resourceAttributes)'], path, 'noOpinion'],
  [
    ['has(request.nonResourceAttributes) && request.nonResourceAttributes.path.startsWith("/met")'],
    path,
    'asked: allow',
  ],
  [['request.resourceAttributes.namespace == "shop"'], pod, 'asked: allow'],
  [['request.resourceAttributes.subresource == ""'], pod, 'asked: allow'],
  [['!("system:masters" in request.groups)'], pod, 'asked: allow'],
  [['"dev" in request.groups && request.extra["scopes"].exists(s, s == "b")'], pod, 'asked: allow'],
  [['request.uid == ""'], path, 'asked: allow'],
  [['request.user.matches("^j.*e$")'], path, 'asked: allow'],
  // What cannot be evaluated skips it, and so does one that does not hold beside it.
  [['request.resourceAttributes.namespace == "shop"'], path, 'noOpinion'],
  [['request.extra["absent"].size() > 0', 'true'], pod, 'noOpinion'],
]

t.test('failurePolicy NoOpinion', async (t) => {
  for (const [expressions, request, expected] of table)
    t.equal(await bench(expressions).decide(request), expected, JSON.stringify([expressions, request.type]))
})

t.test(
  'failurePolicy Deny denies what cannot be evaluated, unless another condition does not hold',
  async (t) => {
    const broken = 'request.extra["absent"].size() > 0'
    t.equal(await bench([broken], 'Deny').decide(pod), 'deny')
    t.equal(await bench([broken, 'true'], 'Deny').decide(pod), 'deny')
    t.equal(await bench([broken, 'false'], 'Deny').decide(pod), 'noOpinion')
    t.equal(await bench(['false', broken], 'Deny').decide(pod), 'noOpinion')
    t.equal(await bench(['true'], 'Deny').decide(pod), 'asked: allow')
  },
)

t.test('what is counted', async (t) => {
  const excluded = bench(['false'])
  await excluded.decide(pod)
  t.match(
    excluded.metrics.text(),
    /apiserver_authorization_match_condition_exclusions_total\{name="hook",type="Webhook"\} 1\n/,
  )
  const broken = bench(['request.extra["absent"].size() > 0'])
  await broken.decide(pod)
  t.match(
    broken.metrics.text(),
    /apiserver_authorization_match_condition_evaluation_errors_total\{name="hook",type="Webhook"\} 1\n/,
  )
  t.match(
    broken.metrics.text(),
    /apiserver_authorization_match_condition_evaluation_seconds_count\{name="hook",type="Webhook"\} 1\n/,
  )
})

t.test('conditions that are no conditions', (t) => {
  const wrong: readonly (readonly [string, RegExp])[] = [
    ['request.', /matchConditions\[0\].expression: Invalid value: "request.": compilation failed: /],
    ['request.user', /must evaluate to bool/],
    ['request.resource == "pods"', /undefined field 'resource'/],
    ['object.x', /undeclared reference to 'object'/],
    ['request.user + 1 == "a"', /no matching overload/],
  ]
  for (const [expression, message] of wrong) t.throws(() => bench([expression]), { message }, expression)
  t.throws(() => bench(['true', 'true']), {
    message: /matchConditions\[1\].expression: Duplicate value: "true"/,
  })
  t.end()
})
