/** A priority level as tables show it. */

import type { LevelView, QueueView, RequestView } from './dump.ts'
import type { Rejection } from './flow-statistics.ts'
import type { Flow, Level, Requested } from './level.ts'
import type { Work } from './work.ts'

interface Counted {
  /** Wall-clock time of the monotonic time 0. */
  readonly sinceEpochMs: number
  readonly isQuiescing: boolean
  readonly dispatched: number
  readonly rejected: ReadonlyMap<Rejection, number>
}

export function viewOf(
  level: Level,
  { sinceEpochMs, isQuiescing, dispatched, rejected }: Counted,
): LevelView {
  const shown = (
    { schema, distinguisher }: Flow,
    { user, info, sinceMs }: Requested,
    work: Work,
    startedMs?: number,
  ): RequestView => ({
    schema,
    distinguisher,
    user,
    info,
    work,
    arrivedMs: sinceEpochMs + sinceMs,
    startedMs: startedMs === undefined ? undefined : sinceEpochMs + startedMs,
  })
  const sitting = (index: number | undefined): readonly RequestView[] =>
    level.sitters
      .filter(({ queue }) => queue?.index === index)
      .map(({ flow, requested, work, startedMs }) => shown(flow, requested, work, startedMs))
  const queueOf = (index: number): QueueView => {
    const queue = level.queues.at(index)
    return {
      waiting: [...(queue?.waiting ?? [])].map((waiter) => shown(waiter.flow, waiter.requested, waiter)),
      executing: sitting(index),
      nextStartMs: queue?.startMs ?? 0,
    }
  }
  const count = (reason: Rejection): number => rejected.get(reason) ?? 0
  return {
    name: level.name,
    isQuiescing,
    queues: Array.from({ length: level.queuing?.queues ?? 0 }, (_, index) => queueOf(index)),
    queueless: sitting(undefined),
    dispatched,
    rejected: count('queue-full') + count('concurrency-limit'),
    timedOut: count('time-out'),
    cancelled: count('cancelled'),
  }
}
