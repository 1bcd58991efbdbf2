import { randomInt } from 'node:crypto'
import { createServer, type Server } from 'node:net'

/**
 * Below the ports that systems give to outgoing connections (32768 and up on Linux, 49152 elsewhere): one of those may
 * be taken, by whoever connects somewhere, between the look and the use.
 */
const lowest = 20_000
const highest = 32_767
const attemptsMax = 1000

/** Ports that nobody listens at now, all different. */
export async function freePorts(host: string, count: number): Promise<readonly number[]> {
  const servers = new Map<number, Server>()
  for (let attempt = 0; servers.size < count; attempt++) {
    if (attempt === attemptsMax)
      throw new Error(`no ${count} free ports from ${lowest} to ${highest} at ${host}`)
    const port = randomInt(lowest, highest + 1)
    const server = servers.has(port) ? undefined : await listenAt(host, port)
    if (server !== undefined) servers.set(port, server)
  }
  await Promise.all([...servers.values()].map((server) => new Promise((resolve) => server.close(resolve))))
  return [...servers.keys()]
}

/** Undefined: somebody does. Rejects where nobody could listen at any port. */
function listenAt(host: string, port: number): Promise<Server | undefined> {
  return new Promise((resolve, reject) => {
    const server = createServer()
    server.once('error', (error: NodeJS.ErrnoException) =>
      error.code === 'EADDRINUSE' || error.code === 'EACCES' ? resolve(undefined) : reject(error),
    )
    server.listen({ host, port, exclusive: true }, () => resolve(server))
  })
}
