/** Seeded randomness: the same seed makes the same run (mulberry32). */
export interface Random {
  /** 0 ≤ x < 1 */
  next(): number
  /** 0 ≤ n < below */
  below(below: number): number
  pick<T>(from: readonly T[]): T
}

export function createRandom(seed: number): Random {
  let state = seed >>> 0
  function next(): number {
    state = (state + 0x6d2b79f5) >>> 0
    let mixed = Math.imul(state ^ (state >>> 15), state | 1)
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61)
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32
  }
  return {
    next,
    below: (below) => Math.floor(next() * below),
    pick(from) {
      const picked = from[Math.floor(next() * from.length)]
      if (picked === undefined) throw new TypeError('nothing to pick from')
      return picked
    },
  }
}
