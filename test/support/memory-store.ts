/**
 * A store in memory for tests: as simple as can be, with the whole history, and with faults on demand. It is meant to
 * be obviously right, not fast.
 */

import type {
  CommitFailure,
  CommitResponse,
  Compacted,
  FutureRevision,
  Key,
  KeyRange,
  KeyValue,
  Result,
  Revision,
  Store,
  StoreEvent,
  Transaction,
  Unavailable,
  WatchListener,
  WatchRequest,
} from '../../store/contract.ts'
import { fail, ok, revision } from '../../store/contract.ts'

interface MemoryStore extends Store {
  /** The state at any revision, compacted or not: for oracles. */
  stateAt(at: Revision): ReadonlyMap<Key, KeyValue>
  /** Every event ever, in order. */
  readonly history: readonly StoreEvent[]
  readonly revision: Revision
  /** Watches deliver nothing until `resume`; commits go on. */
  pauseWatches(): void
  resumeWatches(): void
  /** Ends all watches with Unavailable. */
  disconnect(): void
  /** Reads, commits and new watches fail with Unavailable while set. */
  setUnavailable(unavailable: boolean): void
  /** Read indexes are this far ahead of what is committed: what no cache can reach. */
  setReadIndexLead(lead: number): void
  readonly openWatches: number
  readonly rangeCalls: number
}

interface OpenWatch {
  readonly request: WatchRequest
  readonly listener: WatchListener
  /** Delivered up to here. */
  reached: number
}

export function createMemoryStore(): MemoryStore {
  const history: StoreEvent[] = []
  const watches = new Set<OpenWatch>()
  let live = new Map<Key, KeyValue>()
  let current = 0
  let oldest = 0
  let paused = false
  let down = false
  let lead = 0
  let rangeCalls = 0
  let deliveryPlanned = false

  function stateAt(at: number): Map<Key, KeyValue> {
    if (at >= current) return live
    const state = new Map<Key, KeyValue>()
    for (const event of history) {
      if (event.revision > at) break
      if (event.type === 'put') {
        state.set(event.key, { key: event.key, value: event.value, modRevision: event.revision })
      } else state.delete(event.key)
    }
    return state
  }

  function unreadable(at: number): Compacted | FutureRevision | undefined {
    if (at < oldest) return { code: 'Compacted', requested: revision(at), oldest: revision(oldest) }
    if (at > current) return { code: 'FutureRevision', requested: revision(at), current: revision(current) }
    return undefined
  }

  function apply({ ops }: Transaction): void {
    const next = revision(current + 1)
    const state = new Map(live)
    let changed = false
    for (const op of ops) {
      const previous = state.get(op.key)
      const before = previous === undefined ? {} : { previous }
      if (op.type === 'put') {
        const { key, value } = op
        state.set(key, { key, value, modRevision: next })
        history.push({ type: 'put', key, value, revision: next, ...before })
      } else if (state.delete(op.key)) {
        history.push({ type: 'delete', key: op.key, revision: next, ...before })
      } else continue
      changed = true
    }
    if (!changed) return
    live = state
    current = next
    planDelivery()
  }

  function planDelivery(): void {
    if (deliveryPlanned || paused) return
    deliveryPlanned = true
    setImmediate(() => {
      deliveryPlanned = false
      if (!paused) for (const watch of [...watches]) deliver(watch)
    })
  }

  function deliver(watch: OpenWatch): void {
    const { request, listener } = watch
    if (watch.reached < oldest) {
      end(watch, { code: 'Compacted', requested: revision(watch.reached + 1), oldest: revision(oldest) })
      return
    }
    if (watch.reached >= current) return
    const events = history
      .filter((event) => event.revision > watch.reached && isIn(request, event.key))
      .map((event) => (request.previous === true ? event : withoutPrevious(event)))
    watch.reached = current
    listener.onBatch({ revision: revision(current), events })
  }

  function end(watch: OpenWatch, failure: Compacted | Unavailable | FutureRevision): void {
    if (watches.delete(watch)) watch.listener.onEnd(failure)
  }

  const unavailable: Unavailable = { code: 'Unavailable', message: 'the test took the store away' }

  return {
    history,
    stateAt,
    get revision() {
      return revision(current)
    },
    get openWatches() {
      return watches.size
    },
    get rangeCalls() {
      return rangeCalls
    },
    pauseWatches: () => {
      paused = true
    },
    resumeWatches: () => {
      paused = false
      planDelivery()
    },
    disconnect: () => {
      for (const watch of [...watches]) end(watch, unavailable)
    },
    setUnavailable: (value) => {
      down = value
    },
    setReadIndexLead: (value) => {
      lead = value
    },

    async range(request) {
      rangeCalls++
      if (down) return fail(unavailable)
      const at = request.revision ?? current
      const failure = unreadable(at)
      if (failure !== undefined) return fail(failure)
      const all = [...stateAt(at).values()]
        .filter(({ key }) => isIn(request, key))
        .sort((a, b) => (a.key < b.key ? -1 : 1))
      const entries = all.slice(0, request.limit)
      return ok({ entries, revision: revision(at), more: entries.length < all.length, count: all.length })
    },

    async commit(transaction): Promise<Result<CommitResponse, CommitFailure>> {
      if (down) return fail(unavailable)
      for (const { key, modRevision } of transaction.guards) {
        const found = live.get(key)
        if ((found?.modRevision ?? 0) === modRevision) continue
        const now = { code: 'GuardFailed' as const, key, expected: modRevision, revision: revision(current) }
        return fail(found === undefined ? now : { ...now, current: found })
      }
      apply(transaction)
      return ok({ revision: revision(current) })
    },

    watch(request, listener) {
      const watch: OpenWatch = { request, listener, reached: request.from - 1 }
      watches.add(watch)
      setImmediate(() => {
        if (!watches.has(watch)) return
        if (down) end(watch, unavailable)
        else if (watch.reached > current) {
          end(watch, { code: 'FutureRevision', requested: request.from, current: revision(current) })
        } else if (!paused) deliver(watch)
      })
      return { close: () => watches.delete(watch) }
    },

    async readIndex() {
      return down ? fail(unavailable) : ok(revision(current + lead))
    },

    async compact(at) {
      oldest = Math.max(oldest, at)
      return ok(undefined)
    },

    async status() {
      const commits = { buckets: [], sumSeconds: 0, batches: 0, transactions: 0 }
      return ok({ revision: revision(current), oldest: revision(oldest), keys: live.size, bytes: 0, commits })
    },

    async close() {
      for (const watch of [...watches]) end(watch, unavailable)
    },
  }
}

function isIn({ start, end }: KeyRange, key: Key): boolean {
  return key >= start && key < end
}

function withoutPrevious(event: StoreEvent): StoreEvent {
  const { previous: _, ...rest } = event
  return rest
}
