/**
 * A service outside decides: it is sent a SubjectAccessReview, where its match conditions hold, and its answers are kept
 * for a while.
 *
 * Source: specification, "Authorization" 6, 7.
 */

import type { Clock } from '../../../store/contract.ts'
import { matchConditionsCostMax } from '../../cel/limits.ts'
import type { JsonObject } from '../../json.ts'
import type { Log } from '../../observe/log.ts'
import { throttledWarning } from '../../observe/throttled.ts'
import type { Endpoint } from '../../outside/kubeconfig.ts'
import { callReview } from '../../outside/review-call.ts'
import { type AuthorizationModule, type Decision, noOpinion, noRules } from '../authorizer.ts'
import { DecisionCache } from './decision-cache.ts'
import type { WebhookMetrics } from './metrics.ts'
import { decisionOf, fullSpec, sentSpec } from './review.ts'
import type { AuthorizationWebhookSettings } from './settings.ts'

interface WebhookAuthorizerParts {
  readonly settings: AuthorizationWebhookSettings
  readonly endpoint: Endpoint
  /** `authorization.<domain>`. */
  readonly group: string
  readonly metrics: WebhookMetrics
  readonly clock: Clock
  readonly log: Log
  /** 0 ≤ x < 1. */
  readonly fraction: () => number
}

export function createWebhookAuthorizer(parts: WebhookAuthorizerParts): AuthorizationModule {
  const { settings, endpoint, group, metrics, clock, fraction } = parts
  const { name, version, timeoutMs, failurePolicy } = settings
  const apiVersion = `${group}/${version}`
  const cache = new DecisionCache(clock)
  const warn = throttledWarning(parts.log, clock)

  async function ask(spec: JsonObject, key: string): Promise<Decision> {
    const startMs = clock.monotonicMs()
    const review = { apiVersion, kind: 'SubjectAccessReview', spec }
    const status = await callReview({ endpoint, review, timeoutMs, clock, fraction })
    const decision = status.ok ? decisionOf(status.value) : status
    const tookMs = clock.monotonicMs() - startMs
    if (!decision.ok) {
      const result = tookMs >= timeoutMs ? 'timeout' : 'error'
      metrics.asked(name, result, tookMs / 1000)
      if (failurePolicy === 'NoOpinion') metrics.failedOpen(name, result)
      return failed(decision.failure)
    }
    metrics.asked(name, 'success', tookMs / 1000)
    const { authorizedTtlMs, unauthorizedTtlMs } = settings
    cache.set(key, decision.value, decision.value.decision === 'allow' ? authorizedTtlMs : unauthorizedTtlMs)
    return decision.value
  }

  function failed(reason: string): Decision {
    warn('an authorization webhook gave no answer that can be used', { name, reason, failurePolicy })
    return failurePolicy === 'Deny'
      ? { decision: 'deny', reason: `authorization webhook ${name} failed` }
      : noOpinion
  }

  return {
    authorize(attributes) {
      const full = fullSpec(attributes)
      if (settings.matchConditions.length > 0) {
        const startMs = clock.monotonicMs()
        const outcome = matchConditions(settings, full)
        metrics.conditions(name, outcome.type, (clock.monotonicMs() - startMs) / 1000)
        if (outcome.type === 'excluded') return noOpinion
        if (outcome.type === 'error') return failed(outcome.reason)
      }
      const spec = sentSpec(full, version)
      const key = JSON.stringify(spec)
      return cache.get(key) ?? ask(spec, key)
    },
    rulesFor: async () => ({
      ...noRules,
      incomplete: true,
      errors: ['webhook authorizer does not support user rule resolution'],
    }),
  }
}

type Match = { readonly type: 'match' | 'excluded' } | { readonly type: 'error'; readonly reason: string }

/** One that does not hold outweighs those that cannot be evaluated. */
function matchConditions(
  { matchConditions: programs }: AuthorizationWebhookSettings,
  request: JsonObject,
): Match {
  let left = matchConditionsCostMax
  let reason: string | undefined
  for (const program of programs) {
    const { result, cost } = program.measure({ request }, { costMax: left })
    left = Math.max(0, left - cost)
    if (!result.ok) reason ??= `match condition ${JSON.stringify(program.source)}: ${result.failure.message}`
    else if (result.value !== true) return { type: 'excluded' }
  }
  return reason === undefined ? { type: 'match' } : { type: 'error', reason }
}
