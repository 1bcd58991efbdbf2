/** Entries as lines of a file or a stream. */

import type { AuditEvent } from './event.ts'
import type { AuditLineWriter } from './lines.ts'
import type { AuditFailures, AuditSink } from './sink.ts'

/** Takes whole lines; several processes may write into the same place. */
export interface LineOut {
  /** They have left this process when it returns. Undefined = all is well; else why they are lost. */
  write(lines: string): string | undefined
  close(): void
}

/** One write for all entries that come together. */
export function createLogSink(out: LineOut, line: AuditLineWriter, failed: AuditFailures): AuditSink {
  return {
    process(events) {
      const why = out.write(linesOf(events, line))
      if (why === undefined) return true
      failed('log', why, events)
      return false
    },
    async close() {
      out.close()
    },
  }
}

function linesOf(events: readonly AuditEvent[], line: AuditLineWriter): string {
  let lines = ''
  for (const event of events) lines += line(event)
  return lines
}
