/** The checker itself: histories worked out by hand, and small random ones against every order there is. */
import t from 'tap'
import { applyToRegister, checkRegister, type TimedOperation } from './linearizability.ts'
import { createRandom } from './prng.ts'

const never = Number.POSITIVE_INFINITY
const put = (
  startMs: number,
  endMs: number,
  value: number,
  expected?: number,
  done = true,
): TimedOperation => {
  const fate = endMs === never ? undefined : done
  return { startMs, endMs, operation: { type: 'put', value, expected, done: fate } }
}
const read = (startMs: number, endMs: number, found: number): TimedOperation => {
  return { startMs, endMs, operation: { type: 'read', found } }
}

const table: readonly [what: string, history: readonly TimedOperation[], holds: boolean][] = [
  ['nothing happened', [], true],
  ['a read before any put finds nothing', [read(0, 1, 0)], true],
  ['a read after a put finds it', [put(0, 1, 5), read(2, 3, 5)], true],
  ['a read after a put misses it', [put(0, 1, 5), read(2, 3, 0)], false],
  ['a read during a put may miss it', [put(0, 4, 5), read(1, 2, 0), read(3, 6, 5)], true],
  ['reads go back in time', [put(0, 9, 5), read(1, 2, 5), read(3, 4, 0)], false],
  ['a put of unknown fate may show late', [put(0, never, 5), read(2, 3, 0), read(4, 5, 5)], true],
  ['a put of unknown fate may never show', [put(0, never, 5), read(2, 3, 0)], true],
  ['but it shows once and stays', [put(0, never, 5), read(2, 3, 5), read(4, 5, 0)], false],
  ['two guarded puts cannot both win', [put(0, 5, 1, 0), put(0, 5, 2, 0)], false],
  ['one wins, the other is told so', [put(0, 5, 1, 0), put(0, 5, 2, 0, false)], true],
  ['a guard that held is no failure', [put(0, 1, 1), put(2, 3, 2, 1, false)], false],
]

for (const [what, history, holds] of table) {
  t.test(what, (t) => {
    t.equal(checkRegister(history), holds ? 'linearizable' : 'violated')
    t.end()
  })
}

/** The dumb oracle: any order of the certain operations and some of the others that keeps to real time. */
function explained(left: readonly TimedOperation[], current: number): boolean {
  if (left.every(({ endMs }) => endMs === never)) return true
  return left.some((next) => {
    const rest = left.filter((other) => other !== next)
    if (rest.some(({ endMs }) => endMs < next.startMs)) return false
    const after = applyToRegister(current, next.operation)
    return after !== undefined && explained(rest, after)
  })
}

t.test('agrees with the search through every order, on random histories', (t) => {
  const seed = 20240917
  const random = createRandom(seed)
  const counts = { linearizable: 0, violated: 0, undecided: 0 }
  for (let round = 0; round < 3000; round++) {
    const history = Array.from({ length: random.between(1, 6) }, (_, i): TimedOperation => {
      const startMs = random.below(20)
      const endMs = random.chance(0.2) ? never : startMs + random.below(10)
      if (random.chance(0.5)) return read(startMs, endMs === never ? startMs + 3 : endMs, random.below(4))
      return put(startMs, endMs, i + 1, random.chance(0.5) ? random.below(4) : undefined, random.chance(0.7))
    })
    const verdict = checkRegister(history)
    counts[verdict]++
    const expected = explained(history, 0) ? 'linearizable' : 'violated'
    if (verdict !== expected)
      t.fail(`seed ${seed}, round ${round}: ${JSON.stringify(history)} is ${expected}`)
  }
  t.ok(counts.linearizable > 300 && counts.violated > 300, JSON.stringify(counts))
  t.end()
})
