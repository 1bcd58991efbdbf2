/** Folders and small files, as a member asks for them. */
import { access, mkdir, open, readdir, rename, rm, stat } from 'node:fs/promises'
import { dirname, join } from 'node:path'
import { readSealed, removeSealed, type Sealed, syncFolder, writeSealed } from './sealed-file.ts'

export interface Files {
  /** Makes the folder and those above it, for the owner only: what is stored may be secret. */
  makeFolder(path: string): Promise<void>
  exists(path: string): Promise<boolean>
  /** Moves a folder to where nothing is, within its parent; durable when it settles. */
  moveFolder(from: string, to: string): Promise<void>
  /** Removes a folder with everything in it; no matter when there is none. */
  removeFolder(path: string): Promise<void>
  /** Makes everything in the folder durable, whoever wrote it. Nobody has its files open for writing. */
  syncContents(path: string): Promise<void>
  /** Bytes of the files in the folder; 0 when there is none. */
  folderBytes(path: string): Promise<number>
  /** See sealed-file.ts. */
  readSealed(path: string): Promise<Sealed>
  writeSealed(path: string, content: object): Promise<void>
  removeSealed(path: string): Promise<void>
}

export const nodeFiles: Files = {
  async makeFolder(path) {
    await mkdir(path, { recursive: true, mode: 0o700 })
  },
  async exists(path) {
    try {
      await access(path)
      return true
    } catch {
      return false
    }
  },
  async moveFolder(from, to) {
    await rename(from, to)
    await syncFolder(dirname(to))
  },
  removeFolder: (path) => rm(path, { recursive: true, force: true }),
  async syncContents(path) {
    for (const name of await readdir(path)) {
      const file = await open(join(path, name), 'r+')
      try {
        await file.sync()
      } finally {
        await file.close()
      }
    }
    await syncFolder(path)
  },
  async folderBytes(path) {
    const names = await readdir(path).catch(() => [])
    const sizes = await Promise.all(
      names.map((name) =>
        stat(join(path, name)).then(
          ({ size }) => size,
          () => 0, // compacted away meanwhile
        ),
      ),
    )
    return sizes.reduce((sum, size) => sum + size, 0)
  },
  readSealed,
  writeSealed,
  removeSealed,
}
