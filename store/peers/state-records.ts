import type { DatabaseView } from '../disk/database.ts'
import { decodeMembership, membershipKey } from '../member/membership.ts'
import { decodeMeta, metaKey } from '../mvcc/meta.ts'
import { checkRecord, recordsEnd, recordsStart } from '../mvcc/record.ts'
import { logIndex, type Snapshot, term } from '../raft/types.ts'
import type { Records } from './frames.ts'

const frameRecordsBytes = 1024 * 1024

/**
 * Everything that a state is, read from one view: the two records that describe it, and its records. Rejects at one
 * that does not match its checksum: damage does not travel.
 */
export async function* stateRecords(view: DatabaseView): AsyncGenerator<Records> {
  const heads = [metaKey, membershipKey]
  const values = await view.getMany(heads)
  yield heads.flatMap((key, i): [Buffer, Buffer][] => {
    const value = values[i]
    return value === undefined ? [] : [[key, value]]
  })
  for await (const chunk of view.scan(recordsStart, recordsEnd)) {
    let part: (readonly [Buffer, Buffer])[] = []
    let bytes = 0
    for (const record of chunk) {
      checkRecord(...record)
      part.push(record)
      bytes += record[0].length + record[1].length
      if (bytes < frameRecordsBytes) continue
      yield part
      part = []
      bytes = 0
    }
    if (part.length > 0) yield part
  }
}

/** The place in the log that a view's state stands for; undefined when it says nothing sound. */
export async function describeView(view: DatabaseView): Promise<Snapshot | undefined> {
  const [meta, membership] = await view.getMany([metaKey, membershipKey])
  const state = meta === undefined ? undefined : decodeMeta(meta)
  const members = membership === undefined ? undefined : decodeMembership(membership)
  if (state === undefined || members === undefined) return undefined
  const { configuration } = members
  return { index: logIndex(state.appliedIndex), term: term(state.appliedTerm), configuration }
}
