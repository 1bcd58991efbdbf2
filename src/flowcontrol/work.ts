/**
 * How much a request is expected to cost, before anything is done for it: the seats that it takes, and how long it
 * keeps them when it has been answered. Pure.
 *
 *     list, watch that begins with the state ▶ a seat for each 100 objects that have to be looked at
 *     write ▶ while it runs and 5 ms after, a seat for each 10 watchers that its event goes to; longer on fewer seats
 *     all others ▶ one seat
 *
 * Source: Kubernetes documentation, "API Priority and Fairness", seats occupied by a request; enhancement 1040. There a
 * page costs twice its objects because the store is read, and one namespace as much as all; here both come from the cache.
 */

import type { Query } from '../pipeline/query.ts'
import type { RequestInfo, ResourceRequest } from '../pipeline/request-info.ts'

export interface Work {
  /** At least 1. */
  readonly seats: number
  /** For which the seats stay taken after the answer; milliseconds. */
  readonly extraMs: number
  /** A watch is done when it has begun. */
  readonly type: 'regular' | 'watch'
}

/** What the estimate rests on: what this process knows of a resource now. */
interface ResourceLoad {
  /** In the namespace of the request, where it has one. */
  readonly objects: number
  readonly watchers: number
}

/** Undefined where nothing is stored, or nobody has used it. */
export type LoadOf = (info: ResourceRequest) => ResourceLoad | undefined

/** @param seatsMax that the request may take at its level */
export type WorkOf = (info: RequestInfo, query: Query, seatsMax: number) => Work

const objectsPerSeat = 100
const watchersPerSeat = 10
const eventMs = 5
const seatsMaxOfAll = 10
/** Makes no event of the object in its path. */
const isToken = ({ resource, subresource }: ResourceRequest): boolean =>
  resource === 'serviceaccounts' && subresource === 'token'
/** The part of a level that one request may take. */
const partMax = 0.15

const usual: Work = { seats: 1, extraMs: 0, type: 'regular' }
const usualWatch: Work = { ...usual, type: 'watch' }
const writingVerbs: ReadonlySet<string> = new Set(['create', 'update', 'patch', 'delete'])

export function createWorkEstimate(loadOf: LoadOf): WorkOf {
  return (info, query, seatsMax) => {
    if (info.type !== 'resource' || info.verb === undefined) return usual
    if (info.verb === 'list') return readingWork(objectsOf(info, query, loadOf), seatsMax, usual)
    if (info.verb === 'watch') {
      return query.flag('sendInitialEvents') === true
        ? readingWork(objectsOf(info, query, loadOf), seatsMax, usualWatch)
        : usualWatch
    }
    if (!writingVerbs.has(info.verb) || isToken(info)) return usual
    const load = loadOf(info)
    return load === undefined || load.watchers < watchersPerSeat
      ? usual
      : writingWork(load.watchers, seatsMax)
  }
}

function objectsOf(info: ResourceRequest, query: Query, loadOf: LoadOf): number {
  const stored = loadOf(info)?.objects ?? 0
  const { name } = info
  if (query.isEmpty) return name === '' ? stored : 1
  const fields = query.text('fieldSelector') ?? ''
  if (name !== '' || /(^|,)metadata\.name=/.test(fields)) return 1
  // To fill a page, all may have to be looked at.
  if (fields !== '' || (query.text('labelSelector') ?? '') !== '') return stored
  const limit = query.integer('limit')
  return limit.ok && limit.value !== undefined && limit.value > 0 ? Math.min(limit.value, stored) : stored
}

function readingWork(objects: number, seatsMax: number, narrow: Work): Work {
  const seats = Math.min(Math.ceil(objects / objectsPerSeat), seatsMax)
  return seats <= 1 ? narrow : { ...narrow, seats }
}

/** Who may not have all the seats keeps those that there are for longer: the work is the same. */
function writingWork(watchers: number, seatsMax: number): Work {
  const wanted = Math.ceil(watchers / watchersPerSeat)
  const seats = Math.max(1, Math.min(wanted, seatsMax))
  return { seats, extraMs: (wanted * eventMs) / seats, type: 'regular' }
}

/**
 * The most seats that one request takes at a level, so that none takes it all.
 * @param nominal seats of the level @param handSize undefined where nobody queues
 */
export function seatsMaxOf(nominal: number, handSize: number | undefined): number {
  if (handSize === undefined) return seatsMaxOfAll
  const most = Math.min(Math.ceil(nominal * partMax), Math.floor(nominal / handSize))
  return Math.min(seatsMaxOfAll, Math.max(1, most))
}
