/** Events from before the cache's window, from the store's history, until the window takes over. */

import type {
  Compacted,
  Corrupt,
  KeyRange,
  Revision,
  Store,
  StoreEvent,
  Unavailable,
} from '../../../store/contract.ts'
import { revision as mintRevision, ok, type Result } from '../../../store/contract.ts'
import { CacheEvent } from '../cache/event.ts'
import type { RecordReader } from '../reader.ts'

interface CatchUpOwner {
  /** What happened up to this revision. Answers true when it needs no more. */
  onEvents(events: readonly CacheEvent[], upTo: Revision): boolean
  onFailure(failure: Compacted | Unavailable | Corrupt): void
}

/** Returns how to stop it. */
export function startCatchUp(
  options: {
    readonly store: Store
    readonly read: RecordReader
    readonly range: KeyRange
    readonly after: Revision
  },
  owner: CatchUpOwner,
): () => void {
  const { store, read: readRecord, range, after } = options
  let done = false

  function finish(): void {
    done = true
    // The first batch may come before `watch` has returned.
    queueMicrotask(() => watch.close())
  }

  const watch = store.watch(
    { ...range, from: mintRevision(after + 1), previous: true },
    {
      onBatch(batch) {
        if (done) return
        const events: CacheEvent[] = []
        for (const event of batch.events) {
          const read = readEvent(readRecord, event)
          if (!read.ok) {
            finish()
            owner.onFailure(read.failure)
            return
          }
          if (read.value !== undefined) events.push(read.value)
        }
        if (owner.onEvents(events, batch.revision)) finish()
      },
      onEnd(failure) {
        if (done) return
        done = true
        // It starts below what this worker has seen: a store that does not know the revision is a member behind.
        const unavailable = {
          code: 'Unavailable' as const,
          message: 'the store does not know this revision yet',
        }
        owner.onFailure(failure.code === 'FutureRevision' ? unavailable : failure)
      },
    },
  )
  return finish
}

function readEvent(readRecord: RecordReader, event: StoreEvent): Result<CacheEvent | undefined, Corrupt> {
  const { key, revision } = event
  const previous = event.previous === undefined ? undefined : readRecord(event.previous)
  if (previous !== undefined && !previous.ok) return previous
  if (event.type === 'delete') {
    return ok(previous === undefined ? undefined : new CacheEvent(revision, key, undefined, previous.value))
  }
  const object = readRecord({ key, value: event.value, modRevision: revision })
  if (!object.ok) return object
  return ok(new CacheEvent(revision, key, object.value, previous?.value))
}
