/**
 * The watch cache of one resource: its objects as they are now, the latest events, and kept snapshots. It changes in
 * revision order and in one turn for each batch, so whoever reads it between two turns sees one revision.
 */

import type {
  Clock,
  Compacted,
  Corrupt,
  Key,
  KeyRange,
  KeyValue,
  ReadFailure,
  Result,
  Revision,
  Store,
  StoreEvent,
  Unavailable,
  WatchBatch,
} from '../../../store/contract.ts'
import { fail, revision as mintRevision, ok } from '../../../store/contract.ts'
import type { Freshness, ResourceVersionTooLarge, Selector } from '../contract.ts'
import type { ResourceCounters } from '../counters.ts'
import { scopeRange } from '../keys.ts'
import type { StorageLimits } from '../limits.ts'
import type { RecordReader } from '../reader.ts'
import type { StoredObject } from '../record.ts'
import type { Scope } from '../selector/selector.ts'
import type { Deadlines } from './deadlines.ts'
import { CacheEvent } from './event.ts'
import { createFeed, type Feed } from './feed.ts'
import { createRevisionWaits, type RevisionWaits } from './revision-waits.ts'
import { Snapshots } from './snapshots.ts'
import { ObjectTree } from './tree.ts'
import { ValueIndexes } from './value-index.ts'
import { EventWindow } from './window.ts'

interface CacheListener {
  /** Called for each event, in order, after the cache has taken it. */
  onEvent(event: CacheEvent): void
  /** Events are missing from here on: watches cannot go on. */
  onLost(failure: Compacted | Corrupt): void
}

interface CacheOptions {
  readonly prefix: string
  readonly read: RecordReader
  readonly store: Store
  readonly clock: Clock
  readonly random: () => number
  readonly limits: StorageLimits
  readonly deadlines: Deadlines
  readonly counters: ResourceCounters
  readonly readIndex: () => Promise<Result<Revision, Unavailable | Corrupt>>
}

type FreshnessFailure = ResourceVersionTooLarge | Unavailable | Corrupt

type Reached = Result<void, FreshnessFailure>

const reached: Reached = ok(undefined)

/** That finds out which revision is the most recent one. */
type Round = ReturnType<CacheOptions['readIndex']>

type Phase =
  | { readonly type: 'idle' }
  | { readonly type: 'loading'; readonly because: ReadFailure | undefined }
  | { readonly type: 'ready' }
  | { readonly type: 'closed' }

export class ResourceCache {
  readonly window: EventWindow
  readonly snapshots: Snapshots
  readonly #options: CacheOptions
  readonly #listener: CacheListener
  readonly #waits: RevisionWaits
  readonly #loads: RevisionWaits
  readonly #feed: Feed
  #tree = ObjectTree.of([])
  /** Objects of each namespace that has some. */
  readonly #inNamespace = new Map<string, number>()
  readonly #indexes: ValueIndexes
  #revision: Revision = mintRevision(0)
  #phase: Phase = { type: 'idle' }
  #trimArmed = false
  #recent: { readonly round: Round; readonly reached: Promise<Reached> } | undefined

  constructor(options: CacheOptions, listener: CacheListener) {
    const { prefix, limits, clock, deadlines } = options
    const range = scopeRange(prefix, {})
    this.#options = options
    this.#listener = listener
    this.window = new EventWindow(limits, mintRevision(0))
    this.snapshots = new Snapshots(limits, deadlines)
    this.#indexes = new ValueIndexes(limits, deadlines)
    this.#waits = createRevisionWaits(clock)
    this.#loads = createRevisionWaits(clock)
    this.#feed = createFeed(
      { ...options, range },
      {
        onState: (entries, revision) => this.#onState(entries, revision),
        onBatch: (batch) => this.#onBatch(batch),
        onLost: (failure) => this.#onLost(failure),
        onFailure: (failure) => {
          if (this.#phase.type === 'loading') this.#phase = { type: 'loading', because: failure }
        },
      },
    )
  }

  /** The state at {@link revision}. Changes with the next batch: take a snapshot to keep it. */
  get tree(): ObjectTree {
    return this.#tree
  }

  get revision(): Revision {
    return this.#revision
  }

  /** The keys of a scope. A name without a namespace is one key, where the objects are known to have no namespace. */
  rangeOf(scope: Scope): KeyRange {
    const isOneKey = scope.namespace === undefined && this.#tree.first?.namespace === ''
    return scopeRange(this.#options.prefix, isOneKey ? { ...scope, namespace: '' } : scope)
  }

  get(at: Key): StoredObject | undefined {
    return this.#tree.get(at)
  }

  /** How many objects a whole namespace has, or all (undefined): known without counting. */
  count(namespace: string | undefined): number {
    return namespace === undefined ? this.#tree.size : (this.#inNamespace.get(namespace) ?? 0)
  }

  /**
   * Of the newest state, the objects that can match, where an index knows them; else all. Changes as {@link tree} does.
   * What the selector says is still to be checked of each.
   */
  candidates(selector: Selector, namespace: string | undefined): ObjectTree {
    const found = this.#indexes.candidates(selector, this.#tree, this.count(namespace))
    if (found !== undefined) this.#options.counters.indexHits++
    return found ?? this.#tree
  }

  #countIn(namespace: string, difference: 1 | -1): void {
    const count = (this.#inNamespace.get(namespace) ?? 0) + difference
    if (count === 0) this.#inNamespace.delete(namespace)
    else this.#inNamespace.set(namespace, count)
  }

  start(): void {
    if (this.#phase.type !== 'idle') return
    this.#phase = { type: 'loading', because: undefined }
    this.#feed.start()
  }

  close(): void {
    this.#phase = { type: 'closed' }
    this.#feed.close()
    this.#waits.close()
    this.#loads.close()
  }

  /** Waits for the first load, or for the one after a loss; starts the cache when nobody has. */
  async ready(): Promise<Result<void, Unavailable | Corrupt>> {
    this.start()
    if (this.#phase.type === 'loading') {
      await this.#loads.until(mintRevision(0), this.#options.limits.freshnessWaitMs)
    }
    return this.#readyInTurn()
  }

  #readyInTurn(): Result<void, Unavailable | Corrupt> {
    switch (this.#phase.type) {
      case 'ready':
        return ok(undefined)
      case 'loading': {
        const { because } = this.#phase
        if (because?.code === 'Corrupt') return fail(because)
        const reason = because?.code === 'Unavailable' ? `: ${because.message}` : ''
        return fail({ code: 'Unavailable', message: `the watch cache is not loaded yet${reason}` })
      }
      case 'idle':
      case 'closed':
        return fail({ code: 'Unavailable', message: 'storage is closed' })
    }
  }

  /** Waits until the cache is as new as asked. When it answers, the cache is ready in this turn. */
  reach(freshness: Freshness): Reached | Promise<Reached> {
    if (this.#phase.type !== 'ready') return this.#reachLoaded(freshness)
    switch (freshness.type) {
      case 'any':
        return reached
      case 'notOlderThan':
        return this.#revision < freshness.revision ? this.reachRevision(freshness.revision) : reached
      case 'mostRecent':
        return this.#reachMostRecent()
    }
  }

  async #reachLoaded(freshness: Freshness): Promise<Reached> {
    const loaded = await this.ready()
    return loaded.ok ? this.reach(freshness) : loaded
  }

  /** Those who share a round share what follows it. */
  #reachMostRecent(): Promise<Reached> {
    const round = this.#options.readIndex()
    if (this.#recent?.round !== round) this.#recent = { round, reached: this.#reachRound(round) }
    return this.#recent.reached
  }

  async #reachRound(round: Round): Promise<Reached> {
    const quorum = await round
    if (this.#recent?.round === round) this.#recent = undefined
    return quorum.ok ? this.reachRevision(quorum.value) : quorum
  }

  async reachRevision(requested: Revision): Promise<Reached> {
    if (this.#revision < requested) {
      const reached = await this.#waits.until(requested, this.#options.limits.freshnessWaitMs)
      const current = this.#revision
      if (!reached && current < requested && this.#phase.type !== 'closed')
        return fail({ code: 'ResourceVersionTooLarge', requested, current })
    }
    return this.#phase.type === 'ready' ? ok(undefined) : this.ready()
  }

  /** False until the first load, and from a loss to the next load: no watch may start meanwhile. */
  get isReady(): boolean {
    return this.#phase.type === 'ready'
  }

  /** Runs `action` in the turn in which the cache reaches this revision; now, when it has. */
  whenReached(revision: Revision, action: () => void): { cancel(): void } {
    if (this.#revision < revision) return this.#waits.when(revision, action)
    action()
    return { cancel: () => undefined }
  }

  #onState(entries: readonly KeyValue[], revision: Revision): Result<void, Corrupt> {
    const objects: StoredObject[] = []
    for (const entry of entries) {
      const object = this.#options.read(entry)
      if (!object.ok) return object
      objects.push(object.value)
    }
    this.#tree = ObjectTree.of(objects)
    this.#indexes.reset()
    this.#inNamespace.clear()
    for (const { namespace } of objects) this.#countIn(namespace, 1)
    this.window.reset(revision)
    this.#phase = { type: 'ready' }
    this.#options.counters.loads++
    this.#advance(revision)
    this.#loads.advance(revision)
    return ok(undefined)
  }

  #onBatch(batch: WatchBatch): Result<void, Corrupt> {
    for (const stored of batch.events) {
      const event = this.#apply(stored)
      if (!event.ok) return event
      if (event.value === undefined) continue
      this.#remember(event.value)
      this.#listener.onEvent(event.value)
    }
    this.#advance(batch.revision)
    return ok(undefined)
  }

  /** undefined = a deletion of what is not here: nothing has changed. */
  #apply(event: StoreEvent): Result<CacheEvent | undefined, Corrupt> {
    const previous = this.#tree.get(event.key)
    if (event.type === 'delete') {
      if (previous === undefined) return ok(undefined)
      this.#tree.delete(event.key)
      this.#indexes.onChange(previous, undefined)
      this.#countIn(previous.namespace, -1)
      return ok(new CacheEvent(event.revision, event.key, undefined, previous))
    }
    const object = this.#options.read({
      key: event.key,
      value: event.value,
      modRevision: event.revision,
    })
    if (!object.ok) return object
    if (previous !== undefined) object.value.inherit(previous)
    this.#tree.set(object.value)
    this.#indexes.onChange(previous, object.value)
    if (previous === undefined) this.#countIn(object.value.namespace, 1)
    return ok(new CacheEvent(event.revision, event.key, object.value, previous))
  }

  #remember(event: CacheEvent): void {
    this.#options.counters.events++
    this.window.push(event, this.#options.clock.monotonicMs())
    this.#armTrim()
  }

  /** An idle resource lets go of its events too, once they are too old. */
  #armTrim(): void {
    const { clock, deadlines, limits } = this.#options
    const oldestMs = this.window.oldestMs
    if (this.#trimArmed || oldestMs === undefined) return
    this.#trimArmed = true
    deadlines.after(oldestMs + limits.windowAgeMs - clock.monotonicMs(), {
      onDeadline: () => {
        this.#trimArmed = false
        this.window.trim(clock.monotonicMs())
        this.#count()
        this.#armTrim()
      },
    })
  }

  #advance(revision: Revision): void {
    this.#revision = revision
    this.#count()
    this.#waits.advance(revision)
  }

  #onLost(failure: Compacted | Corrupt): void {
    this.#phase = { type: 'loading', because: failure }
    this.#listener.onLost(failure)
  }

  #count(): void {
    const { counters } = this.#options
    counters.objects = this.#tree.size
    counters.revision = this.#revision
    counters.windowEvents = this.window.count
    counters.windowBytes = this.window.bytes
  }
}
