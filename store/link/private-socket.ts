/** Listening on a unix socket that only its owner may open. */

import { rm } from 'node:fs/promises'
import type { Server } from 'node:net'

/**
 * Removes what a dead process left at `path`, then listens with mode 0600. Rejects when it cannot. `onError` is told
 * what goes wrong afterwards, such as a connection that could not be accepted; the server goes on.
 */
export async function listenPrivately(
  server: Server,
  path: string,
  onError: (error: Error) => void,
): Promise<void> {
  await rm(path, { force: true })
  await new Promise<void>((resolve, reject) => {
    server.once('error', reject)
    // The file is made inside listen(): its mode must be right from the first moment.
    const before = process.umask(0o177)
    try {
      server.listen(path, resolve)
    } finally {
      process.umask(before)
    }
  })
  server.on('error', onError)
}
