/**
 * Keys that want to be looked at: each once at a time, again when it was asked for meanwhile, and again after a pause
 * that grows when it did not work.
 */

import type { Clock, Timer } from '../../store/contract.ts'
import type { Log } from '../observe/log.ts'

export interface WorkQueueParts {
  readonly clock: Clock
  readonly log: Log
  /** Of the controller, for the log. */
  readonly name: string
  /** Returns what is in the way; undefined = done. */
  readonly work: (key: string) => Promise<string | undefined>
}

export interface WorkQueue {
  add(key: string): void
  /** `delayMs` from now; replaces what was asked for later before. */
  addLater(key: string, delayMs: number): void
  /** What runs goes on to its end; nothing new begins. */
  close(): void
}

const concurrency = 4
const retryMinMs = 100
const retryMaxMs = 60_000

export function createWorkQueue({ clock, log, name, work }: WorkQueueParts): WorkQueue {
  const waiting = new Set<string>()
  const running = new Set<string>()
  const failures = new Map<string, number>()
  const later = new Map<string, Timer>()
  let closed = false

  function next(): void {
    for (const key of waiting) {
      if (closed || running.size >= concurrency) return
      if (running.has(key)) continue
      waiting.delete(key)
      running.add(key)
      void run(key)
    }
  }

  async function run(key: string): Promise<void> {
    const problem = await work(key).catch((error: unknown) => String(error))
    running.delete(key)
    if (problem === undefined) failures.delete(key)
    else if (!closed) retry(key, problem)
    next()
  }

  function retry(key: string, problem: string): void {
    const count = failures.get(key) ?? 0
    failures.set(key, count + 1)
    log.warn('a controller will try again', { controller: name, key, problem })
    addLater(key, Math.min(retryMinMs * 2 ** count, retryMaxMs))
  }

  function add(key: string): void {
    if (closed) return
    waiting.add(key)
    next()
  }

  function addLater(key: string, delayMs: number): void {
    if (closed) return
    later.get(key)?.cancel()
    const timer = clock.after(delayMs, () => {
      later.delete(key)
      add(key)
    })
    later.set(key, timer)
  }

  return {
    add,
    addLater,
    close() {
      closed = true
      waiting.clear()
      for (const timer of later.values()) timer.cancel()
      later.clear()
    },
  }
}
