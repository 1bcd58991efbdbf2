/**
 * Seats of priority levels: each has its own, and may lend some of those that it does not use. A seat that is lent
 * comes back with the end of the request that sits on it, and then serves its owner first.
 *
 * Source: Kubernetes documentation, "API Priority and Fairness", borrowing. There limits move every ten seconds; here a
 * seat is lent when it is asked for.
 */

export interface SeatLimits {
  /** Seats of its own. */
  readonly nominal: number
  /** How many of these it lends. */
  readonly lendable: number
  /** How many it may borrow at a time; may be infinite. */
  readonly borrowable: number
  /** Whoever comes gets a seat. */
  readonly exempt: boolean
}

export class Seats {
  limits: SeatLimits
  /** Seats on which somebody sits, borrowed ones included. */
  taken = 0
  /** Own seats that others sit on. */
  lent = 0
  borrowed = 0
  /** How many from whom. */
  readonly #loans = new Map<Seats, number>()

  constructor(limits: SeatLimits) {
    this.limits = limits
  }

  /** What it may use now. */
  get current(): number {
    return Math.max(0, this.limits.nominal - this.lent) + this.borrowed
  }

  /** Own seats that nobody sits on. */
  get #idle(): number {
    return this.limits.nominal - this.lent - (this.taken - this.borrowed)
  }

  /** Own seats that it would lend now; none where not positive. */
  get lendableNow(): number {
    return Math.min(this.limits.lendable - this.lent, this.#idle)
  }

  /** @param others from whom it may borrow; itself among them does no harm */
  take(others: Iterable<Seats>): boolean {
    if (this.limits.exempt || this.#idle > 0) {
      this.taken++
      return true
    }
    if (this.borrowed >= this.limits.borrowable) return false
    const lender = richest(this, others)
    if (lender === undefined) return false
    lender.lent++
    this.borrowed++
    this.#loans.set(lender, (this.#loans.get(lender) ?? 0) + 1)
    this.taken++
    return true
  }

  /**
   * Somebody stood up. A borrowed seat goes back first, to a level in need where there is one.
   * @returns to whom; undefined = it was one of its own
   */
  give(isInNeed: (lender: Seats) => boolean): Seats | undefined {
    this.taken--
    let lender: Seats | undefined
    for (const one of this.#loans.keys()) {
      lender = one
      if (isInNeed(one)) break
    }
    if (lender !== undefined) this.#payBack(lender)
    return lender
  }

  #payBack(lender: Seats): void {
    const left = (this.#loans.get(lender) ?? 0) - 1
    if (left > 0) this.#loans.set(lender, left)
    else this.#loans.delete(lender)
    this.borrowed--
    lender.lent--
  }
}

function richest(borrower: Seats, others: Iterable<Seats>): Seats | undefined {
  let best: Seats | undefined
  let most = 0
  for (const one of others) {
    if (one === borrower) continue
    const lendable = one.lendableNow
    if (lendable <= most) continue
    best = one
    most = lendable
  }
  return best
}
