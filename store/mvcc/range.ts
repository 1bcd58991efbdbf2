import assert from 'node:assert/strict'
import {
  type Compacted,
  type Corrupt,
  type FutureRevision,
  fail,
  type KeyValue,
  ok,
  type RangeRequest,
  type RangeResponse,
  type Result,
  revision,
} from '../contract.ts'
import type { Database } from '../disk/database.ts'
import type { State } from './state.ts'
import { readValues, type Wanted } from './values.ts'

const noValue = Buffer.alloc(0)

/** Reads a range. What it sees is decided in this turn; values that are not in memory follow from disk. */
export async function readRange(
  state: State,
  database: Database,
  request: RangeRequest,
): Promise<Result<RangeResponse, Compacted | FutureRevision | Corrupt>> {
  const limit = request.limit ?? Number.POSITIVE_INFINITY
  assert(limit >= 1, `limit of ${limit} entries`)
  const at = request.revision ?? state.revision
  if (at > state.revision) {
    return fail({ code: 'FutureRevision', requested: revision(at), current: revision(state.revision) })
  }
  if (at < state.oldest) {
    return fail({ code: 'Compacted', requested: revision(at), oldest: revision(state.oldest) })
  }
  const found: Wanted[] = []
  let count = 0
  state.forRange(request.start, request.end, at, (key, version) => {
    if (count++ < limit) found.push({ key, version })
  })
  const entry = ({ key, version }: Wanted, value: Buffer): KeyValue => ({
    key,
    value,
    modRevision: revision(version.revision),
  })
  const answer = (entries: readonly KeyValue[]): RangeResponse => ({
    entries,
    revision: revision(at),
    more: count > found.length,
    count,
  })
  if (request.keysOnly === true) return ok(answer(found.map((wanted) => entry(wanted, noValue))))
  const values = await readValues(database, found)
  if (!values.ok) return values
  return ok(answer(found.map((wanted, i) => entry(wanted, values.value[i] ?? noValue))))
}
