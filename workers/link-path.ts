import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join, resolve } from 'node:path'

/** `sun_path` holds 108 bytes with its final zero on Linux, 104 elsewhere. */
const socketPathBytesMax = 103

interface LinkPath {
  readonly path: string
  /** Removes what was made for it. */
  remove(): Promise<void>
}

/** Where the store listens for the workers: in the data directory, or in a private place where its path is too long. */
export async function chooseLinkPath(dataDir: string): Promise<LinkPath> {
  const path = join(resolve(dataDir), 'link.sock')
  if (process.platform === 'win32') {
    return { path: `\\\\.\\pipe\\cluster-apiserver-${process.pid}`, remove: async () => {} }
  }
  if (Buffer.byteLength(path) <= socketPathBytesMax) return { path, remove: () => rm(path, { force: true }) }
  const directory = await mkdtemp(join(tmpdir(), 'apiserver-')) // mode 0700
  return {
    path: join(directory, 'link.sock'),
    remove: () => rm(directory, { recursive: true, force: true }),
  }
}
