import type { Corrupt, Key, Result } from '../contract.ts'
import { fail, ok } from '../contract.ts'
import { type Database, type DatabaseView, describeError } from '../disk/database.ts'
import { describeRecord, encodeRecordKey, readContent, recordCrc } from './record.ts'
import type { Version } from './version.ts'

/** A version whose value is wanted. */
export interface Wanted {
  readonly key: Key
  readonly version: Version
}

/** Up to so many values are read in one turn: less work than a trip through the thread pool. */
const inTurnMax = 16
/** Values of one trip through the thread pool. */
const chunkMax = 256

/** Reads one value, from memory or disk, and checks it. */
export function readValueInTurn(database: Database, wanted: Wanted): Result<Buffer, Corrupt> {
  const { value } = wanted.version
  if (value !== undefined) return ok(value)
  try {
    return checkedValue(wanted, database.getInTurn(encodeRecordKey(wanted.version)))
  } catch (error) {
    return fail(unreadable(wanted, error))
  }
}

/**
 * Reads values in the order of `wanted`, as of this turn: what is compacted while the read goes on is still found.
 */
export async function readValues(
  database: Database,
  wanted: readonly Wanted[],
): Promise<Result<Buffer[], Corrupt>> {
  const values = wanted.map(({ version }) => version.value)
  const missing: number[] = []
  for (const [i, value] of values.entries()) if (value === undefined) missing.push(i)
  const read = missing.length <= inTurnMax ? readFewInTurn : readMany
  const failure = await read(database, wanted, missing, values)
  if (failure !== undefined) return fail(failure)
  return ok(values.filter((value) => value !== undefined))
}

function readFewInTurn(
  database: Database,
  wanted: readonly Wanted[],
  missing: readonly number[],
  values: (Buffer | undefined)[],
): Corrupt | undefined {
  for (const i of missing) {
    const one = wanted[i]
    const read = one === undefined ? undefined : readValueInTurn(database, one)
    if (read?.ok === false) return read.failure
    values[i] = read?.value
  }
  return undefined
}

async function readMany(
  database: Database,
  wanted: readonly Wanted[],
  missing: readonly number[],
  values: (Buffer | undefined)[],
): Promise<Corrupt | undefined> {
  const view = database.view()
  try {
    for (let from = 0; from < missing.length; from += chunkMax) {
      const chunk = missing.slice(from, from + chunkMax).flatMap((i) => {
        const one = wanted[i]
        return one === undefined ? [] : [{ i, one, recordKey: encodeRecordKey(one.version) }]
      })
      const contents = await readChunk(view, chunk)
      if (!Array.isArray(contents)) return contents
      for (const [at, { i, one }] of chunk.entries()) {
        const value = checkedValue(one, contents[at])
        if (!value.ok) return value.failure
        values[i] = value.value
      }
    }
    return undefined
  } finally {
    await view.close()
  }
}

interface Place {
  readonly i: number
  readonly one: Wanted
  readonly recordKey: Buffer
}

async function readChunk(
  view: DatabaseView,
  chunk: readonly Place[],
): Promise<(Buffer | undefined)[] | Corrupt | undefined> {
  const [first] = chunk
  if (first === undefined) return undefined
  try {
    return await view.getMany(chunk.map(({ recordKey }) => recordKey))
  } catch (error) {
    return unreadable(first.one, error)
  }
}

function whereIs({ key, version }: Wanted): string {
  return `${describeRecord(version)} of key ${JSON.stringify(key)}`
}

function unreadable(wanted: Wanted, error: unknown): Corrupt {
  return { code: 'Corrupt', where: whereIs(wanted), message: `cannot be read: ${describeError(error)}` }
}

function checkedValue(wanted: Wanted, content: Buffer | undefined): Result<Buffer, Corrupt> {
  const { key, version } = wanted
  const where = whereIs(wanted)
  if (content === undefined) return fail({ code: 'Corrupt', where, message: 'the record is missing' })
  const record = readContent(content)
  if (
    record === undefined ||
    record.key !== key ||
    recordCrc(version.revision, version.op, content) !== version.crc
  ) {
    return fail({ code: 'Corrupt', where, message: 'checksum does not match' })
  }
  return ok(content.subarray(record.valueOffset))
}
