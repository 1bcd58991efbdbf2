import type { StoreEvent, WatchBatch } from '../contract.ts'
import type { LinkBatch } from './answers.ts'

interface OpenBatch {
  readonly places: Map<StoreEvent, number>
  readonly deliveries: Map<number, readonly number[]>
}

/**
 * What the watches of a link are told in one turn of the event loop, gathered by revision: each event travels once,
 * however many watches want it, and a watch that gets nothing but progress is not named.
 */
export class TurnBatches {
  /** A new map each time: see store/slots.ts. */
  #batches = new Map<number, OpenBatch>()

  get isEmpty(): boolean {
    return this.#batches.size === 0
  }

  /** Watch number `watch` was told `batch`. */
  add(watch: number, { revision, events }: WatchBatch): void {
    let batch = this.#batches.get(revision)
    if (batch === undefined) {
      batch = { places: new Map(), deliveries: new Map() }
      this.#batches.set(revision, batch)
    }
    const { places, deliveries } = batch
    deliveries.set(
      watch,
      events.map((event) => {
        const place = places.get(event) ?? places.size
        places.set(event, place)
        return place
      }),
    )
  }

  /**
   * Removes and returns the batches by rising revision, whatever the order in which the watches were told. `watches`:
   * how many there are; a batch that all of them were told names those with events only.
   */
  take(watches: number): LinkBatch[] {
    const batches = [...this.#batches].sort(([a], [b]) => a - b)
    this.#batches = new Map()
    return batches.map(([revision, { places, deliveries }]) => {
      const all = [...deliveries].map(([watch, events]) => ({ watch, events }))
      const rest = deliveries.size === watches
      return {
        revision,
        events: [...places.keys()],
        deliveries: rest ? all.filter(({ events }) => events.length > 0) : all,
        rest,
      }
    })
  }

  clear(): void {
    this.#batches = new Map()
  }
}
