/**
 * The whole state in one file:
 *
 *     {"format":1,"dialect":…,"clusterId":…}\n       one line of JSON
 *     CRC-32 of the line, hexadecimal\n
 *     frames of records, and one that ends them       (peers/frames.ts: each with its checksum, and their number)
 *
 * A file that is not whole, or not intact, is refused as a whole.
 */
import { createReadStream } from 'node:fs'
import { open, rename, rm } from 'node:fs/promises'
import { dirname } from 'node:path'
import { crc32 } from 'node:zlib'
import { fail, ok, type Result } from '../contract.ts'
import type { DatabaseView } from '../disk/database.ts'
import { syncFolder } from '../disk/sealed-file.ts'
import { FrameReader } from '../link/frame-reader.ts'
import { WireWriter } from '../link/wire.ts'
import { describeDigest } from '../mvcc/digest.ts'
import { decodeMeta, metaKey, type StoredMeta } from '../mvcc/meta.ts'
import { type Frame, type Records, readFrame, recordsCrc, writeFrame } from '../peers/frames.ts'
import { stateRecords } from '../peers/state-records.ts'

export interface SnapshotHeader {
  readonly dialect: string
  readonly clusterId?: string
}

/** What a file holds, after all of it was checked. */
export interface SnapshotSummary extends SnapshotHeader {
  readonly revision: number
  /** Versions of keys, history included. */
  readonly records: number
  readonly bytes: number
  /** Of the state, as members compare it. */
  readonly hash: string
}

/** `message` is for the operator. */
export type SnapshotFailure = {
  readonly code: 'BadSnapshot' | 'DiskFailed'
  readonly message: string
}

const fileFormat = 1
/** Longest head: two short lines. */
const headBytesMax = 4096

/** Writes the state in `view`, and closes it. The file appears when it is complete and durable. */
export async function writeSnapshotFile(
  path: string,
  header: SnapshotHeader,
  view: DatabaseView,
): Promise<Result<void, SnapshotFailure>> {
  const partial = `${path}.partial`
  try {
    const file = await open(partial, 'wx', 0o600)
    try {
      const json = JSON.stringify({ format: fileFormat, ...header })
      await file.write(Buffer.from(`${json}\n${crc32(json).toString(16).padStart(8, '0')}\n`))
      let count = 0
      for await (const records of stateRecords(view)) {
        await file.write(encodeFrame({ kind: 'records', records, crc: recordsCrc(records) }))
        count += records.length
      }
      await file.write(encodeFrame({ kind: 'end', records: count }))
      await file.sync()
    } finally {
      await file.close()
    }
    await rename(partial, path)
    await syncFolder(dirname(path))
    return ok(undefined)
  } catch (error) {
    if (!isExisting(error)) await rm(partial, { force: true })
    return fail({ code: 'DiskFailed', message: `cannot write ${path}: ${describe(error)}` })
  } finally {
    await view.close()
  }
}

/** Reads a file to its end; `onRecords` gets everything in order, but nothing of a damaged frame. */
export async function readSnapshotFile(
  path: string,
  onRecords: (records: Records) => Promise<void>,
): Promise<Result<SnapshotSummary, SnapshotFailure>> {
  const reading = new Reading(path)
  try {
    for await (const chunk of createReadStream(path, { highWaterMark: 1 << 20 })) {
      // A stream without an encoding gives buffers.
      for (const records of reading.push(chunk as Buffer)) await onRecords(records)
      if (reading.problem !== undefined) break
    }
  } catch (error) {
    return fail({ code: 'DiskFailed', message: `cannot read ${path}: ${describe(error)}` })
  }
  return reading.end()
}

class Reading {
  problem: string | undefined
  readonly #path: string
  readonly #frames = new FrameReader()
  #head: Buffer = Buffer.alloc(0)
  #header: SnapshotHeader | undefined
  #meta: StoredMeta | undefined
  #count = 0
  #bytes = 0
  #ended = false

  constructor(path: string) {
    this.#path = path
  }

  push(chunk: Buffer): Records[] {
    const rest = this.#header === undefined ? this.#readHead(chunk) : chunk
    const found: Records[] = []
    if (rest === undefined || this.problem !== undefined) return found
    const whole = this.#frames.push(rest, (bytes) => {
      const records = this.#take(readFrame(bytes))
      if (records !== undefined) found.push(records)
    })
    if (!whole) this.problem ??= 'a frame is too large'
    return found
  }

  end(): Result<SnapshotSummary, SnapshotFailure> {
    const problem = this.problem ?? (this.#ended ? undefined : 'it is cut short')
    if (problem === undefined && this.#header !== undefined && this.#meta !== undefined) {
      const { revision, digest } = this.#meta
      const [records, bytes] = [digest.records, this.#bytes]
      return ok({ ...this.#header, revision, records, bytes, hash: describeDigest(digest) })
    }
    return fail({
      code: 'BadSnapshot',
      message: `${this.#path} is no snapshot: ${problem ?? 'it has no state'}`,
    })
  }

  #readHead(chunk: Buffer): Buffer | undefined {
    this.#head = Buffer.concat([this.#head, chunk])
    const first = this.#head.indexOf(10)
    const second = first < 0 ? -1 : this.#head.indexOf(10, first + 1)
    if (second < 0) {
      if (this.#head.length > headBytesMax) this.problem = 'it does not begin like one'
      return undefined
    }
    const json = this.#head.toString('utf8', 0, first)
    if (parseInt(this.#head.toString('latin1', first + 1, second), 16) !== crc32(json)) {
      this.problem = 'it does not begin like one'
      return undefined
    }
    const fields: unknown = JSON.parse(json)
    const { format, dialect, clusterId } = { ...(fields as Partial<Record<string, unknown>>) }
    if (format !== fileFormat || typeof dialect !== 'string') {
      this.problem = `format ${String(format)} is not ${fileFormat}`
      return undefined
    }
    this.#header = { dialect, ...(typeof clusterId === 'string' ? { clusterId } : {}) }
    return this.#head.subarray(second + 1)
  }

  #take(frame: Frame | undefined): Records | undefined {
    if (this.problem !== undefined) return undefined
    if (frame?.kind === 'records' && !this.#ended && recordsCrc(frame.records) === frame.crc) {
      this.#count += frame.records.length
      for (const [key, value] of frame.records) {
        this.#bytes += key.length + value.length
        if (key.equals(metaKey)) this.#meta = decodeMeta(value)
      }
      return frame.records
    }
    if (frame?.kind === 'end' && !this.#ended && frame.records === this.#count) this.#ended = true
    else this.problem = 'checksum does not match'
    return undefined
  }
}

function encodeFrame(frame: Frame): Buffer {
  const writer = new WireWriter(1 << 20)
  const start = writer.beginFrame()
  writeFrame(writer, frame)
  writer.endFrame(start)
  return writer.finish()
}

function isExisting(error: unknown): boolean {
  return error instanceof Error && 'code' in error && error.code === 'EEXIST'
}

function describe(error: unknown): string {
  return error instanceof Error ? error.message : String(error)
}
