/** Files that are whole or absent, whatever happens meanwhile. */

import { mkdir, open, readFile, rename, rm } from 'node:fs/promises'
import { dirname, join } from 'node:path'

export interface NewFile {
  readonly name: string
  readonly text: string
  /** 0o600 for what is secret. */
  readonly mode: number
}

/** The text of a file; undefined when there is none. Rejects for every other reason. */
export async function readIfPresent(path: string): Promise<string | undefined> {
  try {
    return await readFile(path, 'utf8')
  } catch (error) {
    if (error instanceof Error && 'code' in error && error.code === 'ENOENT') return undefined
    throw error
  }
}

/** Replaces or makes one file: written beside it, synced, renamed. */
export async function writeAtomically(path: string, text: string, mode: number): Promise<void> {
  const temporary = `${path}.new`
  await rm(temporary, { force: true })
  await writeSynced(temporary, text, mode)
  await rename(temporary, path)
  await syncDirectory(dirname(path))
}

/** Makes a directory with all its files at once (mode 0700). What a crash left half made is replaced. */
export async function writeDirectoryAtomically(path: string, files: readonly NewFile[]): Promise<void> {
  const temporary = `${path}.new`
  await rm(temporary, { recursive: true, force: true })
  await mkdir(temporary, { recursive: true, mode: 0o700 })
  await Promise.all(files.map(({ name, text, mode }) => writeSynced(join(temporary, name), text, mode)))
  await syncDirectory(temporary)
  await rename(temporary, path)
  await syncDirectory(dirname(path))
}

async function writeSynced(path: string, text: string, mode: number): Promise<void> {
  const file = await open(path, 'wx', mode)
  try {
    await file.writeFile(text)
    await file.sync()
  } finally {
    await file.close()
  }
}

async function syncDirectory(path: string): Promise<void> {
  if (process.platform === 'win32') return // cannot be opened there
  const directory = await open(path, 'r')
  try {
    await directory.sync()
  } finally {
    await directory.close()
  }
}
