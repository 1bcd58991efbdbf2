/**
 * The way of one request, in order; each step has one place here.
 *
 *     parse ▶ authenticate ▶ impersonate ▶ flow control ▶ authorize ▶ route ▶ verb ▶ answer
 *
 * Admission is part of the verbs that write.
 *
 * Source: specification, "What the service does" 4.
 */

import type { Clock } from '../../store/contract.ts'
import { fail, ok } from '../../store/contract.ts'
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
import { observedStream, type StreamAccounts, type StreamOwner } from './stream.ts'
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
    const answer = outcome.ok ? outcome.value : parts.answerFailure(outcome.failure, passage.exchange)
    if (answer.type === 'streaming') return undefined
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
    calls.end(passage.call)
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
  }
}

async function outcomeOf(passage: Passage, parts: Parts): Promise<Outcome> {
  const { exchange, query } = passage
  const timeout = limitTimeout(passage, parts)
  if (timeout !== undefined) return fail(badRequest(timeout))
  const info = parseRequestInfo(exchange.method, exchange.path, query.flag('watch') === true)
  if (!info.ok) return fail(badRequest(info.failure))
  passage.info = info.value

  // What is known at once is not waited for: most requests go from here to their verb in one turn.
  const identified = identify(exchange, parts)
  const user = identified instanceof Promise ? await identified : identified
  if (!user.ok) return user
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
  if (decision !== 'allow') return fail(denial(attributes, reason))

  if (info.value.type === 'resource') return await serveResource(passage, info.value, parts)
  if (info.value.verb !== 'get') return fail(methodNotAllowed)
  return { ok: true, value: await parts.nonResources.serve(info.value, exchange, query) }
}

/** Who the request is from: its sender, or whom the sender acts as. */
function identify(exchange: Exchange, parts: ConductorParts): Checked<User> | Promise<Checked<User>> {
  const { authenticator, clock, accessMetrics } = parts
  const beganMs = clock.monotonicMs()
  const { peerCertificate } = exchange
  if (peerCertificate !== undefined) accessMetrics.certificate(peerCertificate.untilMs - clock.wallMs())
  const authentication = authenticator.authenticate(exchange)
  const goOn = (settled: Authentication): Checked<User> | Promise<Checked<User>> => {
    accessMetrics.authenticated(settled, clock.monotonicMs() - beganMs)
    return actingUser(exchange, settled, parts)
  }
  return authentication instanceof Promise ? authentication.then(goOn) : goOn(authentication)
}

function actingUser(
  exchange: Exchange,
  authentication: Authentication,
  { authorizer, names }: ConductorParts,
): Checked<User> | Promise<Checked<User>> {
  if (authentication.type !== 'user') return fail(unauthorized)
  const asked = readImpersonation(exchange)
  if (asked === undefined) return ok(authentication.user)
  return impersonate(authentication.user, asked, authorizer, names).then((acting) =>
    acting.type === 'user' ? ok(acting.user) : fail(acting.failure),
  )
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
  const { exchange, query, user, warnings } = passage
  const request: ApiRequest = {
    exchange,
    info,
    query,
    user,
    warnings,
    openStream: (headers, owner) => openStream(passage, parts, headers, owner),
  }
  return parts.router.serve(place, request)
}

/** The request is not bound by a deadline any more: it lives as long as its stream. */
function openStream(passage: Passage, parts: Parts, headers: Headers, owner: StreamOwner): ResponseStream {
  const { accounts, calls, metrics } = parts
  const { call, exchange, info } = passage
  calls.beginStream()
  const kind = metrics.beginStream(info)
  passage.answered = true
  calls.end(call)
  const stream = exchange.stream(200, { ...answerHeaders(passage), ...headers })
  passage.stream = observedStream(exchange, stream, { accounts, kind, beganMs: call.startMs, owner })
  return passage.stream
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
