import type { Key } from '../contract.ts'
import { orderedMap } from './ordered-map.ts'

/** Keys with a time to live by the second in which they fall due. Order inside a second means nothing. */
export class ExpiryIndex {
  readonly #bySecond = orderedMap<number, Set<Key>>()

  add(key: Key, expiresAtMs: number): void {
    const second = secondOf(expiresAtMs)
    const keys = this.#bySecond.get(second)
    if (keys === undefined) this.#bySecond.set(second, new Set([key]))
    else keys.add(key)
  }

  remove(key: Key, expiresAtMs: number): void {
    const second = secondOf(expiresAtMs)
    const keys = this.#bySecond.get(second)
    if (keys?.delete(key) === true && keys.size === 0) this.#bySecond.delete(second)
  }

  /** Up to `limit` keys that are due at `wallMs`, the earliest second first. */
  due(wallMs: number, limit: number): Key[] {
    const found: Key[] = []
    for (const [second, keys] of this.#bySecond.entries()) {
      if (second * 1000 > wallMs) break
      for (const key of keys) {
        if (found.length === limit) return found
        found.push(key)
      }
    }
    return found
  }
}

function secondOf(ms: number): number {
  return Math.ceil(ms / 1000)
}
