/** Where the way of a request touches the audit log. Without a policy there is no log, and nothing of this runs. */

import {
  type BodyReader,
  objectIn,
  type SentAnswer,
  showsObject,
  statusOf,
  wholeAnswer,
} from '../audit/answer.ts'
import type { Auditor } from '../audit/auditor.ts'
import type { AuditMetrics } from '../audit/metrics.ts'
import type { AuditTrail } from '../audit/trail.ts'
import type { Authentication, CredentialNotes } from '../authn/authenticate.ts'
import type { Decision } from '../authz/authorizer.ts'
import type { Outcome } from './answer.ts'
import type { Call } from './calls.ts'
import type { Exchange } from './exchange.ts'
import type { Query } from './query.ts'
import type { RequestInfo } from './request-info.ts'
import type { StreamOwner } from './stream.ts'
import type { User } from './user.ts'

export interface Auditing {
  readonly auditor: Auditor
  readonly metrics: AuditMetrics
  /** For answers that are not JSON. */
  readonly readBody: BodyReader
}

/** What it knows and keeps of a request under way. */
interface Audited {
  readonly exchange: Exchange
  readonly query: Query
  readonly auditId: string
  readonly call: Call
  /** Undefined = nothing is written down of it. */
  audit: AuditTrail | undefined
}

/** False = it must not be served. */
export function beginAudit(
  audited: Audited,
  info: RequestInfo,
  { user, notes }: Extract<Authentication, { type: 'user' }>,
  auditing: Auditing,
): boolean | Promise<boolean> {
  const trail = auditing.auditor.begin(arrivalOf(audited, info, user))
  if (trail === undefined) return true
  audited.audit = trail
  if (notes !== undefined) annotateAll(trail, notes)
  const told = (isStored: boolean): boolean => {
    if (isStored) return true
    auditing.metrics.rejected()
    audited.audit = undefined
    return false
  }
  const stored = trail.received()
  return stored instanceof Promise ? stored.then(told) : told(stored)
}

/** It is refused before anybody knows whose it is. */
export function auditRefusal(
  audited: Audited,
  info: RequestInfo,
  auditing: Auditing | undefined,
  notes?: CredentialNotes,
): void {
  const trail = auditing?.auditor.begin(arrivalOf(audited, info, undefined))
  audited.audit = trail
  if (trail === undefined) return
  trail.refusedEarly()
  if (notes !== undefined) annotateAll(trail, notes)
}

function annotateAll(trail: AuditTrail, { annotations }: CredentialNotes): void {
  for (const [key, value] of annotations) trail.annotate(key, value)
}

function arrivalOf({ exchange, query, auditId, call }: Audited, info: RequestInfo, user: User | undefined) {
  return { exchange, info, query, auditId, user, receivedMs: call.startMs }
}

export function auditDecision(
  trail: AuditTrail,
  decision: Decision['decision'],
  reason: string,
  auditing: Auditing | undefined,
): void {
  if (auditing === undefined) return
  const { keys } = auditing.auditor
  trail.annotate(keys.decision, decision === 'allow' ? 'allow' : 'forbid')
  trail.annotate(keys.reason, reason)
}

/** @param removedRelease undefined = it is not deprecated; '' = no release is set */
export function auditDeprecation(
  trail: AuditTrail,
  removedRelease: string | undefined,
  auditing: Auditing | undefined,
): void {
  if (auditing === undefined || removedRelease === undefined) return
  const { keys } = auditing.auditor
  trail.annotate(keys.deprecated, 'true')
  if (removedRelease !== '') trail.annotate(keys.removedRelease, removedRelease)
}

/** Gives the answer to send: a copy, where its object is written down. */
export function auditAnswer(
  trail: AuditTrail,
  info: RequestInfo | undefined,
  outcome: Outcome,
  answer: SentAnswer,
  auditing: Auditing | undefined,
): SentAnswer {
  const status = statusOf(answer, outcome)
  if (auditing === undefined || !trail.showsAnswer || !showsObject(info, outcome)) {
    trail.answered(status, undefined)
    return answer
  }
  const whole = wholeAnswer(answer)
  trail.answered(status, objectIn(whole, auditing.readBody))
  return whole
}

/** The entry of a watch is complete when the watch ends. */
export class AuditedOwner implements StreamOwner {
  readonly #owner: StreamOwner
  readonly #trail: AuditTrail

  constructor(owner: StreamOwner, trail: AuditTrail) {
    this.#owner = owner
    this.#trail = trail
  }

  onStreamEnd(): void {
    this.#trail.completed()
    this.#owner.onStreamEnd()
  }
}
