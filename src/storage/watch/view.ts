/**
 * A view: everything that watches with the same scope, selector and representation see. An event is judged and framed
 * once for all of them; the events of one turn of the event loop leave as one chunk.
 *
 * A watcher is either `open` (its socket takes more: it gets each chunk as it comes) or `behind` (its socket is busy, or
 * it still reads its initial state: it holds a place in the log).
 */

import type { Revision } from '../../../store/contract.ts'
import type { SharedChunk } from '../../pipeline/exchange.ts'
import type { CacheEvent } from '../cache/event.ts'
import type { CachedObject, Representation, Selector, WatchEnd } from '../contract.ts'
import type { ResourceCounters } from '../counters.ts'
import { compileSelector, type Matcher, type Scope } from '../selector/selector.ts'
import { sharedChunk } from '../shared-chunk.ts'
import { ChunkLog, type Missed, type Place } from './chunk-log.ts'
import { Stage } from './stage.ts'

/** What a view needs of a watcher. */
export interface ViewMember {
  /** False when the socket is busy now. `alone`: nothing else is sent to it in this turn. */
  send(chunk: SharedChunk, events: number, alone?: boolean): boolean
  /** Its place is no longer in the log. */
  dropSlow(): void
  /** Tells the client why, and ends. */
  fail(frame: SharedChunk): void
  /** The view sends it what comes from now on, once it has read all that it begins with. */
  onJoined(): void
}

interface ViewLimits {
  readonly backlogEventsMax: number
  readonly backlogBytesMax: number
  readonly sliceBytes: number
}

interface ViewOptions {
  readonly id: string
  readonly scope: Scope
  /** What is to be checked of each object within the scope. */
  readonly selector: Selector
  readonly representation: Representation
  readonly limits: ViewLimits
  readonly counters: ResourceCounters
  /** Asks for `flush` at the end of this turn. */
  readonly requestFlush: (view: View) => void
}

const logChunksBeforeTrim = 64

export class View {
  readonly id: string
  readonly scope: Scope
  /** Undefined = everything in the scope. */
  readonly matches: Matcher | undefined
  readonly #options: ViewOptions
  readonly #open = new Set<ViewMember>()
  readonly #behind = new Map<ViewMember, Place>()
  /** They come in behind the events that wait. */
  readonly #joining = new Set<ViewMember>()
  readonly #log = new ChunkLog()
  #pending: Buffer[] = []
  #pendingBytes = 0
  #trimAt = logChunksBeforeTrim
  #bookmark: { readonly revision: Revision; readonly chunk: SharedChunk } | undefined
  /** For objects that are shown in a form that may take time to make. */
  readonly #stage: Stage | undefined

  constructor(options: ViewOptions) {
    this.id = options.id
    this.scope = options.scope
    this.matches = compileSelector(options.selector)
    this.#options = options
    const { forms } = options.representation
    if (forms !== undefined)
      this.#stage = new Stage({
        forms,
        eventsMax: options.limits.backlogEventsMax,
        shownOf: (event) => this.shownOf(event),
        onReady: (event) => this.#take(event),
        onFailure: (failure) => this.failAll(failure),
      })
  }

  get isEmpty(): boolean {
    return this.#open.size + this.#behind.size + this.#joining.size === 0
  }

  get selector(): Selector {
    return this.#options.selector
  }

  get representation(): Representation {
    return this.#options.representation
  }

  /** The frame of an event; undefined when the view does not show it. An object that leaves is DELETED for it. */
  frame(event: CacheEvent): Buffer | undefined {
    const { matches, representation } = this
    const { object, previous } = event
    const is = object !== undefined && (matches === undefined || matches(object))
    const was = previous !== undefined && (matches === undefined || matches(previous))
    if (is) return representation.event(was ? 'MODIFIED' : 'ADDED', object)
    return was ? representation.event('DELETED', event.departed) : undefined
  }

  /** The object that the frame of an event is made of; undefined when the view does not show it. For forms. */
  shownOf(event: CacheEvent): CachedObject | undefined {
    const { matches, representation } = this
    const { object, previous } = event
    if (object !== undefined && (matches === undefined || matches(object))) return object
    if (previous === undefined || (matches !== undefined && !matches(previous))) return undefined
    representation.forms?.derive(previous, event.departed)
    return event.departed
  }

  /** Takes an event; it leaves with the next flush, once its object can be shown. */
  onEvent(event: CacheEvent): void {
    this.#options.counters.eventsJudged++
    if (this.#stage === undefined) this.#take(event)
    else this.#stage.take(event)
  }

  #take(event: CacheEvent): void {
    const frame = this.frame(event)
    if (frame === undefined) return
    this.#options.counters.eventsFramed++
    if (this.#pending.length === 0) this.#options.requestFlush(this)
    this.#pending.push(frame)
    this.#pendingBytes += frame.length
  }

  /** Sends what is pending. */
  flush(): void {
    const [first] = this.#pending
    if (first === undefined) return
    const events = this.#pending.length
    const chunk = sharedChunk(events === 1 ? first : Buffer.concat(this.#pending, this.#pendingBytes))
    this.#pending = []
    this.#pendingBytes = 0
    if (this.#behind.size === 0) this.#log.skip()
    else this.#append(chunk, events)
    for (const member of this.#open) {
      if (!member.send(chunk, events, true)) this.#fallBehind(member)
    }
  }

  #append(chunk: SharedChunk, events: number): void {
    const { backlogBytesMax, backlogEventsMax } = this.#options.limits
    this.#log.append(chunk, events)
    if (this.#log.next - this.#log.start > this.#trimAt) this.#forgetRead()
    if (this.#log.bytes <= backlogBytesMax && this.#log.events <= backlogEventsMax) return
    this.#forgetRead()
    this.#log.trim(backlogBytesMax, backlogEventsMax)
    for (const [member, place] of this.#behind) if (place < this.#log.start) member.dropSlow()
  }

  /** Drops what every watcher has got. */
  #forgetRead(): void {
    let least = this.#log.next
    for (const place of this.#behind.values()) least = Math.min(least, place)
    this.#log.dropBefore(least)
    this.#trimAt = Math.max(logChunksBeforeTrim, 2 * (this.#log.next - this.#log.start))
  }

  #fallBehind(member: ViewMember): void {
    // A send may have ended the watch.
    if (this.#open.delete(member)) this.#behind.set(member, this.#log.next)
  }

  /** Lets a watcher in at the present: it will see what comes after this call. It starts `behind`. */
  join(member: ViewMember): void {
    if (this.#stage === undefined || this.#stage.isEmpty) {
      this.flush()
      this.#behind.set(member, this.#log.next)
      return
    }
    this.#joining.add(member)
    this.#stage.after(() => {
      if (!this.#joining.delete(member)) return
      this.flush()
      this.#behind.set(member, this.#log.next)
      member.onJoined()
    })
  }

  leave(member: ViewMember): void {
    this.#joining.delete(member)
    this.#open.delete(member)
    this.#behind.delete(member)
    if (this.#behind.size === 0) this.#log.dropBefore(this.#log.next)
  }

  /** The socket of a watcher that was behind takes more: sends what it has missed, then lets it in with the others. */
  resume(member: ViewMember): void {
    for (;;) {
      const place = this.#behind.get(member)
      if (place === undefined) return
      const missed: Missed | undefined = this.#log.after(place, this.#options.limits.sliceBytes)
      if (missed === undefined) break
      this.#behind.set(member, missed.next)
      if (!member.send(missed.chunk, missed.events)) return
    }
    this.#behind.delete(member)
    this.#open.add(member)
    if (this.#behind.size === 0) this.#log.dropBefore(this.#log.next)
  }

  /** Sends a bookmark to a watcher that has got everything; one that is behind does not need it. */
  sendBookmark(member: ViewMember, revision: Revision): void {
    if (this.#stage === undefined) this.#bookmarkNow(member, revision)
    else this.#stage.after(() => this.#bookmarkNow(member, revision))
  }

  #bookmarkNow(member: ViewMember, revision: Revision): void {
    this.flush()
    if (!this.#open.has(member)) return
    this.#options.counters.bookmarks++
    if (!member.send(this.#bookmarkAt(revision), 0)) this.#fallBehind(member)
  }

  #bookmarkAt(revision: Revision): SharedChunk {
    if (this.#bookmark?.revision !== revision) {
      this.#bookmark = { revision, chunk: sharedChunk(this.representation.bookmark(revision, false)) }
    }
    return this.#bookmark.chunk
  }

  /** Ends all watches of the view. */
  failAll(failure: WatchEnd): void {
    this.flush()
    const frame = sharedChunk(this.representation.error(failure))
    for (const member of [...this.#open, ...this.#behind.keys(), ...this.#joining]) member.fail(frame)
  }
}
