import { open, readFile, rename, rm } from 'node:fs/promises'
import { dirname } from 'node:path'
import { crc32 } from 'node:zlib'

/** A small file that is whole or not there: a line of JSON, and a line with its CRC-32 in hexadecimal. */
export type Sealed =
  | { readonly state: 'absent' }
  | { readonly state: 'damaged' }
  | { readonly state: 'intact'; readonly content: unknown }

/** Reads the file and checks it. Rejects when it is there and cannot be read. */
export async function readSealed(path: string): Promise<Sealed> {
  let text: string
  try {
    text = await readFile(path, 'latin1')
  } catch (error) {
    if (error instanceof Error && 'code' in error && error.code === 'ENOENT') return { state: 'absent' }
    throw error
  }
  const [json = '', seal, ...rest] = text.split('\n')
  if (seal !== sealOf(json) || rest.join('') !== '') return { state: 'damaged' }
  return { state: 'intact', content: JSON.parse(json) }
}

/** Replaces the file; durable when it settles. `content` must have ASCII strings only. */
export async function writeSealed(path: string, content: object): Promise<void> {
  const json = JSON.stringify(content)
  const temporary = `${path}.new`
  const file = await open(temporary, 'w', 0o600)
  try {
    await file.writeFile(`${json}\n${sealOf(json)}\n`, 'latin1')
    await file.sync()
  } finally {
    await file.close()
  }
  await rename(temporary, path)
  await syncFolder(dirname(path))
}

/** Removes the file; durable when it settles. */
export async function removeSealed(path: string): Promise<void> {
  await rm(path, { force: true })
  await syncFolder(dirname(path))
}

/** Makes renames and removals in the folder durable. */
export async function syncFolder(path: string): Promise<void> {
  // Windows cannot open a folder; its file systems order a rename themselves.
  if (process.platform === 'win32') return
  const folder = await open(path, 'r')
  try {
    await folder.sync()
  } finally {
    await folder.close()
  }
}

function sealOf(json: string): string {
  return crc32(Buffer.from(json, 'latin1')).toString(16).padStart(8, '0')
}
