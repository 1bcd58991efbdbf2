/** What waits for the cache to reach a revision. One timer for all reads, since all wait equally long. */

import type { Clock, Revision, Timer } from '../../../store/contract.ts'

interface Wait {
  over: boolean
  readonly revision: Revision
  readonly deadlineMs: number
  readonly settle: (reached: boolean) => void
}

export interface RevisionWaits {
  /** Resolves to true once `advance` has seen this revision, to false after `waitMs`, or when closed. */
  until(revision: Revision, waitMs: number): Promise<boolean>
  /** Runs `action` within the `advance` that sees this revision, however long it takes. */
  when(revision: Revision, action: () => void): { cancel(): void }
  advance(revision: Revision): void
  close(): void
}

export function createRevisionWaits(clock: Clock): RevisionWaits {
  /** A list: a set that many pass through keeps them alive for long, see store/slots.ts. */
  let waits: Wait[] = []
  let timer: Timer | undefined
  let closed = false

  function settleWhere(done: (wait: Wait) => boolean, reached: boolean): void {
    const settled = waits.filter(done)
    if (settled.length === 0) return
    waits = settled.length === waits.length ? [] : waits.filter((wait) => !done(wait))
    for (const wait of settled) {
      if (wait.over) continue // called off by one that was settled before it
      wait.over = true
      wait.settle(reached)
    }
  }

  function arm(): void {
    if (timer !== undefined) return
    let earliestMs = Number.POSITIVE_INFINITY
    for (const wait of waits) earliestMs = Math.min(earliestMs, wait.deadlineMs)
    if (earliestMs === Number.POSITIVE_INFINITY) return
    timer = clock.after(Math.max(1, Math.ceil(earliestMs - clock.monotonicMs())), () => {
      timer = undefined
      const nowMs = clock.monotonicMs()
      settleWhere((wait) => wait.deadlineMs <= nowMs, false)
      arm()
    })
  }

  return {
    until(revision, waitMs) {
      if (closed) return Promise.resolve(false)
      return new Promise((settle) => {
        waits.push({ over: false, revision, deadlineMs: clock.monotonicMs() + waitMs, settle })
        arm()
      })
    },
    when(revision, action) {
      const wait: Wait = {
        over: false,
        revision,
        deadlineMs: Number.POSITIVE_INFINITY,
        settle: (reached) => {
          if (reached) action()
        },
      }
      waits.push(wait)
      return {
        cancel() {
          if (wait.over) return
          wait.over = true
          waits = waits.filter((other) => other !== wait)
        },
      }
    },
    advance(revision) {
      if (waits.length > 0) settleWhere((wait) => wait.revision <= revision, true)
    },
    close() {
      closed = true
      timer?.cancel()
      settleWhere(() => true, false)
    },
  }
}
