/** Simulated time: actions in order of their moment, those of the same moment in order of their scheduling. */
export interface Scheduler {
  /** Milliseconds since the start. */
  nowMs(): number
  after(delayMs: number, action: () => void): void
  /** Runs the next action. False: there is none. */
  step(): boolean
}

interface Scheduled {
  readonly atMs: number
  readonly order: number
  readonly action: () => void
}

/** A binary heap: the earliest is at the root, children of i at 2i+1 and 2i+2. */
export function createScheduler(): Scheduler {
  const heap: Scheduled[] = []
  let now = 0
  let order = 0
  const before = (a: Scheduled, b: Scheduled) => a.atMs < b.atMs || (a.atMs === b.atMs && a.order < b.order)

  function push(added: Scheduled): void {
    let at = heap.push(added) - 1
    while (at > 0) {
      const parentAt = (at - 1) >> 1
      const parent = heap[parentAt]
      if (parent === undefined || !before(added, parent)) break
      heap[at] = parent
      at = parentAt
    }
    heap[at] = added
  }

  function pop(): Scheduled | undefined {
    const first = heap[0]
    const last = heap.pop()
    if (first === undefined || last === undefined || heap.length === 0) return first
    let at = 0
    for (;;) {
      const left = heap[2 * at + 1]
      const right = heap[2 * at + 2]
      const child = right !== undefined && left !== undefined && before(right, left) ? right : left
      if (child === undefined || !before(child, last)) break
      heap[at] = child
      at = 2 * at + (child === left ? 1 : 2)
    }
    heap[at] = last
    return first
  }

  return {
    nowMs: () => now,
    after(delayMs, action) {
      push({ atMs: now + Math.max(0, delayMs), order: order++, action })
    },
    step() {
      const next = pop()
      if (next === undefined) return false
      now = next.atMs
      next.action()
      return true
    },
  }
}
