/**
 * The way of one request, in order; each step has one place here.
 *
 *     parse ▶ authenticate ▶ audit ▶ impersonate ▶ flow control ▶ authorize ▶ route ▶ verb ▶ answer
 *
 * Admission is part of the verbs that write. The audit log hears of a request again when it has been answered.
 *
 * Source: specification, "What the service does" 4.
 */

import type { Duplex } from 'node:stream'
import type { Clock } from '../../store/contract.ts'
import { fail, ok } from '../../store/contract.ts'
import type { AuditTrail } from '../audit/trail.ts'
import { type Authentication, type Authenticator, anonymous } from '../authn/authenticate.ts'
import { impersonate, readImpersonation } from '../authn/impersonation.ts'
import { attributesOf } from '../authz/attributes.ts'
import { type Authorizer, denial } from '../authz/authorizer.ts'
import { type Admission, type Gate, tooManyRequests, unlimited } from '../flowcontrol/gate.ts'
import type { Names } from '../names/names.ts'
import type { AccessMetrics } from '../observe/access-metrics.ts'
import type { Log } from '../observe/log.ts'
import type { RequestMetrics } from '../observe/request-metrics.ts'
import type { ApiRequest, Checked } from '../registry/machinery.ts'
import type { Place } from '../registry/places.ts'
import type { Router } from '../registry/router.ts'
import {
  badRequest,
  internalError,
  methodNotAllowed,
  requestTimeout,
  unauthorized,
} from '../status/failures.ts'
import { type Answer, type Outcome, send } from './answer.ts'
import {
  AuditedOwner,
  type Auditing,
  auditAnswer,
  auditDecision,
  auditDeprecation,
  auditRefusal,
  beginAudit,
} from './auditing.ts'
import type { Call, Calls } from './calls.ts'
import { parseDuration } from './duration.ts'
import type { Exchange, Handler, Headers, ResponseStream } from './exchange.ts'
import type { FailureAnswers } from './failure-answers.ts'
import type { Identifiers } from './identifiers.ts'
import { parseQuery, type Query } from './query.ts'
import {
  type NonResourceRequest,
  parseRequestInfo,
  type RequestInfo,
  type ResourceRequest,
} from './request-info.ts'
import {
  type Observers,
  observedStream,
  observeTunnel,
  type StreamAccounts,
  type StreamOwner,
} from './stream.ts'
import type { User } from './user.ts'

/** Everything that is not a resource: discovery, health, version, metrics. */
export interface NonResources {
  serve(info: NonResourceRequest, exchange: Exchange, query: Query): Promise<Answer>
}

interface ConductorParts {
  readonly names: Names
  readonly clock: Clock
  readonly log: Log
  readonly identifiers: Identifiers
  readonly authenticator: Authenticator
  /** Who is let in, and when. */
  readonly gate: Gate
  readonly authorizer: Authorizer
  readonly answerFailure: FailureAnswers
  readonly router: Router
  readonly nonResources: NonResources
  readonly calls: Calls
  readonly metrics: RequestMetrics
  readonly accessMetrics: AccessMetrics
  /** Absent = nothing is written down. */
  readonly auditing?: Auditing
  readonly requestTimeoutMs: number
  /** Feature gate `APIResponseCompression`. */
  readonly compression: boolean
}

/** The same for all requests, with what is made of it once. */
interface Parts extends ConductorParts {
  readonly accounts: StreamAccounts
}

const readingMethods: ReadonlySet<string> = new Set(['GET', 'HEAD', 'OPTIONS'])

/** What is known of a request while it is served; filled in on the way. */
interface Passage {
  readonly exchange: Exchange
  readonly query: Query
  readonly auditId: string
  readonly warnings: string[]
  call: Call
  info: RequestInfo | undefined
  user: User
  /** For a seat. */
  waitedMs: number
  /** The seat that it holds. */
  admission: Admission
  /** Somebody has answered: the handler, or the deadline. */
  answered: boolean
  /** The handler has opened it, and lives on with it. */
  stream: ResponseStream | undefined
  /** Undefined = nothing is written down of it. */
  audit: AuditTrail | undefined
  /** It counts as a request that was served. */
  counts: boolean
}

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

function enter(exchange: Exchange, parts: ConductorParts, expire: () => void): Passage {
  return {
    exchange,
    query: parseQuery(exchange.query),
    auditId: exchange.header('audit-id') ?? parts.identifiers.uuid(),
    warnings: [],
    call: parts.calls.begin(parts.requestTimeoutMs, !readingMethods.has(exchange.method), expire),
    info: undefined,
    user: anonymous,
    waitedMs: 0,
    admission: unlimited,
    answered: false,
    stream: undefined,
    audit: undefined,
    counts: true,
  }
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

/** Who the request is from: its sender, or whom the sender acts as. */
function identify(
  passage: Passage,
  info: RequestInfo,
  parts: ConductorParts,
): Checked<User> | Promise<Checked<User>> {
  const { authenticator, clock, accessMetrics } = parts
  const beganMs = clock.monotonicMs()
  const { exchange } = passage
  const { peerCertificate } = exchange
  if (peerCertificate !== undefined) accessMetrics.certificate(peerCertificate.untilMs - clock.wallMs())
  const authentication = authenticator.authenticate(exchange)
  const goOn = (settled: Authentication): Checked<User> | Promise<Checked<User>> => {
    accessMetrics.authenticated(settled, clock.monotonicMs() - beganMs)
    if (settled.type === 'user') return admitSender(passage, info, settled, parts)
    auditRefusal(passage, info, parts.auditing, settled.type === 'refused' ? settled.notes : undefined)
    return fail(unauthorized)
  }
  return authentication instanceof Promise ? authentication.then(goOn) : goOn(authentication)
}

/** The audit log knows of the sender before anything is done for them. */
function admitSender(
  passage: Passage,
  info: RequestInfo,
  sender: Extract<Authentication, { type: 'user' }>,
  parts: ConductorParts,
): Checked<User> | Promise<Checked<User>> {
  const { user, notes } = sender
  if (notes !== undefined) passage.warnings.push(...notes.warnings)
  if (parts.auditing === undefined) return actingUser(passage, user, parts)
  const stored = beginAudit(passage, info, sender, parts.auditing)
  const goOn = (isStored: boolean): Checked<User> | Promise<Checked<User>> =>
    isStored ? actingUser(passage, user, parts) : fail(internalError('failed to store audit event'))
  return stored instanceof Promise ? stored.then(goOn) : goOn(stored)
}

function actingUser(
  passage: Passage,
  sender: User,
  { authorizer, names }: ConductorParts,
): Checked<User> | Promise<Checked<User>> {
  const asked = readImpersonation(passage.exchange)
  if (asked === undefined) return ok(sender)
  return impersonate(sender, asked, authorizer, names).then((acting) => {
    if (acting.type !== 'user') return fail(acting.failure)
    passage.audit?.impersonated(acting.user)
    return ok(acting.user)
  })
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

function openStream(
  passage: Passage,
  parts: Parts,
  headers: Headers,
  owner: StreamOwner,
  code: number,
): ResponseStream {
  const observers = letGo(passage, parts, owner, code)
  const stream = passage.exchange.stream(code, { ...answerHeaders(passage), ...headers })
  passage.stream = observedStream(passage.exchange, stream, observers)
  return passage.stream
}

function openTunnel(
  passage: Passage,
  parts: Parts,
  headers: Headers,
  owner: StreamOwner,
): Duplex | undefined {
  const { exchange } = passage
  const { upgrade } = exchange
  if (upgrade === undefined) return undefined
  const observers = letGo(passage, parts, owner, 101)
  const socket = upgrade.accept(headers)
  observeTunnel(exchange, observers)
  return socket
}

/** The request is not bound by a deadline any more: it lives as long as its stream. */
function letGo(
  passage: Passage,
  { accounts, calls, metrics }: Parts,
  opener: StreamOwner,
  code: number,
): Observers {
  const { call, info, audit } = passage
  calls.beginStream()
  const kind = metrics.beginStream(info, code)
  passage.answered = true
  calls.end(call)
  audit?.started(code)
  const owner = audit === undefined ? opener : new AuditedOwner(opener, audit)
  return { accounts, kind, beganMs: call.startMs, owner }
}

/** `timeout=10s` shortens the time that a request may take, never prolongs it. Returns what is wrong with it. */
function limitTimeout({ query, call }: Passage, { requestTimeoutMs }: ConductorParts): string | undefined {
  const text = query.text('timeout')
  if (text === undefined || text === '') return undefined
  const timeoutMs = parseDuration(text)
  if (timeoutMs === undefined)
    return `invalid timeout specified in the request URL - time: invalid duration ${JSON.stringify(text)}`
  if (timeoutMs > 0 && timeoutMs < requestTimeoutMs) call.deadlineMs = call.startMs + timeoutMs
  return undefined
}

function answerHeaders({ auditId, admission, warnings }: Passage): Headers {
  const headers: Record<string, string | readonly string[]> = {
    'Audit-Id': auditId,
    'Cache-Control': 'no-cache, private',
  }
  // Not by spreading, which makes an object of another kind that every later step reads slowly.
  for (const name in admission.headers) headers[name] = admission.headers[name] ?? ''
  if (warnings.length > 0) headers['Warning'] = warnings.map(warningText)
  return headers
}

/** RFC 9111's predecessor, RFC 7234, section 5.5: code 299, unknown agent, quoted text of one line. */
function warningText(text: string): string {
  const line = text.replace(/\p{C}/gu, ' ').replaceAll('\\', '\\\\').replaceAll('"', '\\"')
  return `299 - "${line}"`
}

const applyType = 'application/apply-patch+yaml'

function isApply({ exchange, info }: Passage): boolean {
  return info?.type === 'resource' && info.verb === 'patch' && exchange.header('content-type') === applyType
}

function isDryRun({ query }: Passage): boolean {
  return query.text('dryRun') === 'All'
}

function facts({ exchange, auditId }: Passage, error: unknown) {
  return {
    method: exchange.method,
    path: exchange.path,
    auditId,
    error: error instanceof Error ? (error.stack ?? error.message) : String(error),
  }
}
