/**
 * What priority levels hold now, as tables: the debug endpoints under `/debug/api_priority_and_fairness/`. Of the process
 * that is asked.
 *
 * Source: Kubernetes documentation, "API Priority and Fairness", debug endpoints.
 */

import type { RequestInfo } from '../pipeline/request-info.ts'
import type { User } from '../pipeline/user.ts'
import { tableText } from './table-text.ts'
import type { Work } from './work.ts'

export interface RequestView {
  readonly schema: string
  readonly distinguisher: string
  readonly user: User
  readonly info: RequestInfo
  readonly work: Work
  /** Wall-clock milliseconds. */
  readonly arrivedMs: number
  /** Undefined = it waits. */
  readonly startedMs: number | undefined
}

export interface QueueView {
  readonly waiting: readonly RequestView[]
  readonly executing: readonly RequestView[]
  /** Virtual. */
  readonly nextStartMs: number
}

export interface LevelView {
  readonly name: string
  /** It is configured no more. */
  readonly isQuiescing: boolean
  readonly queues: readonly QueueView[]
  /** Who has a seat without a queue. */
  readonly queueless: readonly RequestView[]
  readonly dispatched: number
  readonly rejected: number
  readonly timedOut: number
  readonly cancelled: number
}

export const dumpNames = ['dump_priority_levels', 'dump_queues', 'dump_requests'] as const
export type DumpName = (typeof dumpNames)[number]

/** @param levels by name @param withDetails of requests: who asks for what */
export function dumpText(name: DumpName, levels: readonly LevelView[], withDetails: boolean): string {
  switch (name) {
    case 'dump_priority_levels':
      return tableText([levelHeaders, ...levels.map(levelRow)])
    case 'dump_queues':
      return tableText([
        queueHeaders,
        ...levels.flatMap((level) => level.queues.map((queue, at) => queueRow(level, queue, at))),
      ])
    case 'dump_requests':
      return tableText([
        withDetails ? [...requestHeaders, ...detailHeaders] : requestHeaders,
        ...levels.flatMap((level) => requestRows(level, withDetails)),
      ])
  }
}

const levelHeaders = [
  'PriorityLevelName',
  'ActiveQueues',
  'IsIdle',
  'IsQuiescing',
  'WaitingRequests',
  'ExecutingRequests',
  'DispatchedRequests',
  'RejectedRequests',
  'TimedoutRequests',
  'CancelledRequests',
]

function levelRow(level: LevelView): readonly string[] {
  const { name, isQuiescing, queues, queueless, dispatched, rejected, timedOut, cancelled } = level
  const waiting = sum(queues, (queue) => queue.waiting.length)
  const executing = sum(queues, (queue) => queue.executing.length) + queueless.length
  return [
    name,
    queues.filter((queue) => queue.waiting.length > 0).length,
    waiting + executing === 0,
    isQuiescing,
    waiting,
    executing,
    dispatched,
    rejected,
    timedOut,
    cancelled,
  ].map(String)
}

const queueHeaders = [
  'PriorityLevelName',
  'Index',
  'PendingRequests',
  'ExecutingRequests',
  'SeatsInUse',
  'NextDispatchR',
  'InitialSeatsSum',
  'MaxSeatsSum',
  'TotalWorkSum',
]

function queueRow(
  { name }: LevelView,
  { waiting, executing, nextStartMs }: QueueView,
  at: number,
): readonly string[] {
  const seats = sum(waiting, ({ work }) => work.seats)
  return [
    name,
    String(at),
    String(waiting.length),
    String(executing.length),
    String(sum(executing, ({ work }) => work.seats)),
    seatSeconds(nextStartMs),
    String(seats),
    String(seats),
    seatSeconds(sum(waiting, ({ work }) => work.seats * (guessMs + work.extraMs))),
  ]
}

/** What a request is taken to last before it has ended. */
const guessMs = 3

/** A time on seats: `0.00300000ss`. */
function seatSeconds(ms: number): string {
  return `${(ms / 1000).toFixed(8)}ss`
}

const requestHeaders = [
  'PriorityLevelName',
  'FlowSchemaName',
  'QueueIndex',
  'RequestIndexInQueue',
  'FlowDistingsher',
  'ArriveTime',
  'InitialSeats',
  'FinalSeats',
  'AdditionalLatency',
  'StartTime',
]

const detailHeaders = [
  'UserName',
  'Verb',
  'APIPath',
  'Namespace',
  'Name',
  'APIVersion',
  'Resource',
  'SubResource',
]

/** Of a queue first who waits, then who has a seat (index −1). */
function requestRows(level: LevelView, withDetails: boolean): readonly (readonly string[])[] {
  const row = (queue: number, index: number, request: RequestView): readonly string[] => {
    const cells = requestRow(level, queue, index, request)
    return withDetails ? [...cells, ...detailsOf(request)] : cells
  }
  return [
    ...level.queues.flatMap(({ waiting, executing }, queue) => [
      ...waiting.map((request, index) => row(queue, index, request)),
      ...executing.map((request) => row(queue, -1, request)),
    ]),
    ...level.queueless.map((request) => row(-1, -1, request)),
  ]
}

function requestRow(
  { name }: LevelView,
  queue: number,
  index: number,
  { schema, distinguisher, work, arrivedMs, startedMs }: RequestView,
): readonly string[] {
  const { seats, extraMs } = work
  return [
    name,
    schema,
    String(queue),
    String(index),
    distinguisher,
    timeText(arrivedMs),
    String(seats),
    String(extraMs === 0 ? 0 : seats),
    extraMs === 0 ? '0s' : `${extraMs}ms`,
    startedMs === undefined ? neverText : timeText(startedMs),
  ]
}

/** Of a time that has not come. */
const neverText = '0001-01-01T00:00:00Z'

function timeText(wallMs: number): string {
  return new Date(wallMs).toISOString().replace(/\.?0*Z$/, 'Z')
}

function detailsOf({ user, info }: RequestView): readonly string[] {
  if (info.type === 'nonResource') return [user.name, info.verb, info.path, '', '', '', '', '']
  const { verb = '', group, version, namespace, resource, name, subresource } = info
  const apiVersion = group === '' ? version : `${group}/${version}`
  const start = group === '' ? `/api/${version}` : `/apis/${apiVersion}`
  const parts = [...(namespace === '' ? [] : ['namespaces', namespace]), resource, name, subresource]
  const path = [start, ...parts.filter((part) => part !== '')].join('/')
  return [user.name, verb, path, namespace, name, apiVersion, resource, subresource]
}

function sum<T>(items: readonly T[], amount: (item: T) => number): number {
  return items.reduce((total, item) => total + amount(item), 0)
}
