/**
 * What this process has asked of the system so far: turns of its event loop, calls that read and write, and the bytes
 * that those copied. Counts, not times: they are the same on a busy machine, but for how much comes together.
 *
 * Source: proc(5), `/proc/pid/io`; Node's `performance.nodeTiming.uvMetricsInfo` (20.18, 22.8 and later).
 */

import { readFileSync } from 'node:fs'
import { performance } from 'node:perf_hooks'

export interface SystemCounts {
  /** Undefined where Node does not tell. */
  readonly turns: number | undefined
  readonly reads: number
  readonly writes: number
  readonly bytesRead: number
  readonly bytesWritten: number
}

/** Counts from now until called. Its own look at `/proc` is not counted. */
export function countSystem(): () => SystemCounts {
  const before = look()
  const looks = look().reads - before.reads
  return () => {
    const after = look()
    return {
      turns: after.turns === undefined || before.turns === undefined ? undefined : after.turns - before.turns,
      reads: after.reads - before.reads - 2 * looks,
      writes: after.writes - before.writes,
      bytesRead: after.bytesRead - before.bytesRead,
      bytesWritten: after.bytesWritten - before.bytesWritten,
    }
  }
}

function look(): SystemCounts {
  const text = readFileSync('/proc/self/io', 'latin1')
  const field = (name: string) => Number(new RegExp(`^${name}: (\\d+)$`, 'm').exec(text)?.[1])
  // Known to the types, not to every Node that the project runs on.
  const { uvMetricsInfo } = performance.nodeTiming as {
    readonly uvMetricsInfo?: { readonly loopCount: number }
  }
  return {
    turns: uvMetricsInfo?.loopCount,
    reads: field('syscr'),
    writes: field('syscw'),
    bytesRead: field('rchar'),
    bytesWritten: field('wchar'),
  }
}
