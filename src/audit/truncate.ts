/** Cuts down entries that are too large: objects go first, then the entry. Source: `--audit-*-truncate-*`. */

import type { AuditEvent } from './event.ts'
import type { AuditLineWriter } from './lines.ts'
import type { TruncateOptions } from './options.ts'
import type { AuditFailures, AuditSink } from './sink.ts'

interface TruncateParts {
  readonly options: TruncateOptions
  /** As it is measured. */
  readonly line: AuditLineWriter
  /** Of the annotation that says so. */
  readonly truncatedKey: string
  readonly failed: AuditFailures
}

/** Wraps another sink. */
export function createTruncatingSink(sink: AuditSink, parts: TruncateParts): AuditSink {
  const { eventBytesMax, batchBytesMax } = parts.options
  const bytesOf = (event: AuditEvent): number => Buffer.byteLength(parts.line(event))

  function batchesOf(events: readonly AuditEvent[]): readonly (readonly AuditEvent[])[] {
    const batches: AuditEvent[][] = []
    const dropped: AuditEvent[] = []
    let batchBytes = 0
    for (const given of events) {
      let event = given
      let bytes = bytesOf(event)
      if (bytes > eventBytesMax && event.level !== 'Metadata') {
        event = withoutObjects(event, parts.truncatedKey)
        bytes = bytesOf(event)
      }
      if (bytes > eventBytesMax) {
        dropped.push(event)
        continue
      }
      const batch = batches.at(-1)
      if (batch === undefined || batchBytes + bytes > batchBytesMax) {
        batches.push([event])
        batchBytes = 0
      } else batch.push(event)
      batchBytes += bytes
    }
    if (dropped.length > 0) parts.failed('truncate', 'event is too large even after truncating', dropped)
    return batches
  }

  return {
    process(events) {
      const done = batchesOf(events).map((batch) => sink.process(batch))
      if (done.every((one) => typeof one === 'boolean')) return done.every(Boolean)
      return Promise.all(done).then((all) => all.every(Boolean))
    },
    close: () => sink.close(),
  }
}

function withoutObjects(event: AuditEvent, truncatedKey: string): AuditEvent {
  return {
    ...event,
    requestObject: undefined,
    responseObject: undefined,
    annotations: [...event.annotations, [truncatedKey, 'true']],
  }
}
