/** Work that a controller does from time to time, and soon again when something was in its way. */

import type { Clock, Timer } from '../../store/contract.ts'
import type { Log } from '../observe/log.ts'
import type { Controller } from './controller.ts'

interface RecurringParts {
  readonly clock: Clock
  readonly log: Log
  /** What the log says when something is in the way: `unused tokens are not cleaned`. */
  readonly trouble: string
  /**
   * Returns what is in the way; undefined = done. May throw.
   * @param isOver asked between steps: once it is true, no more are wanted
   */
  readonly work: (isOver: () => boolean) => Promise<string | undefined>
  /** From the end of work that was done to its next beginning; undefined = it is done for good. */
  readonly againMs: number | undefined
  readonly retryMs: number
}

/** Begins at once; never twice at a time. */
export function recurringController(parts: RecurringParts): Controller {
  const { clock, log, trouble, work, againMs, retryMs } = parts
  let timer: Timer | undefined
  let closed = false
  const isOver = (): boolean => closed

  async function attempt(): Promise<void> {
    const problem = await work(isOver).catch((error: unknown) => String(error))
    if (closed) return
    if (problem !== undefined) log.warn(trouble, { problem })
    const delayMs = problem === undefined ? againMs : retryMs
    if (delayMs !== undefined) timer = clock.after(delayMs, () => void attempt())
  }

  return {
    start: () => void attempt(),
    close() {
      closed = true
      timer?.cancel()
    },
  }
}
