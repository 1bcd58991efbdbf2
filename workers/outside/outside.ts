/** Files and HTTPS of this machine. */

import { readFile, stat } from 'node:fs/promises'
import type { Outside } from '../../src/outside/outside.ts'
import { fail, ok, type Result } from '../../store/contract.ts'
import { createHttpsClient } from './https-client.ts'
import { createStreamingClient } from './streaming-client.ts'

/** Longer files are refused: nothing that is read here is of that size. */
const fileBytesMax = 4 * 1024 * 1024

export const machineOutside: Outside = {
  readFile: readBounded,
  httpClient: createHttpsClient,
  streamingClient: createStreamingClient,
}

async function readBounded(path: string): Promise<Result<string, string>> {
  try {
    const { size } = await stat(path)
    if (size > fileBytesMax) return fail(`is longer than ${fileBytesMax} bytes`)
    return ok(await readFile(path, 'utf8'))
  } catch (error) {
    return fail(reasonOf(error))
  }
}

function reasonOf(error: unknown): string {
  const code = error instanceof Error && 'code' in error ? error.code : undefined
  switch (code) {
    case 'ENOENT':
      return 'does not exist'
    case 'EACCES':
    case 'EPERM':
      return 'may not be read'
    case 'EISDIR':
      return 'is a directory'
    default:
      return `cannot be read: ${typeof code === 'string' ? code : String(error)}`
  }
}
