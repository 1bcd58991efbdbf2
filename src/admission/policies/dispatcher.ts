/**
 * Judges a write by the policies that are about it.
 *
 *     policy matches ─▶ each binding that matches ─▶ each of its parameters ─▶ findings ─▶ Deny, Warn, Audit
 *                                                                                 └ what failed: as failurePolicy says
 *
 * Source: specification, "What the service does" 6 and 8; admissionregistration/v1 ValidatingAdmissionPolicy.
 */

import { fail, ok, type Result } from '../../../store/contract.ts'
import type { Authorizer } from '../../authz/authorizer.ts'
import type { JsonObject } from '../../json.ts'
import type { Names } from '../../names/names.ts'
import type { ApiFailure } from '../../status/status.ts'
import type { AdmissionRequest } from '../admission.ts'
import { AccessAnswers } from '../dynamic/access-checks.ts'
import { conditionVariables } from '../dynamic/conditions.ts'
import { type MatchParts, matchFurther, matchRequest } from '../dynamic/match.ts'
import { requestDocument } from '../dynamic/request-document.ts'
import { isOfNamespace, reviewNamespace } from '../dynamic/selectors.ts'
import { jsonOf, type ShownAs } from '../dynamic/shown-as.ts'
import { refusal } from '../request.ts'
import { annotateFailure, PolicyAnnotations } from './annotations.ts'
import { type Finding, judge, type Variables } from './evaluator.ts'
import type { PolicyMetrics } from './metrics.ts'
import { findParams, type ParamParts, paramTypeOf } from './params.ts'
import type { Binding, Policy } from './policy.ts'
import type { BoundPolicy } from './source.ts'

export interface PolicyParts extends MatchParts, ParamParts {
  readonly names: Names
  readonly authorizer: Authorizer
  readonly metrics: PolicyMetrics
  readonly nowMs: () => number
}

/** One request on its way through all policies. */
interface Round {
  readonly request: AdmissionRequest
  readonly answers: AccessAnswers
  readonly refusals: ApiFailure[]
}

export class PolicyDispatcher {
  readonly #parts: PolicyParts
  constructor(parts: PolicyParts) {
    this.#parts = parts
  }

  /** The first refusal; warnings go to the request. */
  async validate(
    policies: readonly BoundPolicy[],
    request: AdmissionRequest,
  ): Promise<ApiFailure | undefined> {
    const round: Round = { request, answers: new AccessAnswers(this.#parts.authorizer), refusals: [] }
    for (const bound of policies) await this.#policy(bound, round)
    return round.refusals[0]
  }

  async #policy({ policy, problem, bindings }: BoundPolicy, round: Round): Promise<void> {
    const { request } = round
    const matched = await matchRequest(policy.match, request, this.#parts)
    if (matched.ok && matched.value === undefined) return
    const type = paramTypeOf(policy, this.#parts)
    const why = matched.ok ? (problem ?? (type.ok ? undefined : type.failure)) : matched.failure.message
    if (why !== undefined || !matched.ok || !type.ok) {
      misconfigured(policy, undefined, why ?? '', round)
      return
    }
    const said = new PolicyAnnotations()
    for (const binding of bindings) {
      const variables = await this.#variables(binding, type.value, matched.value, round)
      if (!variables.ok) misconfigured(policy, binding, variables.failure, round)
      else for (const one of variables.value) await this.#judge(policy, binding, one, round, said)
    }
    if (request.audit !== undefined) said.publish(policy, request.audit)
  }

  /** Those of each parameter; none where the binding is not about the request. */
  async #variables(
    binding: Binding,
    type: Parameters<typeof findParams>[0],
    shown: ShownAs | undefined,
    { request, answers }: Round,
  ): Promise<Result<readonly Variables[], string>> {
    const { names } = this.#parts
    if (shown === undefined) return ok([])
    const { match, paramRef } = binding
    const matched = match === undefined ? ok(true) : await matchFurther(match, shown, request, this.#parts)
    if (!matched.ok) return fail(matched.failure.message)
    if (!matched.value) return ok([])
    const params = await findParams(type, paramRef, reviewNamespace(request), this.#parts)
    if (!params.ok) return params
    const namespace = await this.#namespaceOf(request)
    if (!namespace.ok) return namespace
    const document = requestDocument(request, shown, names)
    const common = { ...conditionVariables(request, document, answers), namespaceObject: namespace.value }
    return ok(params.value.map((one) => ({ ...common, params: one })))
  }

  /** Null for objects of the cluster, namespaces among them. */
  async #namespaceOf(request: AdmissionRequest): Promise<Result<JsonObject | null, string>> {
    const name = reviewNamespace(request)
    if (name === '' || isOfNamespace(request)) return ok(null)
    const found = await this.#parts.namespaces.get({ namespace: '', name })
    if (!found.ok) return fail(found.failure.message)
    return found.value === undefined ? fail(`namespaces "${name}" not found`) : ok(jsonOf(found.value))
  }

  async #judge(
    policy: Policy,
    binding: Binding,
    variables: Variables,
    round: Round,
    said: PolicyAnnotations,
  ): Promise<void> {
    const { metrics, nowMs, names } = this.#parts
    const startMs = nowMs()
    const judgement = await judge(policy, variables, round.answers)
    const tookMs = nowMs() - startMs
    if (judgement === undefined) return
    said.add(judgement.annotations)
    for (const finding of judgement.findings) {
      const { isError } = finding
      if (isError && policy.failsOpen) metrics.found(policy.name, binding.name, undefined, true, tookMs)
      else
        for (const action of binding.actions) {
          metrics.found(policy.name, binding.name, action, isError, tookMs)
          if (action === 'Deny') round.refusals.push(refusalOf(policy, binding, finding, round.request))
          if (action === 'Audit' && round.request.audit !== undefined)
            annotateFailure(policy, binding, finding, round.request.audit, names)
          if (action === 'Warn') round.request.warnings?.push(warningOf(policy, binding, finding))
        }
    }
  }
}

function warningOf(policy: Policy, binding: Binding, { message }: Finding): string {
  return `Validation failed for ValidatingAdmissionPolicy '${policy.name}' with binding '${binding.name}': ${message}`
}

/** Nothing can be judged: the policy says what that means. */
function misconfigured(
  policy: Policy,
  binding: Binding | undefined,
  why: string,
  { request, refusals }: Round,
): void {
  if (policy.failsOpen) return
  const message = `failed to configure ${binding === undefined ? 'policy' : 'binding'}: ${why}`
  refusals.push(refusalOf(policy, binding, { message, reason: 'Invalid', isError: true }, request))
}

const codes: ReadonlyMap<string, number> = new Map([
  ['Unauthorized', 401],
  ['Forbidden', 403],
  ['RequestEntityTooLarge', 413],
])

function refusalOf(
  policy: Policy,
  binding: Binding | undefined,
  { message, reason }: Finding,
  request: AdmissionRequest,
): ApiFailure {
  const by = binding === undefined ? '' : ` with binding '${binding.name}'`
  const why = `ValidatingAdmissionPolicy '${policy.name}'${by} denied request: ${message}`
  const forbidden = refusal(request, why)
  return {
    ...forbidden,
    saidReason: reason,
    code: codes.get(reason) ?? 422,
    details: { ...forbidden.details, causes: [{ reason: '', message: why }] },
  }
}
