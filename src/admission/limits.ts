/** What limit ranges say against a pod or a claim, in the words that users of this API know. Pure. */

import type { JsonObject } from '../json.ts'
import type { Draft } from '../schema/defaults.ts'
import { formatQuantity, parseQuantity } from '../schema/quantity.ts'
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
          objectsAt(spec, list).flatMap((container) => boundProblems(limit, askedBy(container))),
        )
      case 'Pod':
        return boundProblems(limit, askedByPod(spec))
      default:
        return []
    }
  })
}

/** The same for the storage that a PersistentVolumeClaim asks for. */
export function claimProblems(claim: ApiObject, limits: readonly Draft[]): readonly string[] {
  const requests = amountsOf(objectAt(claim, 'spec', 'resources', 'requests'))
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

function askedBy(container: Draft): Asked {
  return {
    requests: amountsOf(objectAt(container, 'resources', 'requests')),
    limits: amountsOf(objectAt(container, 'resources', 'limits')),
  }
}

/** What the pod needs at its hungriest: containers run together, init containers before them, one by one. */
function askedByPod(spec: Draft): Asked {
  return { requests: neededBy(spec, 'requests'), limits: neededBy(spec, 'limits') }
}

function neededBy(spec: Draft, name: keyof Asked): Amounts {
  const running = new Map<string, bigint>()
  for (const container of objectsAt(spec, 'containers')) add(running, askedBy(container)[name])
  const starting = new Map<string, bigint>()
  const sidecars = new Map<string, bigint>()
  for (const container of objectsAt(spec, 'initContainers')) {
    const own = askedBy(container)[name]
    if (textAt(container, 'restartPolicy') === 'Always') {
      add(running, own)
      add(sidecars, own)
      raise(starting, sidecars)
    } else {
      const together = new Map(sidecars)
      add(together, own)
      raise(starting, together)
    }
  }
  raise(running, starting)
  return running
}

function add(sum: Map<string, bigint>, more: Amounts): void {
  for (const [resource, amount] of more) sum.set(resource, (sum.get(resource) ?? 0n) + amount)
}

function raise(most: Map<string, bigint>, other: Amounts): void {
  for (const [resource, amount] of other) {
    const before = most.get(resource)
    if (before === undefined || amount > before) most.set(resource, amount)
  }
}

function amountsOf(list: JsonObject | undefined): Amounts {
  const amounts = new Map<string, bigint>()
  for (const [resource, amount] of Object.entries(list ?? {})) {
    const quantity = typeof amount === 'string' ? parseQuantity(amount) : undefined
    if (quantity !== undefined) amounts.set(resource, quantity.nanos)
  }
  return amounts
}
