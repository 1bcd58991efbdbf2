/** What limit ranges say against a pod or a claim, in the words that users of this API know. Pure. */

import type { Draft } from '../schema/defaults.ts'
import { formatQuantity, parseQuantity, type Quantity } from '../schema/quantity.ts'
import { readAmounts } from '../types/core/amounts.ts'
import { containerDemand, type Demand, podDemand } from '../types/core/demand.ts'
import { objectAt, objectsAt, textAt } from '../types/draft.ts'
import type { ApiObject } from '../types/object.ts'

/** Nano units, by resource. */
type Amounts = ReadonlyMap<string, bigint>

interface Asked {
  readonly requests: Amounts
  readonly limits: Amounts
}

/** One bound of one resource. */
interface Bound {
  /** `Container`, `Pod`, … */
  readonly type: string
  readonly resource: string
  readonly nanos: bigint
  /** As the range writes it. */
  readonly text: string
}

/** What speaks against a pod by the limits of its namespace, a sentence each; none = nothing. */
export function podProblems(spec: Draft, limits: readonly Draft[]): readonly string[] {
  return limits.flatMap((limit) => {
    switch (textAt(limit, 'type')) {
      case 'Container':
        return ['containers', 'initContainers'].flatMap((list) =>
          objectsAt(spec, list).flatMap((container) =>
            boundProblems(limit, askedBy(containerDemand(container))),
          ),
        )
      case 'Pod':
        return boundProblems(limit, askedBy(podDemand(spec)))
      default:
        return []
    }
  })
}

/** The same for the storage that a PersistentVolumeClaim asks for. */
export function claimProblems(claim: ApiObject, limits: readonly Draft[]): readonly string[] {
  const requests = nanosOf(readAmounts(objectAt(claim, 'spec', 'resources', 'requests')))
  return limits
    .filter((limit) => textAt(limit, 'type') === 'PersistentVolumeClaim')
    .flatMap((limit) => [
      ...boundsOf(limit, 'min').flatMap((bound) => belowMinimum(bound, { requests, limits: new Map() })),
      ...boundsOf(limit, 'max').flatMap((bound) => requestAboveMaximum(bound, requests)),
    ])
}

function boundProblems(limit: Draft, asked: Asked): readonly string[] {
  return [
    ...boundsOf(limit, 'min').flatMap((bound) => belowMinimum(bound, asked)),
    ...boundsOf(limit, 'max').flatMap((bound) => aboveMaximum(bound, asked)),
    ...boundsOf(limit, 'maxLimitRequestRatio').flatMap((bound) => aboveRatio(bound, asked)),
  ]
}

function boundsOf(limit: Draft, name: 'min' | 'max' | 'maxLimitRequestRatio'): readonly Bound[] {
  const type = textAt(limit, 'type')
  return Object.entries(objectAt(limit, name) ?? {})
    .sort(([a], [b]) => (a < b ? -1 : 1))
    .flatMap(([resource, amount]) => {
      const quantity = typeof amount === 'string' ? parseQuantity(amount) : undefined
      return quantity === undefined
        ? []
        : [{ type, resource, nanos: quantity.nanos, text: formatQuantity(quantity) }]
    })
}

function belowMinimum(
  { type, resource, nanos, text }: Bound,
  { requests, limits }: Asked,
): readonly string[] {
  const says = `minimum ${resource} usage per ${type} is ${text}`
  const [request, limit] = [requests.get(resource), limits.get(resource)]
  if (request === undefined) return [`${says}.  No request is specified`]
  if (request < nanos) return [`${says}, but request is ${written(request, text)}`]
  return limit !== undefined && limit < nanos ? [`${says}, but limit is ${written(limit, text)}`] : []
}

function aboveMaximum(
  { type, resource, nanos, text }: Bound,
  { requests, limits }: Asked,
): readonly string[] {
  const says = `maximum ${resource} usage per ${type} is ${text}`
  const [request, limit] = [requests.get(resource), limits.get(resource)]
  if (limit === undefined) return [`${says}.  No limit is specified`]
  if (limit > nanos) return [`${says}, but limit is ${written(limit, text)}`]
  return request !== undefined && request > nanos ? [`${says}, but request is ${written(request, text)}`] : []
}

function requestAboveMaximum({ type, resource, nanos, text }: Bound, requests: Amounts): readonly string[] {
  const says = `maximum ${resource} usage per ${type} is ${text}`
  const request = requests.get(resource)
  if (request === undefined) return [`${says}.  No request is specified`]
  return request > nanos ? [`${says}, but request is ${written(request, text)}`] : []
}

const nano = 1_000_000_000n

function aboveRatio({ type, resource, nanos, text }: Bound, { requests, limits }: Asked): readonly string[] {
  const says = `${resource} max limit to request ratio per ${type} is ${text}`
  const [request = 0n, limit = 0n] = [requests.get(resource), limits.get(resource)]
  if (request === 0n) return [`${says}, but no request is specified or request is 0`]
  if (limit === 0n) return [`${says}, but no limit is specified or limit is 0`]
  const ratio = (Number(limit) / Number(request)).toFixed(6)
  return limit * nano > request * nanos ? [`${says}, but provided ratio is ${ratio}`] : []
}

/** In binary units where the bound is. */
function written(nanos: bigint, like: string): string {
  return formatQuantity({ nanos, format: like.endsWith('i') ? 'BinarySI' : 'DecimalSI' })
}

function askedBy(demand: Demand): Asked {
  return { requests: nanosOf(demand.requests), limits: nanosOf(demand.limits) }
}

function nanosOf(amounts: ReadonlyMap<string, Quantity>): Amounts {
  return new Map([...amounts].map(([resource, { nanos }]) => [resource, nanos]))
}
