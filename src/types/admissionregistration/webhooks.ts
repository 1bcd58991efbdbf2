/** Webhook configurations. Source: specification, "Admission webhook configuration (v1 rules)". */

import type { JsonObject } from '../../json.ts'
import { duplicate, invalidValue } from '../../status/causes.ts'
import type { ModuleFactory } from '../module.ts'
import { type Causes, checkName, checkNotEmpty, checkText, createUnique } from '../validation/checks.ts'
import { checkSelector } from '../validation/labels.ts'
import { fullyQualifiedProblems, hostLabelProblems, qualifiedNameProblems } from '../validation/names.ts'
import { itemsIn, jsonOf, numberIn, objectIn, textIn, textsIn } from '../validation/read.ts'
import { validates } from '../validation/validator.ts'
import { checkWebhookClient } from '../validation/webhook-client.ts'
import { checkRules } from './rules.ts'

/** Of both kinds: they differ in fields that have no rules of their own. */
export const webhookConfiguration: ModuleFactory = () => ({
  strategy: {
    finalizersWithoutDomain: true,
    validate: validates((causes, object) => {
      const unique = createUnique(causes)
      for (const [i, webhook] of itemsIn(jsonOf(object), 'webhooks').entries()) {
        const at = `webhooks[${i}]`
        checkWebhook(causes, at, webhook)
        unique(`${at}.name`, textIn(webhook, 'name'))
      }
    }),
  },
})

const timeoutSecondsMax = 30

function checkWebhook(causes: Causes, path: string, webhook: JsonObject): void {
  checkName(causes, path, webhook, 'name', fullyQualifiedProblems)
  const timeout = numberIn(webhook, 'timeoutSeconds')
  if (timeout !== undefined && (timeout < 1 || timeout > timeoutSecondsMax))
    causes.push(
      invalidValue(
        `${path}.timeoutSeconds`,
        timeout,
        `the timeout value must be between 1 and ${timeoutSecondsMax} seconds`,
      ),
    )
  checkVersions(causes, path, webhook)
  checkWebhookClient(causes, `${path}.clientConfig`, objectIn(webhook, 'clientConfig') ?? {})
  checkSelector(causes, `${path}.namespaceSelector`, objectIn(webhook, 'namespaceSelector'))
  checkSelector(causes, `${path}.objectSelector`, objectIn(webhook, 'objectSelector'))
  checkRules(causes, `${path}.rules`, itemsIn(webhook, 'rules'))
  checkConditions(causes, path, webhook)
}

const reviewVersions = ['v1', 'v1beta1']

/** `admissionReviewVersions`: at least one that this server speaks. */
function checkVersions(causes: Causes, path: string, webhook: JsonObject): void {
  const versions = textsIn(webhook, 'admissionReviewVersions')
  const at = `${path}.admissionReviewVersions`
  const known = reviewVersions.join(', ')
  checkNotEmpty(causes, path, webhook, 'admissionReviewVersions', `must specify one of ${known}`)
  const seen = new Set<string>()
  for (const [i, version] of versions.entries()) {
    if (seen.has(version)) causes.push(invalidValue(`${at}[${i}]`, version, 'duplicate version'))
    seen.add(version)
    checkText(causes, `${at}[${i}]`, version, hostLabelProblems)
  }
  if (versions.length > 0 && !versions.some((version) => reviewVersions.includes(version)))
    causes.push(invalidValue(at, versions, `must include at least one of ${known}`))
}

const conditionsMax = 64

function checkConditions(causes: Causes, path: string, webhook: JsonObject): void {
  const conditions = itemsIn(webhook, 'matchConditions')
  if (conditions.length > conditionsMax)
    causes.push({
      reason: 'FieldValueTooMany',
      message: `Too many: ${conditions.length}: must have at most ${conditionsMax} items`,
      field: `${path}.matchConditions`,
    })
  const names = new Set<string>()
  for (const [i, condition] of conditions.entries()) {
    const at = `${path}.matchConditions[${i}]`
    checkName(causes, at, condition, 'name', qualifiedNameProblems)
    const name = textIn(condition, 'name')
    if (names.has(name)) causes.push(duplicate(`${at}.name`, name))
    names.add(name)
  }
}
