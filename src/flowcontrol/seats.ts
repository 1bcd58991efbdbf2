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

  /**
   * All seats that one request wants, or none. Where nobody sits, one that wants more than there are sits down all the
   * same: else it would wait for ever.
   * @param others from whom it may borrow; itself among them does no harm
   */
  take(others: Iterable<Seats>, count = 1): boolean {
    const missing = this.limits.exempt ? 0 : count - Math.max(0, this.#idle)
    if (missing > 0 && !this.#canBorrow(others, missing)) {
      if (this.taken > 0 || this.current === 0) return false
    } else {
      for (let at = 0; at < missing; at++) this.#borrow(others)
    }
    this.taken += count
    return true
  }

  #canBorrow(others: Iterable<Seats>, count: number): boolean {
    if (this.borrowed + count > this.limits.borrowable) return false
    let there = 0
    for (const one of others) {
      if (one !== this) there += Math.max(0, one.lendableNow)
      if (there >= count) return true
    }
    return false
  }

  #borrow(others: Iterable<Seats>): void {
    const lender = richest(this, others)
    if (lender === undefined) throw new TypeError('seats that could be borrowed are gone')
    lender.lent++
    this.borrowed++
    this.#loans.set(lender, (this.#loans.get(lender) ?? 0) + 1)
  }

  /**
   * Somebody stood up, from one seat. A borrowed one goes back first, to a level in need where there is one.
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
