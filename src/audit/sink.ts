/** Where entries go. Each kind wraps the next: cut down what is too large ▶ wait for company ▶ write or send. */

import type { AuditEvent } from './event.ts'
import type { AuditPlugin } from './metrics.ts'

export interface AuditSink {
  /** In order. False = not all of them are stored, and the request that they tell of must not be served. */
  process(events: readonly AuditEvent[]): boolean | Promise<boolean>
  /** Settles when what it has taken is stored, or lost. */
  close(): Promise<void>
}

/** Hears of entries that are not stored as they should be. */
export type AuditFailures = (plugin: AuditPlugin, why: string, events: readonly AuditEvent[]) => void

/** All get all entries. */
export function createUnionSink(sinks: readonly AuditSink[]): AuditSink {
  return {
    process(events) {
      const done = sinks.map((sink) => sink.process(events))
      if (done.every((one) => typeof one === 'boolean')) return done.every(Boolean)
      return Promise.all(done).then((all) => all.every(Boolean))
    },
    async close() {
      await Promise.all(sinks.map((sink) => sink.close()))
    },
  }
}

/** Nobody is refused because an entry could not be stored (mode `blocking`). */
export function createForgivingSink(sink: AuditSink): AuditSink {
  return {
    process(events) {
      const done = sink.process(events)
      return done instanceof Promise ? done.then(() => true) : true
    },
    close: () => sink.close(),
  }
}
