/**
 * Is a history of one register linearizable? The search of Wing and Gong (1993) with Lowe's memory of states seen, as
 * Porcupine does it: take any operation that began before every pending one ended, apply it to the model, go on; back
 * up when stuck. Keys are independent (linearizability is local: Herlihy and Wing, 1990), so each is searched alone.
 *
 * The register holds the value of the last put; values are unique, 0 = absent. It knows nothing of the code under test.
 */

export type RegisterOperation =
  | { readonly type: 'read'; readonly found: number }
  /** `expected`: a guard, the value that had to be there. `done: undefined`: fate unknown. */
  | {
      readonly type: 'put'
      readonly value: number
      readonly expected: number | undefined
      readonly done: boolean | undefined
    }

export interface TimedOperation {
  readonly startMs: number
  /** Infinity when no answer came: it may happen at any time later, or never. */
  readonly endMs: number
  readonly operation: RegisterOperation
}

/** `undecided`: the search took more than `stepsMax` steps. */
type Verdict = 'linearizable' | 'violated' | 'undecided'

/** The register after an operation, or `undefined` when the operation cannot have had this outcome here. */
export function applyToRegister(current: number, operation: RegisterOperation): number | undefined {
  if (operation.type === 'read') return operation.found === current ? current : undefined
  const holds = operation.expected === undefined || operation.expected === current
  if (operation.done === undefined) return holds ? operation.value : current
  if (operation.done !== holds) return undefined
  return holds ? operation.value : current
}

export function checkRegister(history: readonly TimedOperation[], stepsMax = 200_000): Verdict {
  const operations = history
    .filter(({ operation, endMs }) => operation.type === 'put' || endMs !== Number.POSITIVE_INFINITY)
    .sort((a, b) => a.startMs - b.startMs)
  const mustHappen = operations.filter(({ endMs }) => endMs !== Number.POSITIVE_INFINITY).length
  const seen = new Set<string>()
  const done = new Uint8Array(operations.length)
  let first = 0
  let left = mustHappen
  let steps = 0

  function search(current: number): Verdict {
    if (left === 0) return 'linearizable'
    if (++steps > stepsMax) return 'undecided'
    const name = `${current}:${first}:${doneAfter(done, first)}`
    if (seen.has(name)) return 'violated'
    seen.add(name)
    let horizonMs = Number.POSITIVE_INFINITY
    for (let i = first; i < operations.length; i++) {
      const candidate = operations[i]
      if (candidate === undefined || done[i] === 1) continue
      if (candidate.startMs > horizonMs) break
      horizonMs = Math.min(horizonMs, candidate.endMs)
      const next = applyToRegister(current, candidate.operation)
      if (next === undefined) continue
      const verdict = tried(i, candidate, next)
      if (verdict !== 'violated') return verdict
    }
    return 'violated'
  }

  function tried(i: number, { endMs }: TimedOperation, next: number): Verdict {
    const certain = endMs !== Number.POSITIVE_INFINITY
    const firstBefore = first
    done[i] = 1
    if (certain) left--
    while (done[first] === 1) first++
    const verdict = search(next)
    first = firstBefore
    if (certain) left++
    done[i] = 0
    return verdict
  }

  return search(0)
}

/** Which operations from the first open one on are done, as text. */
function doneAfter(done: Uint8Array, first: number): string {
  const last = done.lastIndexOf(1)
  return last < first ? '' : done.subarray(first, last + 1).join('')
}
