/**
 * The way of one request, in order; each step has one place here.
 *
 *     parse ▶ authenticate ▶ audit ▶ impersonate ▶ flow control ▶ authorize ▶ route ▶ verb ▶ answer
 *
 * Admission is part of the verbs that write. The audit log hears of a request again when it has been answered.
 *
 * Source: specification, "What the service does" 4.
 */

import { fail } from '../../store/contract.ts'
import { attributesOf } from '../authz/attributes.ts'
import { denial } from '../authz/authorizer.ts'
import { tooManyRequests } from '../flowcontrol/gate.ts'
import type { ApiRequest } from '../registry/machinery.ts'
import type { Place } from '../registry/places.ts'
import { badRequest, internalError, methodNotAllowed, requestTimeout } from '../status/failures.ts'
import { type Outcome, send } from './answer.ts'
import { auditAnswer, auditDecision, auditDeprecation, auditRefusal } from './auditing.ts'
import type { Exchange, Handler } from './exchange.ts'
import { identify } from './identify.ts'
import { openStream, openTunnel } from './openings.ts'
import type { ConductorParts, Parts } from './parts.ts'
import { answerHeaders, enter, isApply, isDryRun, limitTimeout, type Passage } from './passage.ts'
import { parseRequestInfo, type ResourceRequest } from './request-info.ts'
import type { StreamAccounts } from './stream.ts'

/** Never throws: a bug in a handler is logged and answered with 500. */
export function createConductor(given: ConductorParts): Handler {
  const { calls, metrics, log } = given
  const accounts: StreamAccounts = {
    endStream(kind, beganMs) {
      calls.endStream()
      metrics.endStream(kind, (given.clock.monotonicMs() - beganMs) / 1000)
    },
  }
  const parts: Parts = { ...given, accounts }

  async function conduct(exchange: Exchange): Promise<void> {
    const passage = enter(exchange, parts, () => {
      // Whoever reads their answer slowly keeps nobody from a seat for longer than a request may take.
      passage.admission.release()
      void finish(passage, fail(requestTimeout), true)
    })
    let outcome: Outcome
    let terminated = false
    try {
      outcome = await outcomeOf(passage, parts)
    } catch (error) {
      log.error('a request failed in a way that it should not', facts(passage, error))
      outcome = fail(internalError('the server met a condition that it does not know'))
      terminated = true
      passage.audit?.panicked(error instanceof Error ? error.message : String(error))
      passage.stream?.abort()
    }
    try {
      const sending = finish(passage, outcome, terminated || !passage.admission.admitted)
      if (sending !== undefined) await sending
    } finally {
      passage.admission.release()
    }
  }

  /** @param terminated the server has given it up */
  function finish(passage: Passage, outcome: Outcome, terminated: boolean): Promise<void> | undefined {
    if (passage.answered) return undefined
    passage.answered = true
    const given = outcome.ok ? outcome.value : parts.answerFailure(outcome.failure, passage.exchange)
    if (given.type === 'streaming') return undefined
    const answer =
      passage.audit === undefined
        ? given
        : auditAnswer(passage.audit, passage.info, outcome, given, parts.auditing)
    const headers = answerHeaders(passage)
    const { code } = answer
    let sent: number | Promise<number> = 0
    try {
      sent = send(passage.exchange, answer, { headers, compression: parts.compression })
    } catch (error) {
      log.error('an answer could not be sent', facts(passage, error))
    }
    if (typeof sent !== 'number') return settle(passage, code, sent, terminated)
    account(passage, code, sent, terminated)
    return undefined
  }

  async function settle(
    passage: Passage,
    code: number,
    sending: Promise<number>,
    terminated: boolean,
  ): Promise<void> {
    let bytes = 0
    try {
      bytes = await sending
    } catch (error) {
      log.error('an answer could not be sent', facts(passage, error))
    }
    account(passage, code, bytes, terminated)
  }

  function account(passage: Passage, code: number, bytes: number, terminated: boolean): void {
    passage.audit?.completed()
    calls.end(passage.call)
    if (!passage.counts) return
    const seconds = (parts.clock.monotonicMs() - passage.call.startMs) / 1000
    metrics.request({
      info: passage.info,
      code,
      seconds,
      ownSeconds: seconds - passage.waitedMs / 1000,
      bytes,
      dryRun: isDryRun(passage),
      terminated,
      isApply: isApply(passage),
    })
  }

  return (exchange) => void conduct(exchange)
}

/** Who is nobody, or may not, has not been served: that is counted with who asks, and what they may. */
function uncounted<T>(passage: Passage, refusal: T): T {
  passage.counts = false
  return refusal
}

async function outcomeOf(passage: Passage, parts: Parts): Promise<Outcome> {
  const { exchange, query } = passage
  const info = parseRequestInfo(exchange.method, exchange.path, query.flag('watch') === true)
  const timeout = limitTimeout(passage, parts)
  if (timeout !== undefined) {
    if (info.ok) auditRefusal(passage, info.value, parts.auditing)
    return fail(badRequest(timeout))
  }
  if (!info.ok) return fail(badRequest(info.failure))
  passage.info = info.value

  // What is known at once is not waited for: most requests go from here to their verb in one turn.
  const identified = identify(passage, info.value, parts)
  const user = identified instanceof Promise ? await identified : identified
  if (!user.ok) return uncounted(passage, user)
  passage.user = user.value

  const asked = parts.gate.admit(user.value, info.value, passage, exchange)
  if (asked instanceof Promise) {
    const sinceMs = parts.clock.monotonicMs()
    passage.admission = await asked
    passage.waitedMs = parts.clock.monotonicMs() - sinceMs
  } else passage.admission = asked
  if (!passage.admission.admitted) return fail(tooManyRequests)

  const attributes = { user: user.value, request: attributesOf(info.value, query) }
  const beganMs = parts.clock.monotonicMs()
  const decided = parts.authorizer.authorize(attributes)
  const { decision, reason } = decided instanceof Promise ? await decided : decided
  parts.accessMetrics.decided(decision, parts.clock.monotonicMs() - beganMs)
  if (passage.audit !== undefined) auditDecision(passage.audit, decision, reason, parts.auditing)
  if (decision !== 'allow') return uncounted(passage, fail(denial(attributes, reason)))

  if (info.value.type === 'resource') return await serveResource(passage, info.value, parts)
  if (info.value.verb !== 'get') return fail(methodNotAllowed)
  return { ok: true, value: await parts.nonResources.serve(info.value, exchange, query) }
}

function serveResource(passage: Passage, info: ResourceRequest, parts: Parts): Outcome | Promise<Outcome> {
  const place = parts.router.find(info)
  if (place.ok) return servePlace(passage, info, parts, place.value)
  // It may be a custom resource that this process has not heard of yet.
  if (place.failure.reason !== 'NotFound') return place
  return parts.router
    .findNewest(info)
    .then((found) => (found.ok ? servePlace(passage, info, parts, found.value) : found))
}

function servePlace(
  passage: Passage,
  info: ResourceRequest,
  parts: Parts,
  place: Place,
): Outcome | Promise<Outcome> {
  const { exchange, query, user, warnings, audit } = passage
  if (audit !== undefined) auditDeprecation(audit, parts.router.removedRelease(info), parts.auditing)
  const request: ApiRequest = {
    exchange,
    info,
    query,
    user,
    warnings,
    audit,
    openStream: (headers, owner, code = 200) => openStream(passage, parts, headers, owner, code),
    openTunnel: (headers, owner) => openTunnel(passage, parts, headers, owner),
  }
  return parts.router.serve(place, request)
}

function facts({ exchange, auditId }: Passage, error: unknown) {
  return {
    method: exchange.method,
    path: exchange.path,
    auditId,
    error: error instanceof Error ? (error.stack ?? error.message) : String(error),
  }
}
