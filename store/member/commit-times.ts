import type { CommitTimes } from '../contract.ts'

/** Upper bounds in seconds: half a millisecond, doubling, to eight seconds. */
const upperSeconds: readonly number[] = Array.from({ length: 15 }, (_, i) => 0.0005 * 2 ** i)

/** Histogram of how long durable batches took. */
export class CommitTimesRecorder {
  readonly #counts = upperSeconds.map(() => 0)
  #sumSeconds = 0
  #batches = 0
  #transactions = 0

  record(seconds: number, transactions: number): void {
    const bucket = upperSeconds.findIndex((upper) => seconds <= upper)
    if (bucket >= 0) this.#counts[bucket] = (this.#counts[bucket] ?? 0) + 1
    this.#sumSeconds += seconds
    this.#batches++
    this.#transactions += transactions
  }

  read(): CommitTimes {
    let cumulative = 0
    const buckets = upperSeconds.map((upper, i): [number, number] => {
      cumulative += this.#counts[i] ?? 0
      return [upper, cumulative]
    })
    return { buckets, sumSeconds: this.#sumSeconds, batches: this.#batches, transactions: this.#transactions }
  }
}
