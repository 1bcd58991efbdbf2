/**
 * The queues of one priority level, and whose turn it is: start-time fair queuing. Each queue carries the virtual time
 * at which its next request starts; what a queue's requests have used moves it ahead, and the queue furthest behind is
 * next. A queue that was idle starts where the others are: nobody saves up.
 *
 *     arrival ▶ shortest queue of the flow's hand ▶ [waits] ▶ runs (charged a guess) ▶ ends (charged what it took)
 *
 * A request that takes several seats is charged for each of them.
 *
 * Pure: durations are handed in.
 *
 * Source: P. Goyal, H. Vin, H. Cheng, "Start-time Fair Queuing", 1996; Kubernetes enhancement 1040.
 */

/** What a request is taken to last before it has ended. Milliseconds, as the API server of Kubernetes has it. */
const guessMs = 3

export interface Queue<T> {
  readonly index: number
  /** In order of arrival. */
  readonly waiting: Set<T>
  running: number
  /** Virtual milliseconds. */
  startMs: number
}

export class FairQueues<T extends { readonly seats: number }> {
  /** Those that are in use, or are ahead of the others. */
  readonly #queues = new Map<number, Queue<T>>()
  /** Those in which somebody waits. */
  readonly #busy = new Set<Queue<T>>()
  #virtualMs = 0
  #waiting = 0

  /** Requests that wait in all queues. */
  get waiting(): number {
    return this.#waiting
  }

  /** Of an index; undefined = like one that was never there. */
  at(index: number): Queue<T> | undefined {
    return this.#queues.get(index)
  }

  /** The shortest queue of a hand; of several the one of which the fewest run, then the one furthest behind. */
  choose(hand: readonly number[]): Queue<T> {
    let best: Queue<T> | undefined
    for (const index of hand) {
      const queue = this.#queues.get(index)
      if (queue === undefined) return best !== undefined && isIdle(best) ? best : this.#make(index)
      if (best === undefined || isBetter(queue, best)) best = queue
    }
    return best ?? this.#make(0)
  }

  enqueue(queue: Queue<T>, one: T): void {
    this.#wake(queue)
    queue.waiting.add(one)
    this.#busy.add(queue)
    this.#waiting++
  }

  /** Takes out one that does not want to wait any more. */
  remove(queue: Queue<T>, one: T): void {
    if (!queue.waiting.delete(one)) return
    this.#waiting--
    this.#settle(queue)
  }

  /** Takes out whose turn it is and counts it as running, if it is accepted: nobody overtakes it else. */
  next(accept: (one: T) => boolean): T | undefined {
    let first: Queue<T> | undefined
    for (const queue of this.#busy) if (first === undefined || queue.startMs < first.startMs) first = queue
    if (first === undefined) return undefined
    const [one] = first.waiting
    if (one === undefined) throw new TypeError('a queue in which nobody waits counts as busy')
    if (!accept(one)) return undefined
    first.waiting.delete(one)
    this.#waiting--
    this.#charge(first, one.seats)
    if (first.waiting.size === 0) this.#busy.delete(first)
    return one
  }

  /** One runs that has not waited. */
  begin(queue: Queue<T>, seats: number): void {
    this.#wake(queue)
    this.#charge(queue, seats)
  }

  end(queue: Queue<T>, tookMs: number, seats: number): void {
    queue.running--
    queue.startMs += (tookMs - guessMs) * seats
    this.#settle(queue)
  }

  #make(index: number): Queue<T> {
    const queue: Queue<T> = { index, waiting: new Set(), running: 0, startMs: this.#virtualMs }
    this.#queues.set(index, queue)
    return queue
  }

  #wake(queue: Queue<T>): void {
    if (isIdle(queue)) queue.startMs = Math.max(queue.startMs, this.#virtualMs)
  }

  #charge(queue: Queue<T>, seats: number): void {
    queue.running++
    this.#virtualMs = Math.max(this.#virtualMs, queue.startMs)
    queue.startMs += guessMs * seats
  }

  /** A queue that is idle and not ahead is like one that was never there. */
  #settle(queue: Queue<T>): void {
    if (queue.waiting.size > 0) return
    this.#busy.delete(queue)
    if (isIdle(queue) && queue.startMs <= this.#virtualMs) this.#queues.delete(queue.index)
  }
}

function isIdle({ waiting, running }: Queue<unknown>): boolean {
  return running === 0 && waiting.size === 0
}

function isBetter(a: Queue<unknown>, b: Queue<unknown>): boolean {
  const longer = a.waiting.size - b.waiting.size || a.running - b.running
  return longer < 0 || (longer === 0 && a.startMs < b.startMs)
}
