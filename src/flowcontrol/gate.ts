/**
 * What stands between knowing who asks and looking at what they ask: whoever comes in holds a seat until the answer
 * has been given.
 */

import type { Call } from '../pipeline/calls.ts'
import type { Exchange, Headers } from '../pipeline/exchange.ts'
import type { Query } from '../pipeline/query.ts'
import type { RequestInfo } from '../pipeline/request-info.ts'
import type { User } from '../pipeline/user.ts'
import type { ApiFailure } from '../status/status.ts'
import type { DumpName } from './dump.ts'

export interface Admission {
  /** False = the request is answered with {@link tooManyRequests}. */
  readonly admitted: boolean
  /** Of the answer, whatever it is. */
  readonly headers: Headers
  /** Gives the seat back. Harmless when there is none, or a second time. */
  release(): void
}

/** What counts here beside who asks for what: the times of a request, in monotonic milliseconds, and its parameters. */
export interface Asked {
  readonly call: Pick<Call, 'startMs' | 'deadlineMs'>
  readonly query: Query
}

export interface Gate {
  /** At once where a seat is free or nobody may wait; else when there is a seat, or it is clear that there is none. */
  admit(
    user: User,
    info: RequestInfo,
    asked: Asked,
    exchange: Pick<Exchange, 'onClose'>,
  ): Admission | Promise<Admission>
  start(): void
  /** A table of what levels hold now; undefined = there are no levels. */
  dump(name: DumpName, withDetails: boolean): string | undefined
  /** Prometheus text of what was counted. */
  metricsText(): string
  close(): void
}

/** Neither seats nor limits: before anybody has been asked, and for what is not limited. */
export const unlimited: Admission = { admitted: true, headers: {}, release() {} }

const retryAfterSeconds = 1

export const tooManyRequests: ApiFailure = {
  reason: 'TooManyRequests',
  message: 'Too many requests, please try again later.',
  details: { retryAfterSeconds },
}

const longRunningSubresources: ReadonlySet<string> = new Set([
  'attach',
  'exec',
  'log',
  'portforward',
  'proxy',
])

/** Requests that may last as long as they like, so that no seat can be kept for them; watches apart. */
export function isConnection(info: RequestInfo): boolean {
  return info.type === 'resource' && longRunningSubresources.has(info.subresource)
}
