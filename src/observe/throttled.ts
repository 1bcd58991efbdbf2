/** A warning that comes at most every few seconds, however often its cause does. */

import type { Clock } from '../../store/contract.ts'
import type { Log, LogFields } from './log.ts'

const everyMs = 5000

/** The result warns, or counts what it keeps to itself: `suppressed` tells the next time. */
export function throttledWarning(log: Log, clock: Clock): (message: string, fields: LogFields) => void {
  let lastMs = Number.NEGATIVE_INFINITY
  let suppressed = 0
  return (message, fields) => {
    const nowMs = clock.monotonicMs()
    if (nowMs - lastMs < everyMs) {
      suppressed++
      return
    }
    log.warn(message, suppressed === 0 ? fields : { ...fields, suppressed })
    lastMs = nowMs
    suppressed = 0
  }
}
