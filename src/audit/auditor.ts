/** Decides of each request how much of it is written down, and begins to. */

import type { Clock } from '../../store/contract.ts'
import { attributesOf } from '../authz/attributes.ts'
import type { RequestAttributes } from '../authz/authorizer.ts'
import type { Names } from '../names/names.ts'
import type { Exchange } from '../pipeline/exchange.ts'
import type { Query } from '../pipeline/query.ts'
import type { RequestInfo } from '../pipeline/request-info.ts'
import type { User } from '../pipeline/user.ts'
import type { ObjectReference } from './event.ts'
import type { AuditMetrics } from './metrics.ts'
import { createMicroTime } from './micro-time.ts'
import { type AuditPolicy, createPolicyEvaluator } from './policy.ts'
import type { AuditSink } from './sink.ts'
import { sourceIpsOf } from './source-ips.ts'
import { AuditTrail } from './trail.ts'

/** A request as it comes. */
interface AuditedArrival {
  readonly exchange: Exchange
  readonly info: RequestInfo
  readonly query: Query
  readonly auditId: string
  /** Undefined = nobody knows who asks. */
  readonly user: User | undefined
  /** Monotonic milliseconds. */
  readonly receivedMs: number
}

export interface Auditor {
  /** Undefined = nothing is written down. */
  begin(arrival: AuditedArrival): AuditTrail | undefined
  /** Keys of what the server itself adds. */
  readonly keys: AuditKeys
}

interface AuditKeys {
  readonly decision: string
  readonly reason: string
  readonly deprecated: string
  readonly removedRelease: string
}

interface AuditorParts {
  readonly policy: AuditPolicy
  readonly sink: AuditSink
  readonly metrics: AuditMetrics
  readonly clock: Clock
  readonly names: Names
}

const userAgentLengthMax = 1024
const longSubresources: ReadonlySet<string> = new Set(['attach', 'exec', 'proxy', 'log', 'portforward'])

/** Starts nothing; the sink is closed by whoever made it. */
export function createAuditor({ policy, sink, metrics, clock, names }: AuditorParts): Auditor {
  const evaluate = createPolicyEvaluator(policy)
  const microsAt = createMicroTime(clock)
  const parts = { sink, metrics, micros: () => microsAt(clock.monotonicMs()) }
  return {
    keys: {
      decision: names.expand('authorization.{groups}/decision'),
      reason: names.expand('authorization.{groups}/reason'),
      deprecated: names.expand('{groups}/deprecated'),
      removedRelease: names.expand('{groups}/removed-release'),
    },
    begin({ exchange, info, query, auditId, user, receivedMs }) {
      const request = attributesOf(info, query)
      const verdict = evaluate(request, user)
      metrics.level(verdict.level)
      if (verdict.level === 'None') return undefined
      const facts = {
        auditId,
        requestUri: exchange.query === '' ? exchange.path : `${exchange.path}?${exchange.query}`,
        verb: request.verb,
        user,
        sourceIps: sourceIpsOf(exchange),
        userAgent: shortened(exchange.header('user-agent') ?? ''),
        receivedMicros: microsAt(receivedMs),
      }
      return new AuditTrail(parts, verdict, facts, refOf(request), isLong(request))
    },
  }
}

function shortened(userAgent: string): string {
  return userAgent.length > userAgentLengthMax
    ? `${userAgent.slice(0, userAgentLengthMax)}...TRUNCATED`
    : userAgent
}

function refOf(request: RequestAttributes): ObjectReference | undefined {
  if (request.type === 'nonResource') return undefined
  const { resource, namespace, name, group, version, subresource } = request
  return {
    resource,
    namespace,
    name,
    uid: '',
    apiGroup: group,
    apiVersion: version,
    resourceVersion: '',
    subresource,
  }
}

function isLong(request: RequestAttributes): boolean {
  return (
    request.type === 'resource' && (request.verb === 'watch' || longSubresources.has(request.subresource))
  )
}
