/** One request on its way: what is known of it, filled in step by step. */

import type { AuditTrail } from '../audit/trail.ts'
import { anonymous } from '../authn/authenticate.ts'
import { type Admission, unlimited } from '../flowcontrol/gate.ts'
import type { Call } from './calls.ts'
import { parseDuration } from './duration.ts'
import type { Exchange, Headers, ResponseStream } from './exchange.ts'
import type { ConductorParts } from './parts.ts'
import { parseQuery, type Query } from './query.ts'
import type { RequestInfo } from './request-info.ts'
import type { User } from './user.ts'

const readingMethods: ReadonlySet<string> = new Set(['GET', 'HEAD', 'OPTIONS'])

export interface Passage {
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

/** @param expire answers the client that it took too long */
export function enter(exchange: Exchange, parts: ConductorParts, expire: () => void): Passage {
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

/** `timeout=10s` shortens the time that a request may take, never prolongs it. Returns what is wrong with it. */
export function limitTimeout(
  { query, call }: Passage,
  { requestTimeoutMs }: ConductorParts,
): string | undefined {
  const text = query.text('timeout')
  if (text === undefined || text === '') return undefined
  const timeoutMs = parseDuration(text)
  if (timeoutMs === undefined)
    return `invalid timeout specified in the request URL - time: invalid duration ${JSON.stringify(text)}`
  if (timeoutMs > 0 && timeoutMs < requestTimeoutMs) call.deadlineMs = call.startMs + timeoutMs
  return undefined
}

/** Of every answer. */
export function answerHeaders({ auditId, admission, warnings }: Passage): Headers {
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

export function isApply({ exchange, info }: Passage): boolean {
  return info?.type === 'resource' && info.verb === 'patch' && exchange.header('content-type') === applyType
}

export function isDryRun({ query }: Passage): boolean {
  return query.text('dryRun') === 'All'
}
