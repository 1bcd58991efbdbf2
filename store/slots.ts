/**
 * Values under numbered places; a place that was given up is given again. For what is under way and soon over.
 *
 * A Map that entries pass through fills up with the places of those that have gone, so it moves to a new table time and
 * again. V8 lets an old table point to the next one, and leaves its entries in it: once one of them has outlived two
 * collections of the nursery, everything that was under way at each later move is kept, and copied, until the next
 * collection of the whole heap. (A set is the same, and so is `clear`.)
 */
export class Slots<T extends object> {
  readonly #values: (T | undefined)[] = []
  readonly #free: number[] = []

  get size(): number {
    return this.#values.length - this.#free.length
  }

  /** The place that the next value gets: below the most values that there were at a time. */
  get next(): number {
    return this.#free.at(-1) ?? this.#values.length
  }

  /** Takes the place {@link next}. */
  add(value: T): void {
    this.#values[this.#free.pop() ?? this.#values.length] = value
  }

  get(slot: number): T | undefined {
    return this.#values[slot]
  }

  /** Gives the place up. Undefined = nobody has it. */
  take(slot: number): T | undefined {
    const value = this.#values[slot]
    if (value === undefined) return undefined
    this.#values[slot] = undefined
    this.#free.push(slot)
    return value
  }

  /** Places taken now, in no order. */
  slots(): number[] {
    const slots: number[] = []
    for (const [slot, value] of this.#values.entries()) if (value !== undefined) slots.push(slot)
    return slots
  }
}
