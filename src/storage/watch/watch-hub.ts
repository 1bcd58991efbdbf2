/** All watches of one resource: starts them where their clients ask, and ends them. */

import type { Result, Revision, Store, Unavailable } from '../../../store/contract.ts'
import { fail, ok } from '../../../store/contract.ts'
import type { ResponseStream } from '../../pipeline/exchange.ts'
import type { ResourceCache } from '../cache/cache.ts'
import type { Deadlines } from '../cache/deadlines.ts'
import type { CacheEvent } from '../cache/event.ts'
import type { ActiveWatch, Selector, StorageReadFailure, WatchEnd, WatchRequest } from '../contract.ts'
import type { ResourceCounters } from '../counters.ts'
import type { StorageLimits } from '../limits.ts'
import type { RecordReader } from '../reader.ts'
import { narrow, type Scope, selectorId, selectsEverything } from '../selector/selector.ts'
import { sharedChunk } from '../shared-chunk.ts'
import { startCatchUp } from './catch-up.ts'
import { PreparedSource } from './prepared-source.ts'
import { EventSource, StateSource } from './sources.ts'
import { View } from './view.ts'
import { Views } from './views.ts'
import { Watcher, type WatcherSurroundings } from './watcher.ts'

interface WatchHubOptions {
  readonly read: RecordReader
  readonly store: Store
  readonly cache: ResourceCache
  readonly limits: StorageLimits
  readonly counters: ResourceCounters
  readonly deadlines: Deadlines
  /** 0 ≤ x < 1 */
  readonly random: () => number
  /** Runs an action in a later turn of the event loop. */
  readonly defer: (action: () => void) => void
  /** Asks for `view.flush()` at the end of this turn. */
  readonly requestFlush: (view: View) => void
}

export class WatchHub {
  readonly #options: WatchHubOptions
  readonly #views = new Views()
  readonly #watchers = new Set<Watcher>()
  readonly #surroundings: WatcherSurroundings
  #catchUps = 0

  constructor(options: WatchHubOptions) {
    const { counters, defer, limits } = options
    this.#options = options
    this.#surroundings = {
      counters,
      defer,
      sliceBytes: limits.sliceBytes,
      onEnd: (ended) => this.#forget(ended),
    }
  }

  onEvent(event: CacheEvent): void {
    this.#views.onEvent(event)
  }

  /** Ends every watch: its events can no longer be told without a gap. */
  failAll(failure: WatchEnd): void {
    for (const view of this.#views.all()) view.failAll(failure)
    for (const watcher of this.#watchers) this.#fail(watcher, failure)
  }

  closeAll(): void {
    for (const view of this.#views.all()) view.flush()
    for (const watcher of this.#watchers) watcher.close()
  }

  async start(
    request: WatchRequest,
    open: () => ResponseStream,
  ): Promise<Result<ActiveWatch, StorageReadFailure>> {
    const { cache } = this.#options
    const { start } = request
    const reached = await cache.reach(start.type === 'after' ? { type: 'any' } : start.freshness)
    if (!reached.ok) return reached
    // Between the answer and this turn the cache may have lost its place.
    if (!cache.isReady) return fail(notReady)
    const watcher = this.#open(request, open())
    switch (start.type) {
      case 'state':
        this.#fromState(watcher, request.selector, start.initialEventsEndBookmark)
        break
      case 'now':
        this.#after(watcher, cache.revision)
        break
      case 'after':
        this.#after(watcher, start.revision)
        break
    }
    return ok(watcher)
  }

  #open(request: WatchRequest, stream: ResponseStream): Watcher {
    const { counters, deadlines } = this.#options
    const watcher = new Watcher(this.#viewOf(request), stream, this.#surroundings)
    this.#watchers.add(watcher)
    counters.watchers = this.#watchers.size
    watcher.setTimeout(deadlines.after(request.timeoutMs, watcher))
    if (request.bookmarks) this.#scheduleBookmark(watcher, request.timeoutMs)
    return watcher
  }

  /** The view that is there already, or a new one, which enters the index when its first watcher joins. */
  #viewOf(request: WatchRequest): View {
    const asked: Scope = {
      ...(request.namespace === undefined ? {} : { namespace: request.namespace }),
      ...(request.name === undefined ? {} : { name: request.name }),
    }
    const { scope, selector } = narrow(asked, request.selector)
    const { representation } = request
    const id = JSON.stringify([
      scope.namespace ?? null,
      scope.name ?? null,
      selectorId(selector),
      representation.id,
    ])
    const { limits, counters, requestFlush } = this.#options
    return (
      this.#views.get(id) ??
      new View({
        id,
        scope,
        selector,
        representation,
        limits,
        counters,
        requestFlush,
      })
    )
  }

  #join(watcher: Watcher): void {
    const known = this.#views.get(watcher.view.id)
    if (known === undefined) this.#views.add(watcher.view)
    this.#options.counters.views = this.#views.count
    watcher.join(known ?? watcher.view)
  }

  #forget(watcher: Watcher): void {
    const { counters } = this.#options
    const { view } = watcher
    this.#watchers.delete(watcher)
    if (view.isEmpty && this.#views.get(view.id) === view) this.#views.remove(view)
    counters.watchers = this.#watchers.size
    counters.views = this.#views.count
  }

  /** The state as the cache has it in this turn, then what follows it. */
  #fromState(watcher: Watcher, selector: Selector, endBookmark: boolean): void {
    const { cache } = this.#options
    const { scope } = watcher.view
    const tree = selectsEverything(selector) ? cache.tree : cache.candidates(selector, scope.namespace)
    const state = { tree: tree.snapshot(), range: cache.rangeOf(scope) }
    const source = new StateSource(watcher.view, state, endBookmark ? cache.revision : undefined)
    this.#join(watcher)
    this.#read(watcher, source)
  }

  #read(watcher: Watcher, source: StateSource | EventSource): void {
    const { forms } = watcher.view.representation
    watcher.read(
      forms === undefined
        ? source
        : new PreparedSource(source, forms, {
            wake: () => watcher.wake(),
            fail: (failure) => this.#fail(watcher, failure),
          }),
    )
  }

  #after(watcher: Watcher, revision: Revision): void {
    const source = new EventSource(watcher.view)
    this.#read(watcher, source)
    this.#readFrom(watcher, source, revision)
  }

  /** Fills the source with everything after `revision`: from the window, else from the store up to the window. */
  #readFrom(watcher: Watcher, source: EventSource, revision: Revision): void {
    const { cache } = this.#options
    if (watcher.isEnded) return
    watcher.onCleanup(undefined)
    if (cache.revision < revision) {
      const wait = cache.whenReached(revision, () => this.#readFrom(watcher, source, revision))
      watcher.onCleanup(() => wait.cancel())
      return
    }
    const events = cache.window.after(revision)
    if (events === undefined) {
      this.#catchUp(watcher, source, revision)
      return
    }
    source.push(events)
    this.#join(watcher)
    watcher.wake()
  }

  #catchUp(watcher: Watcher, source: EventSource, after: Revision): void {
    const { cache, counters, limits, read, store } = this.#options
    if (this.#catchUps >= limits.catchUpsMax) {
      this.#fail(watcher, { code: 'Compacted', requested: after, oldest: cache.window.start })
      return
    }
    this.#catchUps++
    counters.catchUps++
    let stop: (() => void) | undefined
    let running = true
    const finish = (): void => {
      if (running) this.#catchUps--
      running = false
      stop?.()
    }
    watcher.onCleanup(finish)
    stop = startCatchUp(
      { store, read, range: cache.rangeOf(watcher.view.scope), after },
      {
        onEvents: (events, upTo) => {
          source.push(events)
          if (source.queuedBytes > limits.catchUpBytesMax) {
            watcher.dropSlow()
          } else if (upTo >= cache.window.start) {
            finish()
            this.#readFrom(watcher, source, upTo)
          } else {
            watcher.wake()
          }
          return !running
        },
        onFailure: (failure) => this.#fail(watcher, failure),
      },
    )
  }

  #fail(watcher: Watcher, failure: WatchEnd): void {
    watcher.fail(sharedChunk(watcher.view.representation.error(failure)))
  }

  /** At intervals, and once shortly before the end. */
  #scheduleBookmark(watcher: Watcher, remainingMs: number): void {
    const { cache, deadlines, limits, random } = this.#options
    const intervalMs = limits.bookmarkIntervalMs * (0.75 + random() / 2)
    const delayMs = Math.min(intervalMs, remainingMs - limits.bookmarkBeforeTimeoutMs)
    if (delayMs <= 0) return
    watcher.setNextBookmark(
      deadlines.after(delayMs, {
        onDeadline: () => {
          watcher.view.sendBookmark(watcher, cache.revision)
          if (!watcher.isEnded) this.#scheduleBookmark(watcher, remainingMs - delayMs)
        },
      }),
    )
  }
}

const notReady: Unavailable = { code: 'Unavailable', message: 'the watch cache is being loaded again' }
