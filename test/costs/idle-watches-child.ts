/** A server whose heap is asked for: the clients are in another process. */

import assert from 'node:assert/strict'
import { readFileSync } from 'node:fs'
import { startInProcess } from '../support/in-process-server.ts'
import { createTlsFixture } from '../workers/tls-fixture.ts'
import { serveNode } from '../workers/transports.ts'

const server = await startInProcess()
const { tls, ca } = await createTlsFixture()
const { port } = await serveNode(server.api.handler, tls)

/** What stays when everything that can go has gone: the least of some looks, each in a turn of its own. */
async function liveBytes(): Promise<number> {
  let least = Number.POSITIVE_INFINITY
  for (let look = 0; look < 5; look++) {
    await new Promise((resolve) => setImmediate(resolve))
    assert(globalThis.gc !== undefined)
    globalThis.gc()
    least = Math.min(least, process.memoryUsage().heapUsed)
  }
  return least
}

/** How far the C library's heap reaches, where buffers of TLS may lie: `[heap]` of proc(5), smaps; 0 = there is none. */
function reachedBytes(): number {
  const found = /\[heap\]\n(?:.+\n)*?Size: +(\d+) kB/.exec(readFileSync('/proc/self/smaps', 'utf8'))
  return Number(found?.[1] ?? 0) * 1024
}

process.on('message', async () => {
  const heapBytes = await liveBytes()
  process.send?.({ heapBytes, nativeBytes: reachedBytes(), watches: server.api.inFlight().watches })
})
process.on('disconnect', () => process.exit(0))
process.send?.({ port, ca })
