/** What the tests of the store share: a clock of their own, seeded chance, folders, watches that record. */

import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import {
  type Clock,
  type Key,
  key,
  keyAfterPrefix,
  type Operation,
  revision,
  type Store,
  type StoreEvent,
  type Watch,
  type WatchBatch,
  type WatchFailure,
} from '../../store/contract.ts'

/** A clock that stands still until it is told to advance. */
export class ManualClock implements Clock {
  #nowMs = 1_700_000_000_000
  #timers: { readonly dueMs: number; readonly action: () => void }[] = []

  wallMs(): number {
    return this.#nowMs
  }

  monotonicMs(): number {
    return this.#nowMs
  }

  after(delayMs: number, action: () => void) {
    const timer = { dueMs: this.#nowMs + delayMs, action }
    this.#timers.push(timer)
    return {
      cancel: () => {
        this.#timers = this.#timers.filter((other) => other !== timer)
      },
    }
  }

  /** Moves time on and runs what fell due. */
  advance(ms: number): void {
    this.#nowMs += ms
    const due = this.#timers.filter(({ dueMs }) => dueMs <= this.#nowMs)
    this.#timers = this.#timers.filter(({ dueMs }) => dueMs > this.#nowMs)
    for (const { action } of due.sort((a, b) => a.dueMs - b.dueMs)) action()
  }
}

/** Seeded chance: the same seed gives the same run (mulberry32). */
export class Chance {
  #state: number

  constructor(seed: number) {
    this.#state = seed >>> 0
  }

  /** An integer in `[0, below)`. */
  below(below: number): number {
    this.#state = (this.#state + 0x6d2b79f5) >>> 0
    let word = Math.imul(this.#state ^ (this.#state >>> 15), this.#state | 1)
    word ^= word + Math.imul(word ^ (word >>> 7), word | 61)
    return ((word ^ (word >>> 14)) >>> 0) % below
  }

  pick<T>(items: readonly T[]): T {
    const item = items[this.below(items.length)]
    if (item === undefined) throw new Error('nothing to pick from')
    return item
  }

  bytes(length: number): Buffer {
    return Buffer.from(Array.from({ length }, () => this.below(256)))
  }
}

interface Teardown {
  teardown(action: () => void | Promise<void>): void
}

export function temporaryFolder(t: Teardown): string {
  const folder = mkdtempSync(join(tmpdir(), 'store-'))
  t.teardown(() => rmSync(folder, { recursive: true, force: true }))
  return folder
}

export const everything = { start: key('\x00'), end: keyAfterPrefix('\xfe') }

export function put(name: string, value: string | Buffer, ttlMs?: number): Operation {
  const shared = { type: 'put', key: key(name), value: Buffer.from(value) } as const
  return ttlMs === undefined ? shared : { ...shared, ttlMs }
}

export function del(name: string): Operation {
  return { type: 'delete', key: key(name) }
}

export function guard(
  name: string,
  modRevision: number,
): { key: Key; modRevision: ReturnType<typeof revision> } {
  return { key: key(name), modRevision: revision(modRevision) }
}

/** Commits without guards and returns the revision; throws when the store refuses. */
export async function commit(store: Store, ...ops: readonly Operation[]): Promise<number> {
  const result = await store.commit({ guards: [], ops })
  if (!result.ok) throw new Error(`commit refused: ${JSON.stringify(result.failure)}`)
  return result.value.revision
}

/** `a@3=A3 b@4=B4`: the whole store at a revision, or the code of the failure. */
export async function show(store: Store, at?: number): Promise<string> {
  const result = await store.range({ ...everything, ...(at === undefined ? {} : { revision: revision(at) }) })
  if (!result.ok) return result.failure.code
  return result.value.entries.map((entry) => `${entry.key}@${entry.modRevision}=${entry.value}`).join(' ')
}

/** `put a@3=A3 (was a@1=A1)`. */
function showEvent(event: StoreEvent): string {
  const previous = event.previous
  const was = previous === undefined ? '' : ` (was ${previous.key}@${previous.modRevision}=${previous.value})`
  const value = event.type === 'put' ? `=${event.value}` : ''
  return `${event.type} ${event.key}@${event.revision}${value}${was}`
}

/** Records what a watch delivers, and checks that batches rise and hold their events in order. */
export class RecordedWatch {
  readonly batches: WatchBatch[] = []
  ended: WatchFailure | undefined
  readonly watch: Watch
  #waiting: (() => void)[] = []

  constructor(store: Store, from: number, options: { previous?: boolean; prefix?: string } = {}) {
    const range =
      options.prefix === undefined
        ? everything
        : { start: key(options.prefix), end: keyAfterPrefix(options.prefix) }
    const request = { ...range, from: revision(from), previous: options.previous === true }
    let last = from - 1
    this.watch = store.watch(request, {
      onBatch: (batch) => {
        if (this.ended !== undefined) throw new Error('a batch after the end')
        if (batch.revision <= last) throw new Error(`batch ${batch.revision} after ${last}`)
        let within = last + 1
        for (const event of batch.events) {
          if (event.revision < within || event.revision > batch.revision)
            throw new Error('event out of order')
          within = event.revision
        }
        last = batch.revision
        this.batches.push(batch)
        this.#wake()
      },
      onEnd: (failure) => {
        if (this.ended !== undefined) throw new Error('ended twice')
        this.ended = failure
        this.#wake()
      },
    })
  }

  get revision(): number {
    return this.batches.at(-1)?.revision ?? 0
  }

  events(): string[] {
    return this.batches.flatMap(({ events }) => events.map(showEvent))
  }

  /** Waits until the watch knows everything up to `revision`, or ended. */
  async reached(revision: number): Promise<this> {
    while (this.revision < revision && this.ended === undefined) await this.#next()
    return this
  }

  async end(): Promise<WatchFailure> {
    while (this.ended === undefined) await this.#next()
    return this.ended
  }

  #next(): Promise<void> {
    return new Promise((resolve) => this.#waiting.push(resolve))
  }

  #wake(): void {
    const waiting = this.#waiting
    this.#waiting = []
    for (const resolve of waiting) resolve()
  }
}
