/** What a definition says of its webhook. Source: apiextensions/v1 WebhookConversion. */

import type { JsonObject, JsonValue } from '../../json.ts'
import { type ClientConfig, readClientConfig } from '../../outside/client-config.ts'
import { objectAt } from '../../types/draft.ts'

export type ReviewVersion = 'v1' | 'v1beta1'

export interface ConversionWebhook {
  /** Name of the definition. */
  readonly definition: string
  readonly client: ClientConfig
  /** Undefined = it speaks none that this server does. */
  readonly reviewVersion: ReviewVersion | undefined
}

/** @param webhook `spec.conversion.webhook` of a valid definition */
export function readConversionWebhook(definition: string, webhook: JsonObject): ConversionWebhook {
  return {
    definition,
    client: readClientConfig(objectAt(webhook, 'clientConfig') ?? {}),
    reviewVersion: reviewVersionOf(webhook['conversionReviewVersions']),
  }
}

/** The first of a definition's `conversionReviewVersions` that this server speaks; undefined = none. */
function reviewVersionOf(versions: JsonValue | undefined): ReviewVersion | undefined {
  if (!Array.isArray(versions)) return undefined
  return versions.find((one): one is ReviewVersion => one === 'v1' || one === 'v1beta1')
}
