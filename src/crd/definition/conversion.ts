/** How objects get from one version to another: not at all but for their apiVersion, or by a webhook. */

import type { JsonObject } from '../../json.ts'
import { forbiddenField, invalidValue, notSupported, required } from '../../status/causes.ts'
import type { Causes } from '../../types/validation/checks.ts'
import { hostLabelProblems } from '../../types/validation/names.ts'
import { objectIn, textIn, textsIn } from '../../types/validation/read.ts'
import { checkWebhookClient } from '../../types/validation/webhook-client.ts'
import type { Strictness } from './strictness.ts'

const reviewVersions = ['v1', 'v1beta1']

export function isKnownReviewVersion(version: string): boolean {
  return reviewVersions.includes(version)
}

/** Clients know the members of `webhook` as members of `conversion`. */
export function checkConversion(causes: Causes, spec: JsonObject, { knownReviewVersion }: Strictness): void {
  const conversion = objectIn(spec, 'conversion')
  if (conversion === undefined) return
  const path = 'spec.conversion'
  const strategy = textIn(conversion, 'strategy')
  if (strategy !== 'None' && spec['preserveUnknownFields'] === true)
    causes.push(
      invalidValue(`${path}.strategy`, strategy, 'must be None if spec.preserveUnknownFields is true'),
    )
  if (strategy === '') causes.push(required(`${path}.strategy`))
  else if (strategy !== 'None' && strategy !== 'Webhook')
    causes.push(notSupported(`${path}.strategy`, strategy, ['None', 'Webhook']))
  const webhook = objectIn(conversion, 'webhook')
  const client = objectIn(webhook, 'clientConfig')
  const versions = textsIn(webhook, 'conversionReviewVersions')
  const [clientPath, versionsPath] = [`${path}.webhookClientConfig`, `${path}.conversionReviewVersions`]
  if (strategy === 'Webhook') {
    if (client === undefined) causes.push(required(clientPath, 'required when strategy is set to Webhook'))
    else checkWebhookClient(causes, clientPath, client)
    checkReviewVersions(causes, versionsPath, versions, knownReviewVersion)
    return
  }
  const misplaced = 'should not be set when strategy is not set to Webhook'
  if (client !== undefined) causes.push(forbiddenField(clientPath, misplaced))
  if (versions.length > 0) causes.push(forbiddenField(versionsPath, misplaced))
}

function checkReviewVersions(
  causes: Causes,
  path: string,
  versions: readonly string[],
  knownNeeded: boolean,
): void {
  if (versions.length === 0) {
    causes.push(required(path))
    return
  }
  const seen = new Set<string>()
  for (const [i, version] of versions.entries()) {
    const problems = seen.has(version) ? ['duplicate version'] : hostLabelProblems(version)
    for (const problem of problems) causes.push(invalidValue(`${path}[${i}]`, version, problem))
    seen.add(version)
  }
  if (knownNeeded && !versions.some(isKnownReviewVersion))
    causes.push(invalidValue(path, versions, `must include at least one of ${reviewVersions.join(', ')}`))
}
