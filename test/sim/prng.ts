/** All chance of a simulation. The same seed gives the same numbers on every machine. */
export interface Random {
  /** In [0, 1). */
  next(): number
  /** An integer in [0, below). */
  below(below: number): number
  /** An integer in [from, to]. */
  between(from: number, to: number): number
  chance(probability: number): boolean
  pick<T>(list: readonly T[]): T
  shuffled<T>(list: readonly T[]): readonly T[]
  /** Another, independent stream: what one part draws does not move the others. */
  fork(): Random
}

/** Counter-based mixing of 32 bits (splitmix32): small, fast, good enough for a simulation. */
export function createRandom(seed: number): Random {
  let counter = seed >>> 0
  function word(): number {
    counter = (counter + 0x9e3779b9) >>> 0
    let mixed = counter ^ (counter >>> 16)
    mixed = Math.imul(mixed, 0x21f0aaad)
    mixed ^= mixed >>> 15
    mixed = Math.imul(mixed, 0x735a2d97)
    return (mixed ^ (mixed >>> 15)) >>> 0
  }
  const next = () => word() / 2 ** 32
  const below = (limit: number) => Math.floor(next() * limit)
  return {
    next,
    below,
    between: (from, to) => from + below(to - from + 1),
    chance: (probability) => next() < probability,
    pick(list) {
      const [picked] = list.slice(below(list.length))
      if (picked === undefined) throw new RangeError('nothing to pick from')
      return picked
    },
    shuffled(list) {
      const keyed = list.map((value) => ({ value, at: word() }))
      return keyed.sort((a, b) => a.at - b.at).map(({ value }) => value)
    },
    fork: () => createRandom(word()),
  }
}
