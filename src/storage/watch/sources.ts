/** What a watcher reads before it follows its view: the state, or events of the past. Read in slices. */

import type { KeyRange, Revision } from '../../../store/contract.ts'
import type { CacheEvent } from '../cache/event.ts'
import type { ObjectTree } from '../cache/tree.ts'
import type { CachedObject } from '../contract.ts'
import type { StoredObject } from '../record.ts'
import type { View } from './view.ts'

export interface Slice {
  /** One or more whole frames. */
  readonly bytes: Buffer
  readonly events: number
}

export interface Source {
  /** The next frames, up to about `bytesMax`; undefined = nothing now; `waiting`: its reader is woken when there are more. */
  next(bytesMax: number): Slice | 'waiting' | undefined
}

/** One frame to be. */
export interface Unit {
  /** Undefined = it is no object's. */
  readonly object: CachedObject | undefined
  frame(): Buffer
}

/** A source whose frames are made after their objects have been prepared. */
export interface UnitSource {
  /** Undefined = nothing now. */
  unit(): Unit | undefined
}

export class SliceBuilder {
  readonly #frames: Buffer[] = []
  bytes = 0

  add(frame: Buffer): void {
    this.#frames.push(frame)
    this.bytes += frame.length
  }

  done(): Slice | undefined {
    if (this.#frames.length === 0) return undefined
    return { bytes: Buffer.concat(this.#frames, this.bytes), events: this.#frames.length }
  }
}

/** Synthetic ADDED events of a state, then, when asked, the bookmark that says that this was all. */
export class StateSource implements Source, UnitSource {
  readonly #view: View
  readonly #objects: Iterator<StoredObject, undefined>
  readonly #name: string | undefined
  #endBookmark: Revision | undefined

  constructor(
    view: View,
    state: { readonly tree: ObjectTree; readonly range: KeyRange },
    endBookmark: Revision | undefined,
  ) {
    this.#view = view
    this.#objects = state.tree.objects(state.range)
    this.#name = view.scope.name
    this.#endBookmark = endBookmark
  }

  next(bytesMax: number): Slice | undefined {
    const { matches, representation } = this.#view
    const slice = new SliceBuilder()
    while (slice.bytes < bytesMax) {
      const object = this.#objects.next().value
      if (object === undefined) {
        if (this.#endBookmark !== undefined) slice.add(representation.bookmark(this.#endBookmark, true))
        this.#endBookmark = undefined
        break
      }
      if (this.#name !== undefined && object.name !== this.#name) continue
      if (matches === undefined || matches(object)) slice.add(representation.event('ADDED', object))
    }
    return slice.done()
  }

  unit(): Unit | undefined {
    const { matches, representation } = this.#view
    for (;;) {
      const object = this.#objects.next().value
      if (object === undefined) break
      if (this.#name !== undefined && object.name !== this.#name) continue
      if (matches === undefined || matches(object))
        return { object, frame: () => representation.event('ADDED', object) }
    }
    const end = this.#endBookmark
    this.#endBookmark = undefined
    return end === undefined
      ? undefined
      : { object: undefined, frame: () => representation.bookmark(end, true) }
  }
}

/** Events of the past as the view shows them. More may be pushed while they are read. */
export class EventSource implements Source, UnitSource {
  readonly #view: View
  #events: CacheEvent[] = []
  #at = 0
  #queuedBytes = 0

  constructor(view: View) {
    this.#view = view
  }

  /** Bytes of the objects that wait to be read. */
  get queuedBytes(): number {
    return this.#queuedBytes
  }

  push(events: readonly CacheEvent[]): void {
    for (const event of events) {
      if (!isInScope(event, this.#view)) continue
      this.#events.push(event)
      this.#queuedBytes += event.bytes
    }
  }

  next(bytesMax: number): Slice | undefined {
    const slice = new SliceBuilder()
    while (slice.bytes < bytesMax) {
      const event = this.#take()
      if (event === undefined) break
      const frame = this.#view.frame(event)
      if (frame !== undefined) slice.add(frame)
    }
    return slice.done()
  }

  unit(): Unit | undefined {
    for (;;) {
      const event = this.#take()
      if (event === undefined) return undefined
      const object = this.#view.shownOf(event)
      if (object !== undefined) return { object, frame: () => this.#view.frame(event) ?? nothing }
    }
  }

  #take(): CacheEvent | undefined {
    const event = this.#events[this.#at]
    if (event === undefined) {
      this.#events = []
      this.#at = 0
      return undefined
    }
    this.#at++
    this.#queuedBytes -= event.bytes
    return event
  }
}

const nothing = Buffer.alloc(0)

function isInScope(event: CacheEvent, { scope }: View): boolean {
  const { namespace, name } = event.subject
  return (
    (scope.namespace === undefined || scope.namespace === namespace) &&
    (scope.name === undefined || scope.name === name)
  )
}
