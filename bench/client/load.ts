/**
 * Load on a server: closed loops (each connection sends its next request when the last was answered) and a paced
 * writer (requests at fixed times, whether or not earlier ones were answered).
 */

import { createHistogram, type RecordableHistogram } from 'node:perf_hooks'
import { type Answer, Connection, type Consumer } from './connection.ts'
import { stepMs, within } from './deadline.ts'
import type { Endpoint } from './endpoint.ts'

/** Microseconds, 1 to 100 s, three significant figures. */
export function createLatencyHistogram(): RecordableHistogram {
  return createHistogram({ lowest: 1, highest: 100_000_000, figures: 3 })
}

/** Counts of what went wrong, by what it was: bounded, however often it happens. */
export class Faults {
  readonly #counts = new Map<string, number>()

  add(what: string, count = 1): void {
    const key = this.#counts.size < 20 || this.#counts.has(what) ? what : 'other faults'
    this.#counts.set(key, (this.#counts.get(key) ?? 0) + count)
  }

  get isEmpty(): boolean {
    return this.#counts.size === 0
  }

  list(): readonly string[] {
    return [...this.#counts].map(([what, count]) => `${count} × ${what}`)
  }
}

interface LoadPlan {
  readonly endpoint: Endpoint
  readonly connections: number
  /** The next request of a connection; undefined = none now: the connection rests until {@link Load.wake}. */
  readonly next: (connection: number) => Buffer | undefined
  /** Judges an answer. `more` = the operation goes on with a further request; text = a fault. */
  readonly judge: (connection: number, answer: Answer) => 'done' | 'more' | { readonly fault: string }
  readonly consumer?: (connection: number) => Consumer
}

/** Operations finished, and how long they took, since the last {@link Load.reset}. */
interface Tally {
  operations: number
  readonly latency: RecordableHistogram
}

interface Lane {
  readonly connection: Connection
  readonly consumer: Consumer | undefined
  /** When the operation under way began (ms); undefined = none is. */
  begunMs: number | undefined
}

export class Load {
  readonly faults = new Faults()
  tally: Tally = { operations: 0, latency: createLatencyHistogram() }
  readonly #plan: LoadPlan
  readonly #lanes: Lane[] = []
  #stopping = false
  #broken = false
  #onIdle: (() => void) | undefined

  /** Opens the connections; sends nothing before {@link wake}. */
  static async open(plan: LoadPlan): Promise<Load> {
    const load = new Load(plan)
    for (let i = 0; i < plan.connections; i++) {
      const connection = await Connection.open(plan.endpoint)
      load.#lanes.push({ connection, consumer: plan.consumer?.(i), begunMs: undefined })
    }
    return load
  }

  private constructor(plan: LoadPlan) {
    this.#plan = plan
  }

  reset(): void {
    this.tally = { operations: 0, latency: createLatencyHistogram() }
  }

  /** Starts connections that rest. */
  wake(): void {
    for (let i = 0; i < this.#lanes.length; i++) {
      const lane = this.#lanes[i]
      if (lane !== undefined && lane.begunMs === undefined) this.#begin(i, lane)
    }
  }

  /** Resolves when every connection rests: a plan whose `next` comes to an end. */
  idle(): Promise<void> {
    return new Promise((resolve) => {
      this.#onIdle = resolve
      this.#checkIdle()
    })
  }

  /** For a plan that comes to an end: waits for it, then closes. */
  async stopWhenIdle(): Promise<void> {
    await within(this.idle(), 'the rest of the load', 10 * stepMs).catch((error: Error) => {
      this.faults.add(error.message)
    })
    await this.stop()
  }

  /** Sends nothing new, waits for what is under way, closes. */
  async stop(): Promise<void> {
    this.#stopping = true
    await within(this.idle(), 'requests under way').catch((error: Error) => this.faults.add(error.message))
    for (const lane of this.#lanes) lane.connection.close()
  }

  #begin(index: number, lane: Lane): void {
    if (this.#stopping || this.#broken) return
    const request = this.#plan.next(index)
    if (request === undefined) return
    lane.begunMs = performance.now()
    this.#send(index, lane, request)
  }

  #send(index: number, lane: Lane, request: Buffer): void {
    lane.connection.send(
      request,
      (answer) => this.#onAnswer(index, lane, answer),
      (failure) => this.#onFailure(lane, failure),
      lane.consumer,
    )
  }

  #onAnswer(index: number, lane: Lane, answer: Answer): void {
    const verdict = this.#plan.judge(index, answer)
    if (verdict === 'more') {
      const request = this.#plan.next(index)
      if (request !== undefined) this.#send(index, lane, request)
      return
    }
    if (verdict === 'done') {
      this.tally.operations++
      this.tally.latency.record(Math.max(1, Math.round((performance.now() - (lane.begunMs ?? 0)) * 1000)))
    } else {
      this.faults.add(verdict.fault)
    }
    lane.begunMs = undefined
    this.#begin(index, lane)
    if (lane.begunMs === undefined) this.#checkIdle()
  }

  /** A lost connection ends the load: it would only measure how fast a server refuses. */
  #onFailure(lane: Lane, failure: Error): void {
    this.faults.add(`connection lost: ${failure.message}`)
    this.#broken = true
    lane.begunMs = undefined
    this.#checkIdle()
  }

  #checkIdle(): void {
    if (this.#lanes.some((lane) => lane.begunMs !== undefined)) return
    this.#onIdle?.()
    this.#onIdle = undefined
  }
}

/**
 * Wakes `tick` at a fixed rate. Times are kept on a grid: a late tick is followed by those missed, each with the
 * time at which it should have been, so that a slow server cannot hide behind requests never sent.
 */
export function startPace(ratePerSecond: number, tick: (dueMs: number) => void): { stop(): void } {
  const originMs = performance.now()
  let ticks = 0
  let timer: NodeJS.Timeout
  const dueMs = () => originMs + ((ticks + 1) * 1000) / ratePerSecond
  const run = () => {
    while (dueMs() <= performance.now()) {
      tick(dueMs())
      ticks++
    }
    timer = setTimeout(run, Math.max(0, dueMs() - performance.now()))
  }
  timer = setTimeout(run, 1000 / ratePerSecond)
  return { stop: () => clearTimeout(timer) }
}
