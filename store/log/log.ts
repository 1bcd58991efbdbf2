import assert from 'node:assert/strict'
import { crc32 } from 'node:zlib'
import { type Corrupt, fail, ok, type Result } from '../contract.ts'
import type { Database, Write } from '../disk/database.ts'
import { readU64, writeU64 } from '../mvcc/record.ts'
import { type Entry, type HardState, logIndex, memberId, type Term, term } from '../raft/types.ts'

/**
 * The durable side of the Raft log. It shares one database with the state, so that a batch which appends entries
 * carries the state records of earlier entries with it. Calls return the writes to make; they count once the batch is
 * durable, and a member whose batch failed stops, so nothing is taken back.
 *
 *     'h'               format u8 | term, vote (0: none), commit, index and term before the first entry, last index u64
 *                       | CRC-32 over all before it
 *     'l' | index u64   term u64 | type u8 | data | CRC-32 over index and all before it
 */
export interface LogHead {
  readonly hardState: HardState
  /** Index and term of the entry before the first one kept; 0 and 0 for a whole log. */
  readonly before: { readonly index: number; readonly term: Term }
  readonly lastIndex: number
}

export interface LogBounds {
  /** Entries kept after they were applied, for members that lag. */
  readonly keptEntriesMax: number
  /** Bytes of entries kept after they were applied. */
  readonly keptBytesMax: number
}

const headKey = Buffer.from('h')
const headBytes = 53
const entryPrefix = 0x6c
const entryKeyBytes = 9
const entryTypes = ['empty', 'command', 'configuration'] as const

/** Of a database that holds no log yet. */
export const emptyLog: LogHead = {
  hardState: { term: term(0), vote: undefined, commit: logIndex(0) },
  before: { index: 0, term: term(0) },
  lastIndex: 0,
}

interface Kept {
  readonly term: Term
  readonly bytes: number
}

/** What the durable log holds, without its data; see above for what its calls return. */
export class Log {
  #hardState: HardState
  #before: LogHead['before']
  /** Of the entries after `#before`, in order. */
  #kept: Kept[]
  #keptBytes: number

  constructor(head: LogHead, entries: readonly Entry[]) {
    this.#hardState = head.hardState
    this.#before = head.before
    this.#kept = entries.map((entry) => ({ term: entry.term, bytes: entry.data.byteLength }))
    this.#keptBytes = this.#kept.reduce((sum, { bytes }) => sum + bytes, 0)
  }

  get hardState(): HardState {
    return this.#hardState
  }

  get firstIndex(): number {
    return this.#before.index + 1
  }

  /** Index and term of the entry before the first one kept. */
  get before(): LogHead['before'] {
    return this.#before
  }

  get lastIndex(): number {
    return this.#before.index + this.#kept.length
  }

  /** Term at `index`; undefined when the log does not hold it. */
  term(index: number): Term | undefined {
    return index === this.#before.index ? this.#before.term : this.#kept[index - this.firstIndex]?.term
  }

  /**
   * Adds entries, after removing what stands at and after the first of them (a conflicting suffix, thesis 3.5), and
   * replaces the hard state.
   */
  append(entries: readonly Entry[], hardState: HardState): Write[] {
    this.#hardState = hardState
    const writes: Write[] = []
    const [first] = entries
    if (first !== undefined) {
      assert(first.index >= this.firstIndex && first.index <= this.lastIndex + 1, 'no gap in the log')
      for (let index = this.lastIndex; index >= first.index + entries.length; index--) {
        writes.push({ type: 'del', key: entryKey(index) })
      }
      for (const { bytes } of this.#kept.splice(first.index - this.firstIndex)) this.#keptBytes -= bytes
    }
    for (const entry of entries) {
      assert.equal(entry.index, this.lastIndex + 1)
      this.#kept.push({ term: entry.term, bytes: entry.data.byteLength })
      this.#keptBytes += entry.data.byteLength
      writes.push({ type: 'put', key: entryKey(entry.index), value: encodeEntry(entry) })
    }
    writes.push(this.#writeHead())
    return writes
  }

  /** Notes a hard state that need not be durable: it is written with what follows. */
  note(hardState: HardState): void {
    this.#hardState = hardState
  }

  /** Starts the log of a database that holds a snapshot up to `before` and no log yet. */
  restart(before: LogHead['before'], entries: readonly Entry[], hardState: HardState): Write[] {
    this.#before = before
    this.#kept = []
    this.#keptBytes = 0
    return this.append(entries, hardState)
  }

  /**
   * Drops the oldest entries beyond the bounds, none after `appliedIndex`; by the eighth, so that what is kept is not
   * copied for every batch.
   */
  truncate(appliedIndex: number, bounds: LogBounds): Write[] {
    const { keptEntriesMax, keptBytesMax } = bounds
    if (this.#kept.length <= keptEntriesMax * 1.125 && this.#keptBytes <= keptBytesMax * 1.125) return []
    let drop = 0
    let bytes = this.#keptBytes
    for (const kept of this.#kept) {
      const within = this.#kept.length - drop <= keptEntriesMax && bytes <= keptBytesMax
      if (within || this.firstIndex + drop > appliedIndex) break
      bytes -= kept.bytes
      drop++
    }
    return drop === 0 ? [] : this.#dropFirst(drop)
  }

  #dropFirst(count: number): Write[] {
    const writes: Write[] = []
    for (let i = 0; i < count; i++) writes.push({ type: 'del', key: entryKey(this.firstIndex + i) })
    const last = this.#kept[count - 1]
    assert(last !== undefined)
    this.#before = { index: this.#before.index + count, term: last.term }
    for (const { bytes } of this.#kept.splice(0, count)) this.#keptBytes -= bytes
    writes.push(this.#writeHead())
    return writes
  }

  #writeHead(): Write {
    const head = { hardState: this.#hardState, before: this.#before, lastIndex: this.lastIndex }
    return { type: 'put', key: headKey, value: encodeHead(head) }
  }
}

/** What the database holds of a log: the head and every entry after `before`, checked. */
export async function readLog(
  database: Database,
): Promise<Result<{ readonly head: LogHead; readonly entries: readonly Entry[] }, Corrupt>> {
  const stored = database.getInTurn(headKey)
  const head = stored === undefined ? emptyLog : decodeHead(stored)
  if (head === undefined) return corrupt('log head', 'checksum does not match')
  const entries: Entry[] = []
  const view = database.view()
  try {
    for await (const chunk of view.scan(Buffer.from([entryPrefix]), Buffer.from([entryPrefix + 1]))) {
      for (const [key, value] of chunk) {
        const expected = head.before.index + entries.length + 1
        if (!key.equals(entryKey(expected)) || expected > head.lastIndex) {
          return corrupt(`log entry ${expected}`, `missing or out of place: found key ${key.toString('hex')}`)
        }
        const entry = decodeEntry(expected, value)
        if (entry === undefined) return corrupt(`log entry ${expected}`, 'checksum does not match')
        entries.push(entry)
      }
    }
  } finally {
    await view.close()
  }
  const last = head.before.index + entries.length
  if (last !== head.lastIndex) return corrupt(`log entry ${last + 1}`, 'missing')
  return ok({ head, entries })
}

function corrupt(where: string, message: string): Result<never, Corrupt> {
  return fail({ code: 'Corrupt', where, message })
}

function entryKey(index: number): Buffer {
  const key = Buffer.allocUnsafe(entryKeyBytes)
  key[0] = entryPrefix
  writeU64(key, index, 1)
  return key
}

function entryCrc(index: number, body: Buffer): number {
  return crc32(body, crc32(entryKey(index)))
}

function encodeEntry(entry: Entry): Buffer {
  const target = Buffer.allocUnsafe(9 + entry.data.byteLength + 4)
  target[writeU64(target, entry.term, 0)] = entryTypes.indexOf(entry.type)
  target.set(entry.data, 9)
  const end = target.length - 4
  target.writeUInt32BE(entryCrc(entry.index, target.subarray(0, end)), end)
  return target
}

function decodeEntry(index: number, source: Buffer): Entry | undefined {
  const end = source.length - 4
  if (end < 9 || source.readUInt32BE(end) !== entryCrc(index, source.subarray(0, end))) return undefined
  const type = entryTypes[source.readUInt8(8)]
  if (type === undefined) return undefined
  return { index: logIndex(index), term: term(readU64(source, 0)), type, data: source.subarray(9, end) }
}

function encodeHead({ hardState, before, lastIndex }: LogHead): Buffer {
  const target = Buffer.allocUnsafe(headBytes)
  target[0] = 1
  let offset = 1
  for (const value of [hardState.term, hardState.vote ?? 0, hardState.commit]) {
    offset = writeU64(target, value, offset)
  }
  for (const value of [before.index, before.term, lastIndex]) offset = writeU64(target, value, offset)
  target.writeUInt32BE(crc32(target.subarray(0, offset)), offset)
  return target
}

function decodeHead(source: Buffer): LogHead | undefined {
  const end = headBytes - 4
  if (source.length !== headBytes || source[0] !== 1) return undefined
  if (source.readUInt32BE(end) !== crc32(source.subarray(0, end))) return undefined
  const vote = readU64(source, 9)
  return {
    hardState: {
      term: term(readU64(source, 1)),
      vote: vote === 0 ? undefined : memberId(vote),
      commit: logIndex(readU64(source, 17)),
    },
    before: { index: readU64(source, 25), term: term(readU64(source, 33)) },
    lastIndex: readU64(source, 41),
  }
}
