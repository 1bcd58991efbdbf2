import { type Corrupt, fail, ok, type Result } from '../contract.ts'
import type { Database } from '../disk/database.ts'
import { describeDigest, digestEquals } from './digest.ts'
import { decodeMeta, metaKey, type StoredMeta } from './meta.ts'
import {
  decodeRecordKey,
  describeRecord,
  readContent,
  recordCrc,
  recordsEnd,
  recordsStart,
} from './record.ts'
import { State } from './state.ts'
import { Version } from './version.ts'

export interface LoadedState {
  readonly state: State
  /** Index of the last log entry that the state contains. */
  readonly appliedIndex: number
  /** Its term; 0 before the first. */
  readonly appliedTerm: number
}

const emptyMeta: StoredMeta = {
  appliedIndex: 0,
  appliedTerm: 0,
  revision: 0,
  oldest: 0,
  digest: { high: 0, low: 0, records: 0 },
}

/**
 * Rebuilds the state from a database by reading every record once: each against its checksum, all together against
 * the digest of the meta record. Values are read but not kept.
 */
export async function loadState(database: Database): Promise<Result<LoadedState, Corrupt>> {
  const stored = database.getInTurn(metaKey)
  const meta = stored === undefined ? emptyMeta : decodeMeta(stored)
  if (meta === undefined) return corrupt('meta record', 'checksum does not match')
  const state = new State()
  const view = database.view()
  try {
    for await (const chunk of view.scan(recordsStart, recordsEnd)) {
      for (const [recordKey, content] of chunk) {
        const failure = restoreRecord(state, meta, recordKey, content)
        if (failure !== undefined) return fail(failure)
      }
    }
  } finally {
    await view.close()
  }
  const found = state.meta().digest
  if (!digestEquals(found, meta.digest)) {
    return corrupt(
      'state records',
      `lost, doubled or resurrected: found hash ${describeDigest(found)}, expected ${describeDigest(meta.digest)}`,
    )
  }
  state.restored(meta)
  return ok({ state, appliedIndex: meta.appliedIndex, appliedTerm: meta.appliedTerm })
}

function restoreRecord(
  state: State,
  meta: StoredMeta,
  recordKey: Buffer,
  content: Buffer,
): Corrupt | undefined {
  const id = decodeRecordKey(recordKey)
  if (id === undefined) return failure(`record key ${recordKey.toString('hex')}`, 'not a record key')
  const record = readContent(content)
  if (record === undefined || recordCrc(id.revision, id.op, content) !== id.crc) {
    return failure(describeRecord(id), 'checksum does not match')
  }
  if (id.revision > meta.revision || id.revision < state.revision) {
    return failure(describeRecord(id), `out of place: the state ends at revision ${meta.revision}`)
  }
  const { tombstone, expiresAtMs } = record
  const version = new Version({ ...id, contentBytes: content.length, tombstone, expiresAtMs }, undefined)
  state.restore(record.key, version)
  return undefined
}

function failure(where: string, message: string): Corrupt {
  return { code: 'Corrupt', where, message }
}

function corrupt(where: string, message: string): Result<never, Corrupt> {
  return fail(failure(where, message))
}
