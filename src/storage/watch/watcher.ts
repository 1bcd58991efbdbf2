/**
 * One watch of one client.
 *
 *     reading (a source: state or past events, in slices) ──source is dry, and it has joined its view──▶ following
 *          │ the source is dry, but more will come: waits for `wake`                                        │
 *          └───────────────────────── close, timeout, slow, lost ──────▶ ended ◀────────────────────────────┘
 */

import type { ResponseStream, SharedChunk } from '../../pipeline/exchange.ts'
import type { Awaiting, Deadline } from '../cache/deadlines.ts'
import type { ActiveWatch } from '../contract.ts'
import { eventSizeAt, type ResourceCounters } from '../counters.ts'
import type { Source } from './sources.ts'
import type { View, ViewMember } from './view.ts'

/** What all watchers of a resource share. */
export interface WatcherSurroundings {
  readonly counters: ResourceCounters
  readonly sliceBytes: number
  /** Runs an action in a later turn. */
  readonly defer: (action: () => void) => void
  /** Called once, when the watch is over. */
  readonly onEnd: (watcher: Watcher) => void
}

export class Watcher implements ActiveWatch, ViewMember, Awaiting {
  readonly #surroundings: WatcherSurroundings
  readonly #stream: ResponseStream
  #source: Source | undefined
  #view: View
  #joined = false
  #listensToDrain = false
  /** The stream has said that it is busy, or a later turn goes on reading. */
  #paused = false
  #ended = false
  #timeout: Deadline | undefined
  #nextBookmark: Deadline | undefined
  #cleanup: (() => void) | undefined
  #onFollow: (() => void) | undefined

  /** @param view frames what it reads before it joins */
  constructor(view: View, stream: ResponseStream, surroundings: WatcherSurroundings) {
    this.#view = view
    this.#stream = stream
    this.#surroundings = surroundings
  }

  get isEnded(): boolean {
    return this.#ended
  }

  get view(): View {
    return this.#view
  }

  stateSent(): Promise<void> | undefined {
    if (this.#ended || this.#source === undefined) return undefined
    return new Promise((resolve) => {
      this.#onFollow = resolve
    })
  }

  #tellFollows(): void {
    this.#onFollow?.()
    this.#onFollow = undefined
  }

  setTimeout(deadline: Deadline): void {
    this.#timeout = deadline
  }

  /** The time that the client asked for is up. */
  onDeadline(): void {
    this.#view.flush()
    this.close()
  }

  setNextBookmark(deadline: Deadline): void {
    this.#nextBookmark = deadline
  }

  /** Replaces the one thing to do at the end, such as closing a store watch. */
  onCleanup(cleanup: (() => void) | undefined): void {
    this.#cleanup = cleanup
  }

  /** Starts to read; those of the view follow once `join` was called and the source is dry. */
  read(source: Source): void {
    this.#source = source
    this.wake()
  }

  /** The source is whole: what comes after it comes from this view. Call in the turn in which the source was filled. */
  join(view: View): void {
    if (this.#ended) return
    this.#view = view
    this.#joined = true
    view.join(this)
  }

  /** The source has more. */
  wake(): void {
    if (!this.#paused && !this.#ended) this.#readOn()
  }

  #readOn(): void {
    const slice = this.#source?.next(this.#surroundings.sliceBytes)
    if (slice === 'waiting') return
    if (slice === undefined) {
      if (this.#joined) this.#follow()
      return
    }
    const wantsMore = this.#write(slice.bytes, slice.bytes.length, slice.events, false)
    this.#paused = true
    // Between two slices others have their turn.
    if (wantsMore) this.#surroundings.defer(() => this.#onDrain())
  }

  #follow(): void {
    this.#source = undefined
    this.#tellFollows()
    this.#view.resume(this)
  }

  onJoined(): void {
    if (this.#source === undefined && !this.#paused) this.#view.resume(this)
  }

  #onDrain(): void {
    if (this.#ended) return
    this.#paused = false
    if (this.#source !== undefined) this.#readOn()
    else if (this.#joined) this.#view.resume(this)
  }

  send(chunk: SharedChunk, events: number, alone = false): boolean {
    return this.#write(chunk, chunk.payload.length, events, alone)
  }

  #write(chunk: SharedChunk | Buffer, bytes: number, events: number, alone: boolean): boolean {
    const { counters } = this.#surroundings
    counters.eventsDelivered += events
    counters.bytesDelivered += bytes
    if (events > 0) {
      const at = eventSizeAt(bytes / events)
      counters.eventsBySize[at] = (counters.eventsBySize[at] ?? 0) + events
    }
    const wantsMore = this.#stream.write(chunk, alone)
    if (!wantsMore) this.#listenToDrain()
    return wantsMore
  }

  /** Only now: most watches never fill their socket. */
  #listenToDrain(): void {
    if (this.#listensToDrain) return
    this.#listensToDrain = true
    this.#stream.onDrain(() => this.#onDrain())
  }

  /** Ends the stream: the client sees a whole answer. */
  close(): void {
    if (this.#leave()) this.#stream.end()
  }

  dropSlow(): void {
    if (!this.#leave()) return
    this.#surroundings.counters.watchersDropped++
    this.#stream.abort()
  }

  fail(frame: SharedChunk): void {
    if (!this.#leave()) return
    this.#surroundings.counters.watchersExpired++
    this.#stream.write(frame)
    this.#stream.end()
  }

  #leave(): boolean {
    if (this.#ended) return false
    this.#ended = true
    this.#source = undefined
    this.#tellFollows()
    this.#timeout?.cancel()
    this.#nextBookmark?.cancel()
    this.#cleanup?.()
    this.#cleanup = undefined
    this.#view.leave(this)
    this.#surroundings.onEnd(this)
    return true
  }
}
