/** One run of a member's process: what was to happen in it happens only while it lasts. */
import type { Clock } from '../../../store/contract.ts'
import type { Random } from '../prng.ts'
import type { Scheduler } from '../scheduler.ts'

export interface Life {
  /** Calls `action` in a turn of its own after `delayMs` of true time, later when the process is stopped; never after its end. */
  after(delayMs: number, action: () => void): void
  /** Settles like that; never after the end. */
  wait(delayMs: number): Promise<void>
}

/** A machine's own time: it runs at a rate of its own, and its wall clock may jump. */
export interface MachineClock {
  /** Factor on the length of a second: 1 = a true clock. */
  drift: number
  /** What the wall clock is wrong by, in milliseconds. */
  wallErrorMs: number
  /** `rate`: how many milliseconds pass on this clock in one of the machine's own. */
  clockOf(life: Life, rate: number): Clock
}

/** So that times look like times; any number does. */
const epochMs = 1_700_000_000_000

export function createMachineClock(scheduler: Scheduler, random: Random): MachineClock {
  let drift = 1
  let sinceMs = 0
  let localMs = random.below(1000)
  const nowMs = () => localMs + (scheduler.nowMs() - sinceMs) / drift
  return {
    get drift() {
      return drift
    },
    set drift(next) {
      localMs = nowMs()
      sinceMs = scheduler.nowMs()
      drift = next
    },
    wallErrorMs: 0,
    clockOf(life, rate) {
      return {
        monotonicMs: () => nowMs() * rate,
        wallMs: () => epochMs + nowMs() * rate + this.wallErrorMs,
        after(delayMs, action) {
          let open = true
          life.after((delayMs / rate) * drift, () => {
            if (open) action()
          })
          return {
            cancel() {
              open = false
            },
          }
        },
      }
    },
  }
}
