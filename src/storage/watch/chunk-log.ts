/**
 * What a view sent lately, for its watchers whose sockets are busy. A watcher holds only its place; what it has missed
 * leaves in one write, made once for all that wait at the same place.
 *
 *        dropped │ start                    next
 *     ───────────┼───c7────c8────c9────c10───┼──▶
 *                      ▲ a busy watcher's place
 */

import type { SharedChunk } from '../../pipeline/exchange.ts'
import { sharedChunk } from '../shared-chunk.ts'

/** Position of a chunk in the stream of its view. */
export type Place = number

interface LoggedChunk {
  readonly chunk: SharedChunk
  readonly events: number
}

export interface Missed {
  readonly chunk: SharedChunk
  readonly events: number
  /** The place after it. */
  readonly next: Place
}

export class ChunkLog {
  #chunks: LoggedChunk[] = []
  #start: Place = 0
  #bytes = 0
  #events = 0
  /** Replaced, not cleared: a cleared map leads from the old one to the new (store/slots.ts). */
  #combined = new Map<Place, Missed>()

  get start(): Place {
    return this.#start
  }

  get next(): Place {
    return this.#start + this.#chunks.length
  }

  get bytes(): number {
    return this.#bytes
  }

  get events(): number {
    return this.#events
  }

  /** Counts a chunk that nobody has to be sent again. */
  skip(): void {
    this.dropBefore(this.next)
    this.#start++
  }

  append(chunk: SharedChunk, events: number): void {
    this.#chunks.push({ chunk, events })
    this.#bytes += chunk.payload.length
    this.#events += events
    if (this.#combined.size > 0) this.#combined = new Map()
  }

  /** Lets go of everything before a place. */
  dropBefore(place: Place): void {
    const count = Math.min(place - this.#start, this.#chunks.length)
    if (count <= 0) return
    for (const { chunk, events } of this.#chunks.slice(0, count)) {
      this.#bytes -= chunk.payload.length
      this.#events -= events
    }
    this.#chunks = this.#chunks.slice(count)
    this.#start += count
    for (const at of this.#combined.keys()) if (at < this.#start) this.#combined.delete(at)
  }

  /** Keeps within the limits by letting go of the oldest. */
  trim(bytesMax: number, eventsMax: number): void {
    let bytes = this.#bytes
    let events = this.#events
    let keepFrom = 0
    while (bytes > bytesMax || events > eventsMax) {
      const oldest = this.#chunks[keepFrom]
      if (oldest === undefined) break
      bytes -= oldest.chunk.payload.length
      events -= oldest.events
      keepFrom++
    }
    this.dropBefore(this.#start + keepFrom)
  }

  /** What follows a place, up to about `bytesMax`; undefined when nothing does. */
  after(place: Place, bytesMax: number): Missed | undefined {
    if (place < this.#start)
      throw new TypeError(`place ${place} is dropped, the log starts at ${this.#start}`)
    if (place >= this.next) return undefined
    const known = this.#combined.get(place)
    if (known !== undefined) return known
    const missed = this.#combine(place, bytesMax)
    this.#combined.set(place, missed)
    return missed
  }

  #combine(place: Place, bytesMax: number): Missed {
    const payloads: Buffer[] = []
    let bytes = 0
    let events = 0
    let only: SharedChunk | undefined
    for (let index = place - this.#start; index < this.#chunks.length; index++) {
      const logged = this.#chunks[index]
      if (logged === undefined) break
      if (payloads.length > 0 && bytes + logged.chunk.payload.length > bytesMax) break
      only = payloads.length === 0 ? logged.chunk : undefined
      payloads.push(logged.chunk.payload)
      bytes += logged.chunk.payload.length
      events += logged.events
    }
    const chunk = only ?? sharedChunk(Buffer.concat(payloads, bytes))
    return { chunk, events, next: place + payloads.length }
  }
}
