/**
 * Bearer tokens that a service outside judges: it is sent a TokenReview and answers with its status. Answers are kept;
 * a service that fails is none, and what it was asked is refused.
 *
 * Source: specification, "Token webhook authentication".
 */

import type { Clock } from '../../store/contract.ts'
import { fail, ok, type Result } from '../../store/contract.ts'
import { isJsonObject, type JsonObject, type JsonValue } from '../json.ts'
import type { Log } from '../observe/log.ts'
import { throttledWarning } from '../observe/throttled.ts'
import type { Endpoint } from '../outside/kubeconfig.ts'
import { callReview } from '../outside/review-call.ts'
import type { User } from '../pipeline/user.ts'
import { type TokenAuthenticator, withAuthenticated } from './authenticate.ts'
import { createTokenCache, type Found } from './token-cache.ts'

interface WebhookTokenParts {
  readonly endpoint: Endpoint
  /** `authentication.<domain>/v1` or `/v1beta1`. */
  readonly apiVersion: string
  /** How long an answer is kept, whatever it says; 0 = not at all. Milliseconds. */
  readonly cacheTtlMs: number
  /** What this server is called; none = audiences are not looked at. */
  readonly apiAudiences: readonly string[]
  readonly clock: Clock
  readonly log: Log
  /** 0 ≤ x < 1. */
  readonly fraction: () => number
}

const timeoutMs = 10_000

export function createWebhookTokenAuthenticator(parts: WebhookTokenParts): TokenAuthenticator {
  const { endpoint, apiVersion, cacheTtlMs, apiAudiences, clock, fraction } = parts
  const warn = throttledWarning(parts.log, clock)

  async function find(token: string, asked: readonly string[] = apiAudiences): Promise<Found> {
    const spec = { token, ...(asked.length === 0 ? {} : { audiences: asked }) }
    const review = { apiVersion, kind: 'TokenReview', spec }
    const status = await callReview({ endpoint, review, timeoutMs, clock, fraction })
    const found = status.ok ? readStatus(status.value) : status
    if (!found.ok) {
      warn('the token webhook gave no answer that can be used', { reason: found.failure })
      return { answer: { type: 'refused', reason: 'the token webhook failed' }, keepMs: 0 }
    }
    const verdict = found.value
    if (verdict.type !== 'user') return { answer: verdict, keepMs: cacheTtlMs }
    if (asked.length === 0) return { answer: { type: 'user', user: verdict.user }, keepMs: cacheTtlMs }
    const good = verdict.audiences.length === 0 ? apiAudiences : verdict.audiences
    const audiences = asked.filter((audience) => good.includes(audience))
    return audiences.length === 0
      ? { answer: { type: 'none' }, keepMs: cacheTtlMs }
      : { answer: { type: 'user', user: verdict.user, audiences }, keepMs: cacheTtlMs }
  }

  return createTokenCache({ clock, find })
}

type Verdict =
  | { readonly type: 'user'; readonly user: User; readonly audiences: readonly string[] }
  | { readonly type: 'none' }
  | { readonly type: 'refused'; readonly reason: string }

/** Fails with a sentence when the answer is not of the form that it must have. */
function readStatus(status: JsonObject): Result<Verdict, string> {
  const { authenticated = false, error, user, audiences } = status
  if (typeof authenticated !== 'boolean') return fail('status.authenticated is no boolean')
  if (!authenticated)
    return ok(
      typeof error === 'string' && error !== '' ? { type: 'refused', reason: error } : { type: 'none' },
    )
  if (!isJsonObject(user)) return fail('status.user is missing')
  const { username, uid = '', groups, extra } = user
  if (typeof username !== 'string' || username === '') return fail('status.user.username is missing')
  if (typeof uid !== 'string') return fail('status.user.uid is no text')
  const [groupTexts, audienceTexts] = [textList(groups), textList(audiences)]
  if (groupTexts === undefined) return fail('status.user.groups is no list of texts')
  if (audienceTexts === undefined) return fail('status.audiences is no list of texts')
  const extraLists = new Map<string, readonly string[]>()
  if (extra !== undefined && extra !== null) {
    if (!isJsonObject(extra)) return fail('status.user.extra is no map')
    for (const [key, values] of Object.entries(extra)) {
      const texts = textList(values)
      if (texts === undefined) return fail('status.user.extra holds what is no list of texts')
      extraLists.set(key, texts)
    }
  }
  return ok({
    type: 'user',
    user: { name: username, uid, groups: withAuthenticated(groupTexts), extra: extraLists },
    audiences: audienceTexts,
  })
}

function textList(value: JsonValue | undefined): readonly string[] | undefined {
  if (value === undefined || value === null) return []
  return Array.isArray(value) && value.every((one) => typeof one === 'string') ? value : undefined
}
