/**
 * Where events wait until their objects can be shown: those of types whose objects somebody else converts. What comes
 * out is in the order of what came in, bookmarks and new watchers among it.
 *
 *     events ──▶ [ e7  e8  bookmark  e9 ] ──prepared──▶ framed
 *                  └────── one batch ──────┘
 */

import type { CacheEvent } from '../cache/event.ts'
import type { CachedObject, ConversionFailed, Forms, Prepared } from '../contract.ts'

interface StageOptions {
  readonly forms: Forms
  /** More than so many waiting: the stage fails. */
  readonly eventsMax: number
  /** The object that the event shows; undefined = it shows none. */
  readonly shownOf: (event: CacheEvent) => CachedObject | undefined
  readonly onReady: (event: CacheEvent) => void
  /** Nothing of what waits will come any more. */
  readonly onFailure: (failure: ConversionFailed) => void
}

type Waiting = CacheEvent | (() => void)

/** Events of one batch. */
const batchMax = 256

export class Stage {
  readonly #options: StageOptions
  /** Another list when what waited was given up. */
  #waiting: Waiting[] = []

  constructor(options: StageOptions) {
    this.#options = options
  }

  get isEmpty(): boolean {
    return this.#waiting.length === 0
  }

  /** Shows the event, in this turn where nothing has to be waited for. */
  take(event: CacheEvent): void {
    const { forms, shownOf, onReady, onFailure, eventsMax } = this.#options
    if (!this.isEmpty) {
      this.#waiting.push(event)
      if (this.#waiting.length <= eventsMax) return
      this.#waiting = []
      onFailure({ code: 'ConversionFailed', message: 'the conversion of objects takes too long' })
      return
    }
    const object = shownOf(event)
    if (object === undefined) return
    const prepared = forms.prepare([object])
    if (prepared instanceof Promise) {
      this.#waiting.push(event)
      void this.#run(prepared)
    } else if (prepared.ok) onReady(event)
    else onFailure(prepared.failure)
  }

  /** Does something when all that waits now has been shown: at once where nothing waits. */
  after(action: () => void): void {
    if (this.isEmpty) action()
    else this.#waiting.push(action)
  }

  /** @param first of the one event that waits */
  async #run(first: Promise<Prepared>): Promise<void> {
    const { forms, shownOf, onReady, onFailure } = this.#options
    let waiting = this.#waiting
    let batch = waiting.slice()
    let prepared = await first
    // Else all of it was given up meanwhile.
    while (this.#waiting === waiting) {
      if (!prepared.ok) {
        this.#waiting = []
        onFailure(prepared.failure)
        return
      }
      for (const one of batch) {
        if (typeof one === 'function') one()
        else onReady(one)
      }
      waiting = this.#waiting.slice(batch.length)
      this.#waiting = waiting
      if (waiting.length === 0) return
      batch = waiting.slice(0, batchMax)
      const objects = batch.flatMap((one) => (typeof one === 'function' ? [] : (shownOf(one) ?? [])))
      prepared = await forms.prepare(objects)
    }
  }
}
