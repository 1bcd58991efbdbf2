/** What a watcher reads before it follows its view, where the form of the objects may take time to make. Read in batches. */

import type { ConversionFailed, Forms } from '../contract.ts'
import { type Slice, SliceBuilder, type Source, type Unit, type UnitSource } from './sources.ts'

interface Reader {
  /** There is more to read. */
  wake(): void
  fail(failure: ConversionFailed): void
}

/** Objects that are prepared at once. */
const batchMax = 256

export class PreparedSource implements Source {
  readonly #source: UnitSource
  readonly #forms: Forms
  readonly #reader: Reader
  /** Prepared. */
  #units: Unit[] = []
  #waiting = false

  constructor(source: UnitSource, forms: Forms, reader: Reader) {
    this.#source = source
    this.#forms = forms
    this.#reader = reader
  }

  next(bytesMax: number): Slice | 'waiting' | undefined {
    if (this.#waiting) return 'waiting'
    if (this.#units.length === 0) {
      const units = this.#batch()
      if (units.length === 0) return undefined
      if (!this.#prepare(units)) return 'waiting'
    }
    const slice = new SliceBuilder()
    let taken = 0
    for (const unit of this.#units) {
      if (slice.bytes >= bytesMax) break
      slice.add(unit.frame())
      taken++
    }
    this.#units = this.#units.slice(taken)
    return slice.done()
  }

  #batch(): Unit[] {
    const units: Unit[] = []
    while (units.length < batchMax) {
      const unit = this.#source.unit()
      if (unit === undefined) break
      units.push(unit)
    }
    return units
  }

  /** False = not yet, or never. */
  #prepare(units: Unit[]): boolean {
    const prepared = this.#forms.prepare(units.flatMap(({ object }) => object ?? []))
    if (!(prepared instanceof Promise)) {
      if (prepared.ok) this.#units = units
      else this.#reader.fail(prepared.failure)
      return prepared.ok
    }
    this.#waiting = true
    void prepared.then((later) => {
      this.#waiting = false
      if (!later.ok) {
        this.#reader.fail(later.failure)
        return
      }
      this.#units = units
      this.#reader.wake()
    })
    return false
  }
}
