/**
 * Strategy `Webhook`: a service of the definition's author converts, many objects in one request. Its answers are
 * judged: a converted object that is another one fails them all.
 *
 * Source: apiextensions/v1 CustomResourceConversion, WebhookConversion.
 */

import { fail, ok, type Result } from '../../../store/contract.ts'
import type { JsonObject, JsonValue } from '../../json.ts'
import type { LogFields } from '../../observe/log.ts'
import type { ServiceClients } from '../../outside/service-clients.ts'
import type { ApiObject } from '../../types/object.ts'
import { checkedConversion } from './checks.ts'
import type { Converter } from './converter.ts'
import type { ConversionMetrics, FailureType } from './metrics.ts'
import { kindText, readReview, reviewBody } from './review.ts'
import type { ConversionWebhook, ReviewVersion } from './webhook-config.ts'

const timeoutMs = 30_000
/** JSON of the objects of one request: more go in further ones. One object alone may be larger. */
const requestBytesMax = 4 * 1024 * 1024
const answerBytesMax = 32 * 1024 * 1024

interface WebhookParts {
  /** `apiextensions.<domain>`. */
  readonly group: string
  /** Made when there is something to convert. */
  readonly clients: () => Promise<ServiceClients>
  readonly metrics: ConversionMetrics
  readonly warn: (message: string, fields: LogFields) => void
  readonly uuid: () => string
  readonly nowMs: () => number
}

export function createWebhookConverter(
  { definition, client, reviewVersion }: ConversionWebhook,
  { group, clients, metrics, warn, uuid, nowMs }: WebhookParts,
): Converter {
  return {
    asksOthers: true,
    async convert(objects, apiVersion) {
      if (reviewVersion === undefined) return fail('no supported conversion review versions')
      const converted: ApiObject[] = []
      for (const batch of batches(objects)) {
        const outcome = await ask(batch, apiVersion, reviewVersion)
        if (!outcome.ok) return outcome
        for (const object of outcome.value) converted.push(object)
      }
      return ok(converted)
    },
  }

  async function ask(
    batch: Batch,
    apiVersion: string,
    version: ReviewVersion,
  ): Promise<Result<readonly ApiObject[], string>> {
    const startMs = nowMs()
    const outcome = await call(batch, apiVersion, version)
    const failure = outcome.ok ? undefined : outcome.failure.type
    const { first } = batch
    metrics.called({
      definition,
      from: versionIn(first.apiVersion),
      to: versionIn(apiVersion),
      tookMs: nowMs() - startMs,
      failure,
    })
    if (outcome.ok) return outcome
    const message = `conversion webhook for ${kindText(first as JsonObject)} ${outcome.failure.message}`
    warn('a conversion webhook gave no answer that can be used', { definition, reason: message })
    return fail(message)
  }

  async function call(
    { objects, texts }: Batch,
    apiVersion: string,
    version: ReviewVersion,
  ): Promise<Result<readonly ApiObject[], CallFailure>> {
    const review = { group, version, uid: uuid(), desiredApiVersion: apiVersion }
    const service = await clients()
    const body = await service.post(client, reviewBody(review, texts), timeoutMs, answerBytesMax)
    if (!body.ok) return failed('conversion_webhook_call_failure', `failed: ${body.failure}`)
    const answer = readReview(review, body.value)
    if (!answer.ok) {
      const { type, message } = answer.failure
      return failed(
        type === 'unreadable'
          ? 'conversion_webhook_call_failure'
          : 'conversion_webhook_malformed_response_failure',
        `failed: ${message}`,
      )
    }
    if (answer.value.length !== objects.length)
      return failed(
        'conversion_webhook_partial_response_failure',
        `returned ${answer.value.length} objects, expected ${objects.length}`,
      )
    return judge(objects, answer.value, apiVersion)
  }
}

interface CallFailure {
  readonly type: FailureType
  /** What follows the name of the webhook. */
  readonly message: string
}

function failed(type: FailureType, message: string): { ok: false; failure: CallFailure } {
  return fail({ type, message })
}

function judge(
  objects: readonly ApiObject[],
  answered: readonly JsonValue[],
  apiVersion: string,
): Result<readonly ApiObject[], CallFailure> {
  const checked: ApiObject[] = []
  for (const [index, object] of objects.entries()) {
    const one = checkedConversion(object, answered[index], apiVersion)
    if (!one.ok) {
      const { of, message } = one.failure
      const what = of === 'metadata' ? 'invalid metadata in object' : 'invalid converted object'
      return failed(
        'conversion_webhook_invalid_converted_object_failure',
        `returned ${what} at index ${index}: ${message}`,
      )
    }
    checked.push(one.value)
  }
  return ok(checked)
}

interface Batch {
  readonly first: ApiObject
  readonly objects: readonly ApiObject[]
  readonly texts: readonly string[]
}

/** In order, each as large as a request may be. */
function* batches(all: readonly ApiObject[]): Iterable<Batch> {
  let objects: ApiObject[] = []
  let texts: string[] = []
  let bytes = 0
  for (const object of all) {
    const text = JSON.stringify(object)
    const [first] = objects
    if (first !== undefined && bytes + text.length > requestBytesMax) {
      yield { first, objects, texts }
      objects = []
      texts = []
      bytes = 0
    }
    objects.push(object)
    texts.push(text)
    bytes += text.length
  }
  const [first] = objects
  if (first !== undefined) yield { first, objects, texts }
}

/** `v1` of `example.com/v1`. */
function versionIn(apiVersion: string): string {
  return apiVersion.slice(apiVersion.lastIndexOf('/') + 1)
}
