/** The few things that an audit log asks of a file system. Synchronous where lines are written: they are there when it returns. */

import {
  closeSync,
  createReadStream,
  createWriteStream,
  existsSync,
  fstatSync,
  mkdirSync,
  openSync,
  writeSync,
} from 'node:fs'
import { readdir, rename, rm, stat } from 'node:fs/promises'
import { dirname } from 'node:path'
import { pipeline } from 'node:stream/promises'
import { createGzip } from 'node:zlib'

/** Of a file as it is now; `inode` tells whether it is still the same. */
export interface FileState {
  readonly inode: number
  readonly bytes: number
}

export interface AppendedFile {
  /** At the end, in one piece, whoever else writes. Throws when it cannot. */
  append(text: string): void
  state(): FileState
  close(): void
}

export interface LogFiles {
  /** Makes the file and its folder where they are missing: for the owner's eyes alone. Throws when it cannot. */
  openToAppend(path: string): AppendedFile
  /** Undefined = there is none. */
  state(path: string): Promise<FileState | undefined>
  /** Names in a folder. */
  list(folder: string): Promise<readonly string[]>
  rename(from: string, to: string): Promise<void>
  remove(path: string): Promise<void>
  /** Into another file, which is whole when it settles. */
  compress(from: string, to: string): Promise<void>
}

const fileMode = 0o600
const folderMode = 0o700

export const machineFiles: LogFiles = {
  openToAppend(path) {
    makeFolder(dirname(path))
    const descriptor = openSync(path, 'a', fileMode)
    return {
      append: (text) => appendAll(descriptor, Buffer.from(text)),
      state() {
        const { ino, size } = fstatSync(descriptor)
        return { inode: ino, bytes: size }
      },
      close: () => closeSync(descriptor),
    }
  },
  async state(path) {
    const found = await stat(path).catch(() => undefined)
    return found === undefined ? undefined : { inode: found.ino, bytes: found.size }
  },
  list: (folder) => readdir(folder),
  rename,
  remove: (path) => rm(path, { force: true }),
  async compress(from, to) {
    const temporary = `${to}.new`
    await pipeline(createReadStream(from), createGzip(), createWriteStream(temporary, { mode: fileMode }))
    await rename(temporary, to)
  },
}

/** Level by level: the recursive one of Node does not come to an end where a file system makes no folders. */
function makeFolder(path: string): void {
  if (existsSync(path)) return
  makeFolder(dirname(path))
  mkdirSync(path, { mode: folderMode })
}

/** One write, as a rule: what a full disk did not take is tried once more, and throws. */
function appendAll(descriptor: number, bytes: Buffer): void {
  let at = writeSync(descriptor, bytes)
  while (at < bytes.length) at += writeSync(descriptor, bytes, at)
}
