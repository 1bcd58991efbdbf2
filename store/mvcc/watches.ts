import {
  type Corrupt,
  revision,
  type Watch,
  type WatchFailure,
  type WatchListener,
  type WatchRequest,
} from '../contract.ts'
import { describeError } from '../disk/database.ts'
import { readHistory } from './catch-up.ts'
import type { Current } from './current.ts'
import { ChangeEvents } from './events.ts'
import type { Change } from './state.ts'
import { type LiveWatch, WatchHub } from './watch-hub.ts'

export interface WatchesOptions {
  readonly current: Current
  /** Runs `action` in a later turn of the event loop. */
  defer(action: () => void): void
  /** A record on disk did not match its checksum: the member must stop. */
  onCorrupt(failure: Corrupt): void
}

/**
 * All watches, from their start to their end: those behind the present read history until they have caught up, the
 * live ones are told what is applied.
 *
 *     open ──behind──▶ catching up (disk, then memory) ──in one turn──▶ live ──▶ closed, or ended with a failure
 *       └───────────────────present────────────────────────────────────▲ │
 *                               ▲──────────── the state was replaced ────┘
 */
export class Watches {
  readonly #options: WatchesOptions
  readonly #current: Current
  readonly #hub = new WatchHub()
  readonly #catchingUp = new Set<LiveWatch>()

  constructor(options: WatchesOptions) {
    this.#options = options
    this.#current = options.current
  }

  /** Starts a watch. Its first batch, or its end, comes in a later turn. */
  open(request: WatchRequest, listener: WatchListener): Watch {
    const watch: LiveWatch = { range: request, previous: request.previous === true, listener }
    const { from } = request
    if (this.#current.ended === undefined && from === this.#current.state.revision + 1) this.#hub.add(watch)
    else this.#beginCatchUp(watch, from)
    return {
      close: () => {
        this.#hub.delete(watch)
        this.#catchingUp.delete(watch)
      },
    }
  }

  /** Tells the live watches what the latest revision changed. */
  publish(changes: readonly Change[]): void {
    if (this.#hub.size === 0) return
    const events = changes.map((change) => this.#events(change))
    this.#hub.publish(revision(this.#current.state.revision), events)
  }

  /** The state was replaced: the live watches find in its history what they have not been told, from `from` on. */
  catchUpAll(from: number): void {
    for (const watch of this.#hub.takeAll()) this.#beginCatchUp(watch, from)
  }

  /** Ends every watch; after {@link Current.end}, so that those asked for later end as well. */
  endAll(failure: WatchFailure): void {
    this.#hub.endAll(failure)
    for (const watch of [...this.#catchingUp]) this.#end(watch, failure)
  }

  #beginCatchUp(watch: LiveWatch, from: number): void {
    this.#catchingUp.add(watch)
    this.#options.defer(() => void this.#catchUp(watch, from))
  }

  /**
   * Brings a watch from `from` to the present: from disk as long as it is behind what memory holds, then from memory
   * and, in the same turn, among the live ones.
   */
  async #catchUp(watch: LiveWatch, first: number): Promise<void> {
    let from = first
    for (;;) {
      await this.#current.replaced
      if (!this.#catchingUp.has(watch)) return
      const refused = this.#refusal(from)
      if (refused !== undefined) {
        this.#end(watch, refused)
        return
      }
      const { floor } = this.#current.recent
      if (from > floor) {
        this.#goLive(watch, from)
        return
      }
      from = await this.#catchUpFromDisk(watch, from, floor)
    }
  }

  #refusal(from: number): WatchFailure | undefined {
    const { ended, state } = this.#current
    const { revision: current, oldest } = state
    if (ended !== undefined) return ended
    if (from > current + 1) {
      return { code: 'FutureRevision', requested: revision(from), current: revision(current) }
    }
    if (from <= oldest) return { code: 'Compacted', requested: revision(from), oldest: revision(oldest) }
    return undefined
  }

  /** Returns the revision to go on from. */
  async #catchUpFromDisk(watch: LiveWatch, first: number, to: number): Promise<number> {
    let from = first
    const { database, state } = this.#current
    const view = database.view()
    try {
      const history = readHistory(state, view, watch, from, to, (key, version) =>
        this.#current.readValueInTurn(key, version),
      )
      for await (const batch of history) {
        if (!this.#catchingUp.has(watch) || this.#refusal(from) !== undefined) break
        // What is read of a database that was replaced meanwhile may be cut short: the new one goes on.
        if (this.#current.isReplaced(database)) break
        if (!batch.ok) {
          this.#options.onCorrupt(batch.failure)
          this.#end(watch, batch.failure)
          break
        }
        watch.listener.onBatch({ revision: revision(batch.value.revision), events: batch.value.events })
        from = batch.value.revision + 1
      }
    } catch (error) {
      // Ended or replaced meanwhile: the database was closed under the scan.
      if (this.#catchingUp.has(watch) && !this.#current.isReplaced(database)) {
        const message = `cannot be read: ${describeError(error)}`
        this.#options.onCorrupt({ code: 'Corrupt', where: `records from revision ${from}`, message })
      }
    } finally {
      await view.close()
    }
    return from
  }

  #goLive(watch: LiveWatch, from: number): void {
    this.#catchingUp.delete(watch)
    this.#hub.add(watch)
    const { recent, state } = this.#current
    if (from > state.revision) return
    const { start, end } = watch.range
    const changes = [...recent.since(from)].filter(({ key }) => key >= start && key < end)
    const events = changes.map((change) => this.#events(change).event(watch.previous))
    // Reading a value before may have found it corrupt, and ended this watch with the rest.
    if (this.#current.ended === undefined)
      watch.listener.onBatch({ revision: revision(state.revision), events })
  }

  #end(watch: LiveWatch, failure: WatchFailure): void {
    if (this.#catchingUp.delete(watch)) watch.listener.onEnd(failure)
  }

  #events(change: Change): ChangeEvents {
    return new ChangeEvents(
      change,
      (key, version) => this.#current.readValueInTurn(key, version),
      (failure) => this.#options.onCorrupt(failure),
    )
  }
}
