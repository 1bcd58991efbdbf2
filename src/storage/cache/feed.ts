/**
 * Keeps one resource in step with the store: reads its range, watches from the revision after, and finds its way back
 * after failures.
 *
 *     load ──ok──▶ watch ──Unavailable──▶ pause, watch from where it was (nothing is missed)
 *      ▲            │
 *      │            ├──Compacted, Corrupt──▶ lost: the owner ends its watchers ─┐
 *      │            └──FutureRevision, and the quorum is behind us──▶ lost ─────┤
 *      └────────────────────────────── pause ◀──────────────────────────────────┘
 */

import type {
  Clock,
  Compacted,
  Corrupt,
  KeyRange,
  KeyValue,
  ReadFailure,
  Result,
  Revision,
  Store,
  Timer,
  Watch,
  WatchBatch,
  WatchFailure,
} from '../../../store/contract.ts'
import { fail, revision as mintRevision, ok } from '../../../store/contract.ts'
import { keyAfter } from '../keys.ts'

interface FeedOwner {
  /** The whole state at a revision; batches from the next revision on follow. Fails when it cannot be read. */
  onState(entries: readonly KeyValue[], revision: Revision): Result<void, Corrupt>
  /** Fails when an event cannot be read: the feed loads anew. */
  onBatch(batch: WatchBatch): Result<void, Corrupt>
  /** Events are missing from here on; a new state follows. */
  onLost(failure: Compacted | Corrupt): void
  /** Called when a load or a watch did not work out and is tried again. */
  onFailure(failure: ReadFailure): void
}

interface FeedOptions {
  readonly store: Store
  readonly range: KeyRange
  readonly clock: Clock
  /** Which entries of the state are handed over; absent = all. The others are not even held. */
  readonly keep?: (entry: KeyValue) => boolean
  /** 0 ≤ x < 1 */
  readonly random: () => number
  readonly limits: {
    readonly rangeEntriesMax: number
    readonly retryMinMs: number
    readonly retryMaxMs: number
  }
}

export interface Feed {
  start(): void
  close(): void
}

export function createFeed(options: FeedOptions, owner: FeedOwner): Feed {
  const { store, range, clock, random, limits } = options
  let reached: Revision | undefined
  let watch: Watch | undefined
  let pause: Timer | undefined
  let failuresInRow = 0
  let closed = false

  async function load(): Promise<void> {
    const state = await readState(store, range, limits.rangeEntriesMax, options.keep)
    if (closed) return
    const taken = state.ok ? owner.onState(state.value.entries, state.value.revision) : state
    if (!state.ok || !taken.ok) {
      retry(state.ok ? taken : state, load)
      return
    }
    reached = state.value.revision
    startWatch()
  }

  function startWatch(): void {
    const from = mintRevision((reached ?? 0) + 1)
    watch = store.watch({ ...range, from }, { onBatch, onEnd })
  }

  function onBatch(batch: WatchBatch): void {
    if (closed) return
    failuresInRow = 0
    const taken = owner.onBatch(batch)
    if (taken.ok) {
      reached = batch.revision
      return
    }
    watch?.close()
    lose(taken.failure)
  }

  function onEnd(failure: WatchFailure): void {
    if (closed) return
    watch = undefined
    switch (failure.code) {
      case 'Unavailable':
        retry(fail(failure), async () => startWatch())
        break
      case 'FutureRevision':
        retry(fail(failure), followOrReload)
        break
      case 'Compacted':
      case 'Corrupt':
        lose(failure)
        break
      default:
        failure satisfies never
    }
  }

  /** The member may trail us for a while. But when the quorum itself is behind, the store was put back in time. */
  async function followOrReload(): Promise<void> {
    const quorum = await store.readIndex()
    if (closed) return
    const asked = reached ?? mintRevision(0)
    if (quorum.ok && quorum.value < asked) {
      lose({ code: 'Compacted', requested: asked, oldest: quorum.value })
    } else {
      startWatch()
    }
  }

  function lose(failure: Compacted | Corrupt): void {
    owner.onLost(failure)
    retry(fail(failure), load)
  }

  function retry(outcome: Result<unknown, ReadFailure>, action: () => Promise<void>): void {
    if (!outcome.ok) owner.onFailure(outcome.failure)
    const pauseMs = Math.min(limits.retryMaxMs, limits.retryMinMs * 2 ** Math.min(failuresInRow, 16))
    failuresInRow++
    pause = clock.after(Math.ceil(pauseMs * (0.5 + random() / 2)), () => {
      pause = undefined
      void action()
    })
  }

  return {
    start() {
      void load()
    },
    close() {
      closed = true
      pause?.cancel()
      watch?.close()
    },
  }
}

interface State {
  readonly entries: readonly KeyValue[]
  readonly revision: Revision
}

/** A whole range at one revision, page by page. */
async function readState(
  store: Store,
  range: KeyRange,
  limit: number,
  keep: FeedOptions['keep'],
): Promise<Result<State, ReadFailure>> {
  const entries: KeyValue[] = []
  let start = range.start
  let revision: Revision | undefined
  for (;;) {
    const page = await store.range({
      start,
      end: range.end,
      limit,
      ...(revision === undefined ? {} : { revision }),
    })
    if (!page.ok) return fail(page.failure)
    revision = page.value.revision
    for (const entry of page.value.entries) if (keep?.(entry) !== false) entries.push(entry)
    const last = page.value.entries.at(-1)
    if (!page.value.more || last === undefined) return ok({ entries, revision })
    start = keyAfter(last.key)
  }
}
