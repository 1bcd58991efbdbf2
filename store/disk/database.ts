import { createRequire } from 'node:module'
import type * as LevelLibrary from 'level'
import { releaseLate } from './late-release.ts'

// Not imported: Node would read the whole of a CommonJS module beforehand, to learn what it exports.
const { Level }: typeof LevelLibrary = createRequire(import.meta.url)('level')

/**
 * The few things that the store asks of an ordered, durable map of bytes. One implementation, over level; tests wrap
 * it to make a disk fail.
 */
export interface Database {
  /**
   * Applies all of `writes` or nothing. With `sync` it settles after they are on the medium. Rejects when the disk
   * refuses (full, input/output error): whether the writes survive is then unknown.
   */
  write(writes: readonly Write[], options: { readonly sync: boolean }): Promise<void>
  /** Reads in this turn: blocks for a disk access when the block is not cached. */
  getInTurn(key: Buffer): Buffer | undefined
  /** Reads many, as they were when the view was taken. */
  view(): DatabaseView
  close(): Promise<void>
}

/** The database as it was at one moment. Close it: it keeps removed records from being cleaned up. */
export interface DatabaseView {
  getMany(keys: readonly Buffer[]): Promise<(Buffer | undefined)[]>
  /** Entries with `start` ≤ key < `end` in byte order, some hundreds at a time. */
  scan(start: Buffer, end: Buffer): AsyncGenerator<readonly (readonly [Buffer, Buffer])[]>
  close(): Promise<void>
}

export type Write =
  | { readonly type: 'put'; readonly key: Buffer; readonly value: Buffer }
  | { readonly type: 'del'; readonly key: Buffer }

/** How level is opened; memory: two write buffers and the block cache, 20 MiB at most. */
const levelOptions = {
  keyEncoding: 'buffer',
  valueEncoding: 'buffer',
  writeBufferSize: 8 * 1024 * 1024,
  cacheSize: 4 * 1024 * 1024,
  maxFileSize: 8 * 1024 * 1024,
} as const

const scanEntries = 512

/**
 * True when another database object, of this process or another, has the folder open. Asks LevelDB to refuse an
 * existing database: it takes the lock before it looks, and touches nothing.
 */
export async function isLocked(path: string): Promise<boolean> {
  const level = new Level(path, { createIfMissing: false, errorIfExists: true })
  try {
    await level.open()
  } catch (error) {
    return isLockError(error)
  }
  await level.close()
  return false
}

/** An error of opening that means the lock is taken. */
export function isLockError(error: unknown): boolean {
  return hasCode(error, 'LEVEL_LOCKED')
}

/** An error of opening that means the files are damaged. */
export function isCorruptionError(error: unknown): boolean {
  return hasCode(error, 'LEVEL_CORRUPTION')
}

/** A bug, rather than something that the operating system or level said: those carry a code of theirs. */
export function isOwnError(error: unknown): boolean {
  return !(error instanceof Error && 'code' in error) || String(error.code).startsWith('ERR_')
}

/** The code of level, on the error or on its cause. */
function hasCode(error: unknown, code: string): boolean {
  if (!(error instanceof Error)) return false
  return ('code' in error && error.code === code) || hasCode(error.cause, code)
}

/** What level says when it fails to open, its cause included. */
export function describeError(error: unknown): string {
  if (!(error instanceof Error)) return String(error)
  return error.cause === undefined ? error.message : `${error.message}: ${describeError(error.cause)}`
}

/** Opens, or creates, a level database in the folder `path`. Rejects with level's own error. */
export async function openDatabase(path: string): Promise<Database> {
  const level = new Level<Buffer, Buffer>(path, levelOptions)
  await level.open()
  const files = releaseLate(path)
  return {
    write(writes, options) {
      // A batch that is filled call by call costs level 0.6 × what a list of operations does: nothing is copied first.
      const batch = level.batch()
      let bytes = 0
      for (const write of writes) {
        if (write.type === 'put') {
          batch.put(write.key, write.value)
          bytes += write.value.length
        } else batch.del(write.key)
      }
      files.wrote(bytes)
      return batch.write(options)
    },
    getInTurn: (key) => level.getSync(key),
    view() {
      const snapshot = level.snapshot()
      return {
        getMany: (keys) => level.getMany(keys as Buffer[], { snapshot, fillCache: false }),
        async *scan(start, end) {
          const iterator = level.iterator({ gte: start, lt: end, snapshot, highWaterMarkBytes: 1 << 20 })
          try {
            for (;;) {
              const entries = await iterator.nextv(scanEntries)
              if (entries.length === 0) return
              yield entries
            }
          } finally {
            await iterator.close()
          }
        },
        close: () => snapshot.close(),
      }
    },
    async close() {
      await level.close()
      files.close()
    },
  }
}
