/** What conversion webhooks are asked, and what is made of their answers. */

import t from 'tap'
import type { Converter } from '../../../../src/crd/conversion/converter.ts'
import { ConversionMetrics } from '../../../../src/crd/conversion/metrics.ts'
import { createWebhookConverter } from '../../../../src/crd/conversion/webhook.ts'
import { readConversionWebhook } from '../../../../src/crd/conversion/webhook-config.ts'
import type { JsonObject, JsonValue } from '../../../../src/json.ts'
import type { HttpRequest, Outside } from '../../../../src/outside/outside.ts'
import { ServiceClients } from '../../../../src/outside/service-clients.ts'
import type { ApiObject } from '../../../../src/types/object.ts'
import { fail, ok } from '../../../../store/contract.ts'

type Answer = (review: { apiVersion: string; kind: string; request: JsonObject }) => JsonValue | string

interface Scene {
  readonly converter: Converter
  readonly metrics: ConversionMetrics
  readonly requests: HttpRequest[]
  /** Bodies of the requests. */
  readonly reviews: JsonObject[]
}

function scene(answer: Answer, versions: JsonValue = ['v2', 'v1', 'v1beta1'], status = 200): Scene {
  const requests: HttpRequest[] = []
  const reviews: JsonObject[] = []
  const outside: Outside = {
    readFile: async () => fail('there are no files'),
    streamingClient: () => fail('nothing is streamed'),
    httpClient: () =>
      ok({
        async request(request) {
          requests.push(request)
          const review = JSON.parse(String(request.body))
          reviews.push(review)
          const answered = answer(review)
          const text = typeof answered === 'string' ? answered : JSON.stringify(answered)
          return ok({ status, headers: new Map(), body: Buffer.from(text) })
        },
        close() {},
      }),
  }
  const metrics = new ConversionMetrics()
  const clients = new ServiceClients(outside, { get: async () => ok(undefined) })
  let uids = 0
  let nowMs = 0
  const webhook = readConversionWebhook('things.example.com', {
    clientConfig: { url: 'https://there.example.com/convert' },
    conversionReviewVersions: versions,
  })
  const converter = createWebhookConverter(webhook, {
    group: 'apiextensions.k8s.io',
    clients: async () => clients,
    metrics,
    warn() {},
    uuid: () => `uid-${++uids}`,
    nowMs: () => (nowMs += 3),
  })
  return { converter, metrics, requests, reviews }
}

const thing = (name: string, more: JsonObject = {}): ApiObject => ({
  apiVersion: 'example.com/v1',
  kind: 'Thing',
  metadata: { name, uid: `u-${name}` },
  ...more,
})

const success = ({ apiVersion, kind, request }: Parameters<Answer>[0], objects: JsonValue): JsonValue => ({
  apiVersion,
  kind,
  response: { uid: request['uid'] ?? '', result: { status: 'Success' }, convertedObjects: objects },
})

const echo: Answer = (review) =>
  success(
    review,
    (review.request['objects'] as JsonObject[]).map((object) => ({
      ...object,
      apiVersion: review.request['desiredAPIVersion'] ?? '',
    })),
  )

t.test('objects go together in one request, and come back in their order', async (t) => {
  const { converter, requests, reviews } = scene(echo)
  const converted = await converter.convert([thing('a'), thing('b')], 'example.com/v2')
  t.same(converted, {
    ok: true,
    value: ['a', 'b'].map((name) => ({ ...thing(name), apiVersion: 'example.com/v2' })),
  })
  t.same(reviews, [
    {
      kind: 'ConversionReview',
      apiVersion: 'apiextensions.k8s.io/v1',
      request: { uid: 'uid-1', desiredAPIVersion: 'example.com/v2', objects: [thing('a'), thing('b')] },
    },
  ])
  t.match(requests[0], { url: 'https://there.example.com/convert?timeout=30s', timeoutMs: 30_000 })
})

t.test('large objects go in further requests', async (t) => {
  const { converter, reviews } = scene(echo)
  const large = (name: string) => thing(name, { spec: { text: 'x'.repeat(3 * 1024 * 1024) } })
  const converted = await converter.convert([large('a'), large('b'), thing('c')], 'example.com/v2')
  t.same(
    reviews.map((review) =>
      ((review['request'] as JsonObject)['objects'] as JsonObject[]).map(
        (object) => (object['metadata'] as JsonObject)['name'],
      ),
    ),
    [['a'], ['b', 'c']],
  )
  t.same(converted.ok && converted.value.map(({ metadata }) => metadata.name), ['a', 'b', 'c'])
})

t.test('the older version of the review says neither what it is nor whom it is for', async (t) => {
  const { converter, reviews } = scene(
    ({ request }) => ({
      response: {
        result: { status: 'Success' },
        convertedObjects: (request['objects'] as JsonObject[]).map((object) => ({
          ...object,
          apiVersion: 'example.com/v2',
        })),
      },
    }),
    ['v1beta1', 'v1'],
  )
  t.equal((await converter.convert([thing('a')], 'example.com/v2')).ok, true)
  t.equal(reviews[0]?.['apiVersion'], 'apiextensions.k8s.io/v1beta1')
})

const who = 'conversion webhook for example.com/v1, Kind=Thing'

const unreadable = 'the answer is not a JSON object, or nests too deeply'

t.test('answers that cannot be used', async (t) => {
  const cases: readonly (readonly [what: string, answer: Answer, message: string, type: string])[] = [
    ['no JSON', () => 'hello', `${who} failed: ${unreadable}`, 'call'],
    ['no object', () => 7, `${who} failed: ${unreadable}`, 'call'],
    [
      'too deep',
      () => `{"response":${'['.repeat(100_000)}${']'.repeat(100_000)}}`,
      `${who} failed: ${unreadable}`,
      'call',
    ],
    [
      'another kind',
      ({ request }) => ({ apiVersion: 'v1', kind: 'Status', response: { uid: request['uid'] ?? '' } }),
      `${who} failed: expected webhook response of apiextensions.k8s.io/v1, Kind=ConversionReview, got /v1, Kind=Status`,
      'malformed_response',
    ],
    [
      'no response',
      ({ apiVersion, kind }) => ({ apiVersion, kind }),
      `${who} failed: no response provided`,
      'malformed_response',
    ],
    [
      'for somebody else',
      ({ apiVersion, kind }) => ({ apiVersion, kind, response: { uid: 'other' } }),
      `${who} failed: expected response.uid="uid-1", got "other"`,
      'malformed_response',
    ],
    [
      'it says why not',
      ({ apiVersion, kind, request }) => ({
        apiVersion,
        kind,
        response: { uid: request['uid'] ?? '', result: { status: 'Failed', message: 'not today' } },
      }),
      `${who} failed: not today`,
      'malformed_response',
    ],
    [
      'it does not say why not',
      ({ apiVersion, kind, request }) => ({
        apiVersion,
        kind,
        response: { uid: request['uid'] ?? '', result: { status: 'Failure' } },
      }),
      `${who} failed: response.result.status was 'Failure', not 'Success'`,
      'malformed_response',
    ],
    [
      'it does not say whether',
      ({ apiVersion, kind, request }) => ({ apiVersion, kind, response: { uid: request['uid'] ?? '' } }),
      `${who} failed: response.result.status was '', not 'Success'`,
      'malformed_response',
    ],
    ['none', (review) => success(review, []), `${who} returned 0 objects, expected 1`, 'partial_response'],
    [
      'too many',
      (review) => success(review, [1, 2]),
      `${who} returned 2 objects, expected 1`,
      'partial_response',
    ],
    [
      'as they came',
      (review) => success(review, review.request['objects'] ?? []),
      `${who} returned invalid converted object at index 0: invalid groupVersion (expected example.com/v2, received example.com/v1)`,
      'invalid_converted_object',
    ],
    [
      'metadata that cannot be',
      (review) =>
        success(review, [
          { ...thing('a'), apiVersion: 'example.com/v2', metadata: { name: 'a', uid: 'u-a', labels: 1 } },
        ] as unknown as JsonValue),
      `${who} returned invalid metadata in object at index 0: invalid metadata.labels of type int64 in converted object`,
      'invalid_converted_object',
    ],
  ]
  for (const [what, answer, message, type] of cases) {
    const { converter, metrics } = scene(answer)
    t.same(await converter.convert([thing('a')], 'example.com/v2'), { ok: false, failure: message }, what)
    t.match(
      metrics.text(),
      `apiserver_conversion_webhook_request_total{failure_type="conversion_webhook_${type}_failure",result="failure"} 1`,
      what,
    )
  }
})

t.test('a status that is no success', async (t) => {
  const { converter } = scene(() => 'broken', ['v1'], 503)
  t.same(await converter.convert([thing('a')], 'example.com/v2'), {
    ok: false,
    failure: `${who} failed: an error on the server ("broken") has prevented the request from succeeding`,
  })
})

t.test('a webhook that speaks no known version', async (t) => {
  const { converter, requests } = scene(echo, ['v9'])
  t.same(await converter.convert([thing('a')], 'example.com/v2'), {
    ok: false,
    failure: 'no supported conversion review versions',
  })
  t.equal(requests.length, 0)
})

t.test('what is counted', async (t) => {
  const { converter, metrics } = scene(echo)
  await converter.convert([thing('a')], 'example.com/v2')
  const text = metrics.text()
  for (const line of [
    'apiserver_conversion_webhook_request_total{failure_type="",result="success"} 1',
    'apiserver_conversion_webhook_duration_seconds_bucket{failure_type="",result="success",le="0.005"} 1',
    'apiserver_crd_conversion_webhook_duration_seconds_bucket{crd_name="things.example.com",from_version="v1",succeeded="true",to_version="v2",le="0.004"} 1',
    'apiserver_crd_conversion_webhook_duration_seconds_count{crd_name="things.example.com",from_version="v1",succeeded="true",to_version="v2"} 1',
  ])
    t.match(text, line)
})
