/**
 * Lets entries wait for company, so that requests do not wait for them.
 *
 *     process ─▶ buffer ─▶ a batch when there are enough, or the first has waited long enough ─▶ throttle ─▶ next sink
 *
 * A full buffer drops what comes: it is counted, and told to the log. Source: `--audit-*-batch-*`.
 */

import type { Clock, Timer } from '../../store/contract.ts'
import type { AuditEvent } from './event.ts'
import type { BatchOptions } from './options.ts'
import type { AuditFailures, AuditSink } from './sink.ts'

interface BufferedParts {
  readonly options: BatchOptions
  readonly clock: Clock
  readonly failed: AuditFailures
}

export function createBufferedSink(sink: AuditSink, { options, clock, failed }: BufferedParts): AuditSink {
  const { bufferEventsMax, batchEventsMax, waitMs, throttle } = options
  let buffer: AuditEvent[] = []
  let timer: Timer | undefined
  let closed = false
  let tokens = throttle?.burst ?? 0
  let refilledMs = clock.monotonicMs()
  const sending = new Set<Promise<unknown>>()

  /** Milliseconds until a batch may leave; 0 = now. */
  function throttled(): number {
    if (throttle === undefined || closed) return 0
    const nowMs = clock.monotonicMs()
    tokens = Math.min(throttle.burst, tokens + ((nowMs - refilledMs) / 1000) * throttle.perSecond)
    refilledMs = nowMs
    return tokens >= 1 ? 0 : ((1 - tokens) / throttle.perSecond) * 1000
  }

  function schedule(delayMs: number, least: number): void {
    timer?.cancel()
    timer = clock.after(delayMs, () => flush(least))
  }

  /** @param least entries that go at once: fewer wait on for company */
  function flush(least: number): void {
    timer?.cancel()
    timer = undefined
    while (buffer.length >= least) {
      const delayMs = throttled()
      if (delayMs > 0) {
        schedule(delayMs, least)
        return
      }
      tokens--
      send(buffer.splice(0, batchEventsMax))
    }
    if (buffer.length > 0) schedule(waitMs, 1)
  }

  function send(batch: readonly AuditEvent[]): void {
    const done = sink.process(batch)
    if (!(done instanceof Promise)) return
    const settled = done.finally(() => sending.delete(settled))
    sending.add(settled)
  }

  return {
    process(events) {
      const room = closed ? 0 : bufferEventsMax - buffer.length
      const taken = events.length <= room ? events : events.slice(0, room)
      buffer.push(...taken)
      if (taken.length < events.length) {
        const why = closed ? 'audit backend shut down' : 'audit buffer queue blocked'
        failed('buffered', why, events.slice(taken.length))
      }
      // What is enough for a batch leaves when this turn is over: whoever waits for an answer comes first.
      if (buffer.length >= batchEventsMax) {
        if (timer === undefined || buffer.length - taken.length < batchEventsMax) schedule(0, batchEventsMax)
      } else if (timer === undefined && buffer.length > 0) schedule(waitMs, 1)
      return true
    },
    async close() {
      closed = true
      flush(1)
      await Promise.all(sending)
      buffer = []
      await sink.close()
    },
  }
}
