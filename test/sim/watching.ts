/**
 * A client that watches, and what it is promised: events ordered, unique, complete, and resumable over crashes and on
 * any member. It goes on from the revision after its last; when that is compacted, from a list.
 */
import type { WatchListener } from './contract.ts'
import type { KvEvent, KvImage } from './kv.ts'
import { violated } from './safety.ts'

export interface WatchClient extends WatchListener {
  /** First revision that it has not seen. */
  next(): number
  readonly resumed: { lists: number; events: number }
}

/** `truth`: every event of the replicated history, at its revision - 1. */
export function createWatchClient(name: string, truth: readonly KvEvent[]): WatchClient {
  let next = 1
  const resumed = { lists: 0, events: 0 }

  function take(event: KvEvent): void {
    if (event.revision < next) throw violated('watch unique', `${name} sees ${event.revision} again`)
    if (event.revision > next) throw violated('watch complete', `${name} sees ${event.revision}, not ${next}`)
    const expected = truth[event.revision - 1]
    if (expected?.value !== event.value || expected.key !== event.key) {
      throw violated('watch faithful', `${name} sees another event at ${event.revision}`)
    }
    resumed.events++
    next++
  }

  return {
    next: () => next,
    resumed,
    onEvents(events) {
      for (const event of events) take(event)
    },
    onCompacted(list: KvImage) {
      if (list.compacted < next) throw violated('watch resumable', `${name} cannot go on at ${next}`)
      const state = new Map<string, number>()
      for (const { key, value } of truth.slice(0, list.revision)) state.set(key, value)
      const same =
        state.size === list.keys.size && [...state].every(([k, v]) => list.keys.get(k)?.value === v)
      if (!same) throw violated('list faithful', `${name} lists another state at ${list.revision}`)
      resumed.lists++
      next = list.revision + 1
    },
  }
}
