import { revision, type StoreFailure, type WatchFailure, type WatchListener } from '../contract.ts'
import type { LinkBatch } from './answers.ts'

interface ClientWatch {
  readonly listener: WatchListener
  /** The member counts it among the rest of its batches. */
  known: boolean
}

/** The watches of a link, by the id that the worker gave them. */
export class ClientWatches {
  readonly #watches = new Map<number, ClientWatch>()

  add(id: number, listener: WatchListener): void {
    this.#watches.set(id, { listener, known: false })
  }

  /** True when there was one. */
  delete(id: number): boolean {
    return this.#watches.delete(id)
  }

  known(id: number): void {
    const watch = this.#watches.get(id)
    if (watch !== undefined) watch.known = true
  }

  /** False when the batch contradicts itself. */
  deliver(batch: LinkBatch): boolean {
    const at = revision(batch.revision)
    const told = new Set<number>()
    for (const { watch: id, events: places } of batch.deliveries) {
      const events = places.flatMap((place) => batch.events[place] ?? [])
      if (events.length !== places.length) return false
      told.add(id)
      this.#watches.get(id)?.listener.onBatch({ revision: at, events })
    }
    if (!batch.rest) return true
    const progress = { revision: at, events: [] }
    for (const [id, watch] of [...this.#watches]) {
      if (watch.known && !told.has(id) && this.#watches.has(id)) watch.listener.onBatch(progress)
    }
    return true
  }

  end(id: number, failure: StoreFailure): void {
    const watch = this.#watches.get(id)
    if (watch === undefined) return
    this.#watches.delete(id)
    watch.listener.onEnd(asWatchFailure(failure))
  }

  endAll(failure: WatchFailure): void {
    for (const id of [...this.#watches.keys()]) this.end(id, failure)
  }
}

function asWatchFailure(failure: StoreFailure): WatchFailure {
  switch (failure.code) {
    case 'Compacted':
    case 'FutureRevision':
    case 'Unavailable':
    case 'Corrupt':
      return failure
    case 'GuardFailed':
    case 'Unknown':
    case 'TooLarge':
      return { code: 'Unavailable', message: `a watch cannot end with ${failure.code}` }
  }
}
