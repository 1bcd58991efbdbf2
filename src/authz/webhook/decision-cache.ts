/** Decisions of a webhook for as long as they count. Those used longest ago make room. */

import type { Clock } from '../../../store/contract.ts'
import type { Decision } from '../authorizer.ts'

const entriesMax = 8192
/** Longer keys (a path of many kilobytes) are asked each time: a client could fill the memory with them. */
const keyLengthMax = 10_000

export class DecisionCache {
  readonly #entries = new Map<string, { readonly decision: Decision; readonly untilMs: number }>()
  readonly #clock: Clock

  constructor(clock: Clock) {
    this.#clock = clock
  }

  get(key: string): Decision | undefined {
    const entry = this.#entries.get(key)
    if (entry === undefined) return undefined
    this.#entries.delete(key)
    if (this.#clock.monotonicMs() >= entry.untilMs) return undefined
    this.#entries.set(key, entry)
    return entry.decision
  }

  set(key: string, decision: Decision, ttlMs: number): void {
    if (ttlMs <= 0 || key.length > keyLengthMax) return
    const [oldest] = this.#entries.keys()
    if (this.#entries.size >= entriesMax && oldest !== undefined) this.#entries.delete(oldest)
    this.#entries.set(key, { decision, untilMs: this.#clock.monotonicMs() + ttlMs })
  }
}
