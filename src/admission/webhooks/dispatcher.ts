/**
 * Asks the webhooks that a write concerns.
 *
 *     mutating    one after the other, each with what the one before has made of the object; when one has changed it,
 *                 all plugins look once more, and of the webhooks those that want to (reinvocationPolicy IfNeeded)
 *     validating  all at once; the first refusal, in the order of the webhooks, is the answer
 *
 * Source: specification, "What the service does" 5, "Admission webhook configuration (v1 rules)".
 */

import { fail, ok, type Result } from '../../../store/contract.ts'
import type { Authorizer } from '../../authz/authorizer.ts'
import type { JsonValue } from '../../json.ts'
import type { Names } from '../../names/names.ts'
import type { Log } from '../../observe/log.ts'
import type { ServiceClients } from '../../outside/service-clients.ts'
import { applyJsonPatch, parseJsonPatch } from '../../patch/json-patch.ts'
import { cloneJson } from '../../patch/mutable-json.ts'
import { type ApiFailure, codeOf } from '../../status/status.ts'
import type { ApiObject } from '../../types/object.ts'
import type { AdmissionRequest } from '../admission.ts'
import { AccessAnswers } from '../dynamic/access-checks.ts'
import { conditionVariables, type Match, matchConditions } from '../dynamic/conditions.ts'
import { type MatchParts, matchRequest } from '../dynamic/match.ts'
import { requestDocument } from '../dynamic/request-document.ts'
import { jsonOf, type ShownAs } from '../dynamic/shown-as.ts'
import {
  annotateFailedOpen,
  annotateMutation,
  annotatePatch,
  annotateSaid,
  type HookPlace,
} from './annotations.ts'
import type { Hook } from './hook.ts'
import type { HookMetrics } from './metrics.ts'
import { callFailure, conditionFailure, dryRunFailure, internal, refusedBy } from './refusals.ts'
import { type Review, type ReviewVerdict, readReview, reviewBody } from './review.ts'

export interface DispatcherParts extends MatchParts {
  readonly names: Names
  readonly authorizer: Authorizer
  readonly clients: ServiceClients
  readonly metrics: HookMetrics
  readonly log: Log
  readonly uuid: () => string
  readonly nowMs: () => number
  /** A complete object of the version; the failure is a sentence. */
  decode(value: JsonValue, shown: ShownAs): Result<ApiObject, string>
}

/** What a webhook is asked, and about which version of the request. */
interface Call {
  readonly hook: Hook
  readonly shown: ShownAs
}

/** Of the two in which mutating webhooks may be asked. */
interface Round {
  readonly number: 0 | 1
  isAsked(hook: Hook): boolean
  answered(hook: Hook, changed: boolean): void
}

type Chosen = Result<Call | undefined, ApiFailure>
/** `changed`: the object is another one now. */
type Answered = Result<{ readonly changed: boolean }, ApiFailure>

export class Dispatcher {
  readonly #parts: DispatcherParts
  constructor(parts: DispatcherParts) {
    this.#parts = parts
  }

  /** @param round says whom this round leaves out, and hears what the others did */
  async mutate(
    hooks: readonly Hook[],
    request: AdmissionRequest,
    round: Round,
  ): Promise<ApiFailure | undefined> {
    const answers = new AccessAnswers(this.#parts.authorizer)
    for (const [index, hook] of hooks.entries()) {
      const chosen = await this.#choose(hook, request, answers)
      if (!chosen.ok) return chosen.failure
      if (chosen.value === undefined || !round.isAsked(hook)) continue
      const answered = await this.#ask(chosen.value, request, { round: round.number, index })
      if (!answered.ok) return answered.failure
      round.answered(hook, answered.value.changed)
    }
    return undefined
  }

  async validate(hooks: readonly Hook[], request: AdmissionRequest): Promise<ApiFailure | undefined> {
    const answers = new AccessAnswers(this.#parts.authorizer)
    const calls: Call[] = []
    for (const hook of hooks) {
      const chosen = await this.#choose(hook, request, answers)
      if (!chosen.ok) return chosen.failure
      if (chosen.value !== undefined) calls.push(chosen.value)
    }
    const answered = await Promise.all(
      calls.map((call, index) => this.#ask(call, request, { round: 0, index })),
    )
    return answered.flatMap((one) => (one.ok ? [] : [one.failure]))[0]
  }

  /** Undefined = it is not concerned. */
  async #choose(hook: Hook, request: AdmissionRequest, answers: AccessAnswers): Promise<Chosen> {
    const found = await matchRequest(hook.match, request, this.#parts)
    if (!found.ok) return found
    const shown = found.value
    if (shown === undefined) return ok(undefined)
    if (hook.conditions.length === 0 && hook.conditionProblem === undefined) return ok({ hook, shown })
    const document = requestDocument(request, shown, this.#parts.names)
    const variables = conditionVariables(request, document, answers)
    const match: Match =
      hook.conditionProblem === undefined
        ? await matchConditions(hook.conditions, variables, answers)
        : { type: 'error', message: hook.conditionProblem }
    switch (match.type) {
      case 'match':
        return ok({ hook, shown })
      case 'excluded':
        return ok(undefined)
      case 'error':
        return hook.failsOpen ? ok(undefined) : fail(conditionFailure(request, match.message))
    }
  }

  async #ask(call: Call, request: AdmissionRequest, place: HookPlace): Promise<Answered> {
    const { metrics, nowMs, names } = this.#parts
    const { hook } = call
    const { operation } = request
    const startMs = nowMs()
    const outcome = await this.#outcome(call, request, place)
    const tookMs = nowMs() - startMs
    annotateMutation(request, hook, place, outcome.type === 'allowed' && outcome.changed, names)
    switch (outcome.type) {
      case 'allowed':
        metrics.asked(hook, operation, false, 200, tookMs)
        return ok({ changed: outcome.changed })
      case 'refused': {
        const code = codeOf(outcome.failure)
        metrics.asked(hook, operation, true, code, tookMs)
        metrics.rejected(hook, operation, outcome.cause, outcome.cause === 'no_error' ? code : 0)
        return fail(outcome.failure)
      }
      case 'failed':
        if (hook.failsOpen) annotateFailedOpen(request, hook, place, names)
        return this.#failed(hook, request, outcome.why, tookMs)
    }
  }

  #failed(hook: Hook, { operation }: AdmissionRequest, why: string, tookMs: number): Answered {
    const { metrics, log } = this.#parts
    log.warn('a webhook gave no answer that can be used', {
      webhook: hook.name,
      failurePolicy: hook.failsOpen ? 'Ignore' : 'Fail',
      reason: why,
    })
    metrics.asked(hook, operation, !hook.failsOpen, hook.failsOpen ? 200 : 500, tookMs)
    if (hook.failsOpen) {
      metrics.failedOpen(hook)
      return ok({ changed: false })
    }
    metrics.rejected(hook, operation, 'calling_webhook_error', 0)
    return fail(callFailure(hook, why))
  }

  async #outcome({ hook, shown }: Call, request: AdmissionRequest, place: HookPlace): Promise<Outcome> {
    const { names, uuid, clients } = this.#parts
    if (request.dryRun && !hook.supportsDryRun)
      return { type: 'refused', cause: 'no_error', failure: dryRunFailure(hook) }
    if (hook.reviewVersion === undefined)
      return { type: 'failed', why: 'webhook does not accept known AdmissionReview versions' }
    const review: Review = {
      group: names.expand('admission.{groups}'),
      version: hook.reviewVersion,
      uid: uuid(),
      request: requestDocument(request, shown, names),
    }
    const body = await clients.post(hook.client, reviewBody(review), hook.timeoutMs)
    if (!body.ok) return { type: 'failed', why: `failed to call webhook: ${body.failure}` }
    const read = readReview(hook.kind, review, body.value)
    if (!read.ok) return { type: 'failed', why: `received invalid webhook response: ${read.failure}` }
    return this.#judge({ hook, shown }, request, read.value, place)
  }

  async #judge(
    { hook, shown }: Call,
    request: AdmissionRequest,
    verdict: ReviewVerdict,
    place: HookPlace,
  ): Promise<Outcome> {
    annotateSaid(request, hook, verdict.auditAnnotations)
    request.warnings?.push(...verdict.warnings)
    if (!verdict.allowed)
      return { type: 'refused', cause: 'no_error', failure: refusedBy(hook, verdict.status) }
    if (verdict.patch === undefined) return { type: 'allowed', changed: false }
    const changed = await this.#patch(hook, shown, request, verdict.patch)
    if (changed.ok && !isEmptyPatch(verdict.patch))
      annotatePatch(request, hook, place, verdict.patch, this.#parts.names)
    if (changed.ok) return { type: 'allowed', changed: changed.value }
    return { type: 'refused', cause: 'apiserver_internal_error', failure: internal(changed.failure) }
  }

  /** True = the object is another one. */
  async #patch(
    hook: Hook,
    shown: ShownAs,
    { object }: AdmissionRequest,
    patch: JsonValue,
  ): Promise<Result<boolean, string>> {
    if (object === undefined)
      return fail(
        `admission webhook ${JSON.stringify(hook.name)} attempted to modify the object, which is not supported for this operation`,
      )
    const operations = parseJsonPatch(patch)
    if (!operations.ok) return fail(operations.failure.message)
    if (operations.value.length === 0) return ok(false)
    const before = JSON.stringify(shown.show(object))
    const patched = applyJsonPatch(cloneJson(jsonOf(shown.show(object))), operations.value)
    if (!patched.ok) return fail(patched.failure.message)
    const decoded = this.#parts.decode(patched.value, shown)
    if (!decoded.ok) return decoded
    // Who owns which field is none of a webhook's business.
    const { managedFields } = object.metadata
    const taken = await shown.take(object, decoded.value)
    if (!taken.ok) return taken
    if (managedFields === undefined) delete object.metadata.managedFields
    else object.metadata.managedFields = managedFields
    return ok(JSON.stringify(shown.show(object)) !== before)
  }
}

function isEmptyPatch(patch: JsonValue): boolean {
  return Array.isArray(patch) && patch.length === 0
}

type Outcome =
  | { readonly type: 'allowed'; readonly changed: boolean }
  | {
      readonly type: 'refused'
      readonly cause: 'no_error' | 'apiserver_internal_error'
      readonly failure: ApiFailure
    }
  /** It said nothing that counts. */
  | { readonly type: 'failed'; readonly why: string }
