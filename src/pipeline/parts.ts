/** What serving a request takes: the same for all of them. */

import type { Clock } from '../../store/contract.ts'
import type { Authenticator } from '../authn/authenticate.ts'
import type { Authorizer } from '../authz/authorizer.ts'
import type { Gate } from '../flowcontrol/gate.ts'
import type { Names } from '../names/names.ts'
import type { AccessMetrics } from '../observe/access-metrics.ts'
import type { Log } from '../observe/log.ts'
import type { RequestMetrics } from '../observe/request-metrics.ts'
import type { Router } from '../registry/router.ts'
import type { Answer } from './answer.ts'
import type { Auditing } from './auditing.ts'
import type { Calls } from './calls.ts'
import type { Exchange } from './exchange.ts'
import type { FailureAnswers } from './failure-answers.ts'
import type { Identifiers } from './identifiers.ts'
import type { Query } from './query.ts'
import type { NonResourceRequest } from './request-info.ts'
import type { StreamAccounts } from './stream.ts'

/** Everything that is not a resource: discovery, health, version, metrics. */
export interface NonResources {
  serve(info: NonResourceRequest, exchange: Exchange, query: Query): Promise<Answer>
}

export interface ConductorParts {
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
export interface Parts extends ConductorParts {
  readonly accounts: StreamAccounts
}
