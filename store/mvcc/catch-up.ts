import { type Corrupt, fail, ok, type Result, revision, type StoreEvent } from '../contract.ts'
import type { DatabaseView } from '../disk/database.ts'
import { ChangeEvents, type ReadValue } from './events.ts'
import {
  decodeRecordKey,
  describeRecord,
  readContent,
  recordCrc,
  recordsEnd,
  revisionStart,
} from './record.ts'
import type { State } from './state.ts'
import { Version } from './version.ts'
import type { LiveWatch } from './watch-hub.ts'

/** Events, of whole revisions, up to and including `revision`. */
export interface HistoryBatch {
  readonly revision: number
  readonly events: readonly StoreEvent[]
}

/**
 * Reads from disk the events of a watch from revision `from` to revision `to`, both included, in batches of whole
 * revisions. Records of all these revisions must be on disk; while they are read a compaction may remove some, so the
 * caller checks `state.oldest` after each batch and throws away one that came too late.
 */
export async function* readHistory(
  state: State,
  view: DatabaseView,
  watch: LiveWatch,
  from: number,
  to: number,
  readValue: ReadValue,
): AsyncGenerator<Result<HistoryBatch, Corrupt>> {
  const { range, previous } = watch
  let events: StoreEvent[] = []
  let last = from - 1
  for await (const chunk of view.scan(revisionStart(from), recordsEnd)) {
    // The last revision of a chunk may continue in the next: it is held back.
    const batch: StoreEvent[] = []
    let done = false
    for (const [recordKey, content] of chunk) {
      const id = decodeRecordKey(recordKey)
      const record = readContent(content)
      if (id === undefined || record === undefined || recordCrc(id.revision, id.op, content) !== id.crc) {
        const where = id === undefined ? `record key ${recordKey.toString('hex')}` : describeRecord(id)
        yield fail({ code: 'Corrupt', where, message: 'checksum does not match' })
        return
      }
      done = id.revision > to
      if (done) break
      if (id.revision > last) {
        for (const event of events) batch.push(event)
        events = []
        last = id.revision
      }
      if (record.key < range.start || record.key >= range.end) continue
      const value = record.tombstone ? undefined : content.subarray(record.valueOffset)
      const { tombstone, expiresAtMs } = record
      const version = new Version({ ...id, contentBytes: content.length, tombstone, expiresAtMs }, value)
      const before = previous ? state.get(record.key)?.at(id.revision - 1) : undefined
      const change = {
        key: record.key,
        version,
        previous: before === undefined || before.tombstone ? undefined : before,
      }
      let corrupt: Corrupt | undefined
      const made = new ChangeEvents(change, readValue, (failure) => {
        corrupt = failure
      })
      events.push(made.event(previous))
      if (corrupt !== undefined) {
        yield fail(corrupt)
        return
      }
    }
    if (batch.length > 0) yield ok({ revision: revision(last - 1), events: batch })
    if (done) break
  }
  yield ok({ revision: revision(to), events })
}
