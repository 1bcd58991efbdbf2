/**
 * Keys that want to be looked at: each once at a time, again when it was asked for meanwhile, and again after a pause
 * that grows when it did not work.
 */

import type { Clock, Timer } from '../../store/contract.ts'
import type { Log } from '../observe/log.ts'

interface WorkQueueParts<Key extends string> {
  readonly clock: Clock
  readonly log: Log
  /** Of the controller, for the log. */
  readonly name: string
  /** Returns what is in the way; undefined = done. */
  readonly work: (key: Key) => Promise<string | undefined>
  /** Keys looked at at once; absent = 4. */
  readonly concurrency?: number
  /** Of the first pause; each is twice the last, up to a minute. Absent = 100. */
  readonly retryMinMs?: number
  /** Failures in a row before the log hears of the key, once; absent = each is told. */
  readonly failuresBeforeWarning?: number
}

interface WorkQueue<Key extends string> {
  add(key: Key): void
  /** `delayMs` from now; replaces what was asked for later before. */
  addLater(key: Key, delayMs: number): void
  /** What runs goes on to its end; nothing new begins. */
  close(): void
}

const retryMaxMs = 60_000

export function createWorkQueue<Key extends string>(parts: WorkQueueParts<Key>): WorkQueue<Key> {
  const { clock, log, name, work, concurrency = 4, retryMinMs = 100, failuresBeforeWarning } = parts
  const waiting = new Set<Key>()
  const running = new Set<Key>()
  const failures = new Map<Key, number>()
  const later = new Map<Key, Timer>()
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

  async function run(key: Key): Promise<void> {
    const problem = await work(key).catch((error: unknown) => String(error))
    running.delete(key)
    if (problem === undefined) failures.delete(key)
    else if (!closed) retry(key, problem)
    next()
  }

  function retry(key: Key, problem: string): void {
    const count = failures.get(key) ?? 0
    failures.set(key, count + 1)
    if (failuresBeforeWarning === undefined || count === failuresBeforeWarning)
      log.warn('a controller will try again', { controller: name, key, problem })
    addLater(key, Math.min(retryMinMs * 2 ** Math.min(count, 32), retryMaxMs))
  }

  function add(key: Key): void {
    if (closed) return
    waiting.add(key)
    next()
  }

  function addLater(key: Key, delayMs: number): void {
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
