/**
 * Many watches, each on a connection of its own or a stream of a shared one, whose events are counted and timed without parsing them: an event
 * is a line, its kind stands at a fixed place, and the time it was sent at is sixteen digits behind a marker.
 */

import { nowUs } from './clock.ts'
import { Connection } from './connection.ts'
import { within } from './deadline.ts'
import type { Endpoint } from './endpoint.ts'
import { Http2Connections } from './http2.ts'
import { createLatencyHistogram, Faults } from './load.ts'
import { buildRequest, slots } from './request.ts'

const newline = 10
/** Where the first letter of the event's type stands in `{"type":"ADDED",…`. */
const typeAt = 9
const letterE = 69
const marker = Buffer.from('"sent":"')
/** Connections opened at the same time: more would only queue handshakes. */
const opening = 32

interface WatchPlan {
  readonly endpoint: Endpoint
  readonly count: number
  /** Path and query of a watcher's request. */
  readonly target: (watcher: number) => string
  /** Every how many watchers one reads the times of its events; 0 = none. */
  readonly timedEvery: number
  /** Over HTTP/2, so many on one connection; absent = each on an HTTP/1.1 connection of its own. */
  readonly streamsEach?: number
}

/** What carries one watch. */
interface Carrier {
  close(): void
}

export class WatcherSet {
  readonly faults = new Faults()
  /** Events of all watchers since the set was opened. */
  events = 0
  /** From the writer's request to the watcher's receipt, microseconds; of the timed watchers. */
  latency = createLatencyHistogram()
  /** Runs after each read that brought events. */
  onProgress: (() => void) | undefined
  readonly #watchers: Watcher[] = []
  readonly #shared: Http2Connections | undefined

  private constructor({ endpoint, streamsEach }: WatchPlan) {
    this.#shared = streamsEach === undefined ? undefined : new Http2Connections(endpoint, streamsEach)
  }

  /** Resolves when every watch has been answered 200. Rejects when one was not. */
  static async open(plan: WatchPlan): Promise<WatcherSet> {
    const set = new WatcherSet(plan)
    try {
      for (let first = 0; first < plan.count; first += opening) {
        const group = Array.from({ length: Math.min(opening, plan.count - first) }, (_, i) => first + i)
        const opened = await Promise.allSettled(group.map((index) => set.#open(plan, index)))
        for (const result of opened) if (result.status === 'rejected') throw result.reason
      }
    } catch (error) {
      set.close()
      throw error
    }
    return set
  }

  get size(): number {
    return this.#watchers.length
  }

  /** Events that one watcher has had. */
  eventsOf(watcher: number): number {
    return this.#watchers[watcher]?.events ?? 0
  }

  resetLatency(): void {
    this.latency = createLatencyHistogram()
  }

  /**
   * Waits until every watcher has exactly the events expected, at most `timeoutMs`; what is missing or too many
   * then is a fault, with counts.
   */
  async settle(expected: (watcher: number) => number, timeoutMs: number): Promise<void> {
    const total = this.#watchers.reduce((sum, _, i) => sum + expected(i), 0)
    await new Promise<void>((resolve) => {
      const timer = setTimeout(resolve, timeoutMs)
      const check = () => {
        if (this.events < total) return
        clearTimeout(timer)
        resolve()
      }
      this.onProgress = check
      check()
    })
    this.onProgress = undefined
    for (const [i, watcher] of this.#watchers.entries()) {
      const missing = expected(i) - watcher.events
      if (missing > 0) this.faults.add('event missing', missing)
      if (missing < 0) this.faults.add('event too many', -missing)
    }
  }

  close(): void {
    for (const watcher of this.#watchers) watcher.carrier?.close()
    this.#shared?.close()
  }

  async #open(plan: WatchPlan, index: number): Promise<void> {
    const timed = plan.timedEvery > 0 && index % plan.timedEvery === 0
    const watcher = new Watcher(this, timed)
    this.#watchers[index] = watcher
    const begun =
      this.#shared === undefined
        ? this.#openConnection(plan, index, watcher)
        : this.#openStream(this.#shared, plan.target(index), index, watcher)
    await within(begun, `watch ${plan.target(index)}`)
  }

  async #openConnection(plan: WatchPlan, index: number, watcher: Watcher): Promise<void> {
    const connection = await Connection.open(plan.endpoint)
    watcher.carrier = connection
    const request = buildRequest(plan.endpoint, { method: 'GET', target: plan.target(index) })
    await new Promise<void>((resolve, reject) => {
      connection.send(
        request,
        ({ status }) => {
          this.faults.add('watch ended by the server')
          reject(new Error(`watch ${plan.target(index)}: ended with status ${status}`))
        },
        (failure) => {
          this.faults.add(`watch broken: ${failure.message}`)
          reject(failure)
        },
        watcher.consume,
        (status) => {
          if (status === 200) resolve()
          else reject(unexpected(plan.target(index), status))
        },
      )
    })
  }

  async #openStream(
    shared: Http2Connections,
    target: string,
    index: number,
    watcher: Watcher,
  ): Promise<void> {
    await new Promise<void>((resolve, reject) => {
      const listener = {
        onHead(status: number) {
          if (status === 200) resolve()
          else reject(unexpected(target, status))
        },
        onBytes: (bytes: Buffer) => watcher.consume(bytes, 0, bytes.length),
        onEnd: (failure: Error) => {
          this.faults.add(`watch broken: ${failure.message}`)
          reject(failure)
        },
      }
      shared.open(index, target, listener).then((stream) => {
        watcher.carrier = stream
      }, reject)
    })
  }
}

function unexpected(target: string, status: number): Error {
  return new Error(`watch ${target}: status ${status}, expected 200`)
}

class Watcher {
  events = 0
  carrier: Carrier | undefined
  readonly #set: WatcherSet
  readonly #timed: boolean
  /** Bytes of the line begun but not ended. */
  #lineBytes = 0
  /** The same bytes, kept by timed watchers only. */
  #carried: Buffer[] = []
  #markerHint = 0

  constructor(set: WatcherSet, timed: boolean) {
    this.#set = set
    this.#timed = timed
  }

  readonly consume = (bytes: Buffer, start: number, end: number): void => {
    const before = this.events
    let at = start
    while (at < end) {
      if (this.#lineBytes === 0 && bytes[at + typeAt] === letterE && at + typeAt < end) {
        this.#set.faults.add(`ERROR event: ${bytes.toString('utf8', at, Math.min(end, at + 300))}`)
      }
      const found = bytes.indexOf(newline, at)
      if (found < 0 || found >= end) {
        this.#lineBytes += end - at
        if (this.#timed) this.#carried.push(Buffer.from(bytes.subarray(at, end)))
        break
      }
      this.events++
      if (this.#timed) this.#time(bytes, at, found)
      this.#lineBytes = 0
      at = found + 1
    }
    if (this.events === before) return
    this.#set.events += this.events - before
    this.#set.onProgress?.()
  }

  #time(bytes: Buffer, start: number, end: number): void {
    if (this.#lineBytes > 0) {
      const line = Buffer.concat([...this.#carried, bytes.subarray(start, end)])
      this.#carried = []
      this.#record(line, 0, line.length)
    } else {
      this.#record(bytes, start, end)
    }
  }

  #record(line: Buffer, start: number, end: number): void {
    let at = start + this.#markerHint
    if (line.compare(marker, 0, marker.length, at, Math.min(end, at + marker.length)) !== 0) {
      at = line.indexOf(marker, start)
      if (at < 0 || at + marker.length + slots.sent.length > end) {
        this.#set.faults.add('event without the time it was sent')
        return
      }
      this.#markerHint = at - start
    }
    let sentUs = 0
    const digits = at + marker.length
    for (let i = digits; i < digits + slots.sent.length; i++) sentUs = sentUs * 10 + (line[i] ?? 48) - 48
    this.#set.latency.record(Math.max(1, Math.round(nowUs() - sentUs)))
  }
}
