/**
 * Sends a review to a webhook and gives back its answer, tried again while the fault may pass.
 *
 * Source: specification, "Token webhook authentication", "Authorization" 7.
 */

import type { Clock } from '../../store/contract.ts'
import { fail, ok, type Result } from '../../store/contract.ts'
import { isJsonObject, type JsonObject } from '../json.ts'
import type { Endpoint } from './kubeconfig.ts'
import type { HttpAnswer } from './outside.ts'

interface ReviewCall {
  readonly endpoint: Endpoint
  /** With apiVersion and kind: those that the answer must have too. */
  readonly review: JsonObject
  /** For all attempts together. Milliseconds. */
  readonly timeoutMs: number
  readonly clock: Clock
  /** 0 ≤ x < 1: spreads attempts. */
  readonly fraction: () => number
}

const answerBytesMax = 1024 * 1024
const attemptsMax = 5
const firstDelayMs = 500
const delayFactor = 1.5
const delayJitter = 0.2

/** The answer's `status`; fails with a sentence that holds nothing of the review. */
export async function callReview(call: ReviewCall): Promise<Result<JsonObject, string>> {
  const { clock, timeoutMs } = call
  const until = clock.monotonicMs() + timeoutMs
  const body = Buffer.from(JSON.stringify(call.review))
  let delayMs = firstDelayMs
  for (let attempt = 1; ; attempt++) {
    const outcome = await once(call, body, until - clock.monotonicMs())
    if (outcome.type === 'answer') return readAnswer(call.review, outcome.answer)
    const waitMs = outcome.afterMs ?? delayMs * (1 + delayJitter * call.fraction())
    const late = clock.monotonicMs() + waitMs >= until
    if (outcome.type === 'final' || attempt === attemptsMax || late) return fail(outcome.message)
    await new Promise<void>((resolve) => clock.after(waitMs, resolve))
    delayMs *= delayFactor
  }
}

type Attempt =
  | { readonly type: 'answer'; readonly answer: HttpAnswer }
  | { readonly type: 'passing' | 'final'; readonly message: string; readonly afterMs?: number }

async function once({ endpoint }: ReviewCall, body: Buffer, timeoutMs: number): Promise<Attempt> {
  const authorization = await endpoint.authorization()
  const answer = await endpoint.client.request({
    method: 'POST',
    url: endpoint.url,
    headers: {
      'content-type': 'application/json',
      ...(authorization === undefined ? {} : { authorization }),
    },
    body,
    timeoutMs: Math.max(1, timeoutMs),
    answerBytesMax,
  })
  if (!answer.ok) {
    const { code, message } = answer.failure
    return { type: code === 'Reset' ? 'passing' : 'final', message }
  }
  const { status, headers } = answer.value
  if (status >= 200 && status < 300) return { type: 'answer', answer: answer.value }
  const message = `${new URL(endpoint.url).host} answered ${status}`
  const seconds = /^\d{1,4}$/.exec(headers.get('retry-after') ?? '')
  if (seconds !== null) return { type: 'passing', message, afterMs: Number(seconds[0]) * 1000 }
  return { type: passingStatuses.has(status) ? 'passing' : 'final', message }
}

const passingStatuses: ReadonlySet<number> = new Set([429, 500, 503, 504])

function readAnswer({ apiVersion, kind }: JsonObject, { body }: HttpAnswer): Result<JsonObject, string> {
  let answer: unknown
  try {
    answer = JSON.parse(body.toString('utf8'))
  } catch {
    return fail('the answer is not JSON')
  }
  if (!isJsonObject(answer)) return fail('the answer is not an object')
  if (answer['apiVersion'] !== apiVersion || answer['kind'] !== kind)
    return fail(
      `the answer is ${shown(answer['apiVersion'])} ${shown(answer['kind'])}, expected ${shown(apiVersion)} ${shown(kind)}`,
    )
  const status = answer['status']
  return isJsonObject(status) ? ok(status) : fail('the answer has no status')
}

/** What a stranger says, short enough for a log. */
function shown(value: unknown): string {
  return (JSON.stringify(value) ?? 'nothing').slice(0, 80)
}
