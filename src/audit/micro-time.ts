/** Wall-clock time finer than the clock tells it: from the monotonic one, which tells fractions. */

import type { Clock } from '../../store/contract.ts'

/** The wall clock has been set when it is further away than this. Milliseconds. */
const driftMsMax = 5

/** Turns a monotonic time of now into microseconds since 1970. Times of one process keep their order, unless the clock is set. */
export function createMicroTime({ wallMs, monotonicMs }: Clock): (atMs: number) => number {
  let offsetMs = wallMs() - monotonicMs()
  return (atMs) => {
    const nowOffsetMs = wallMs() - monotonicMs()
    if (Math.abs(nowOffsetMs - offsetMs) > driftMsMax) offsetMs = nowOffsetMs
    return Math.floor((atMs + offsetMs) * 1000)
  }
}
