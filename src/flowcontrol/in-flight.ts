/**
 * Two plain limits, one of reads and one of writes: what a server has without priority and fairness. Watches and other
 * requests without an end do not count, nor do health checks.
 */

import { privilegedGroup } from '../authz/privileged.ts'
import { header, labelText, sample } from '../observe/exposition.ts'
import type { RequestInfo } from '../pipeline/request-info.ts'
import { type Admission, type Gate, isConnection, unlimited } from './gate.ts'
import { type FlowControlOptions, partOf } from './options.ts'

const readingVerbs: ReadonlySet<string> = new Set(['get', 'list', 'watch'])
const healthPath = /^\/(healthz|livez|readyz)(\/|$)/

interface Kind {
  readonly name: 'readOnly' | 'mutating'
  /** 0 = none. */
  readonly limit: number
  inFlight: number
  rejected: number
}

const rejected: Admission = { ...unlimited, admitted: false }

export function createInFlightGate(options: FlowControlOptions): Gate {
  const kindOf = (name: Kind['name'], limit: number): Kind => ({
    name,
    limit: partOf(limit, options),
    inFlight: 0,
    rejected: 0,
  })
  const reading = kindOf('readOnly', options.maxRequestsInflight)
  const writing = kindOf('mutating', options.maxMutatingRequestsInflight)
  return {
    admit(user, info) {
      if (isExcepted(info)) return unlimited
      const kind = readingVerbs.has(info.verb ?? '') ? reading : writing
      if (kind.limit === 0) return unlimited
      if (kind.inFlight < kind.limit) return new Place(kind)
      if (user.groups.includes(privilegedGroup)) return unlimited
      kind.rejected++
      return rejected
    },
    start() {},
    dump: () => undefined,
    metricsText: () => rejectedText([reading, writing]),
    close() {},
  }
}

function isExcepted(info: RequestInfo): boolean {
  if (info.type === 'nonResource') return healthPath.test(info.path)
  return info.verb === 'watch' || isConnection(info)
}

class Place implements Admission {
  readonly admitted = true
  readonly headers = unlimited.headers
  #kind: Kind | undefined

  constructor(kind: Kind) {
    this.#kind = kind
    kind.inFlight++
  }

  release(): void {
    if (this.#kind !== undefined) this.#kind.inFlight--
    this.#kind = undefined
  }
}

function rejectedText(kinds: readonly Kind[]): string {
  const name = 'apiserver_dropped_requests_total'
  return (
    header(name, 'Requests refused because too many were in flight, by kind.', 'counter') +
    kinds
      .map(({ name: kind, rejected: count }) => sample(name, labelText({ request_kind: kind }), count))
      .join('')
  )
}
