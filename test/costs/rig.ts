/**
 * The whole way of a request in one process (TLS listener, API, link, member, disk), with counts of what it does that
 * do not depend on how busy the machine is: writes to sockets, frames, durable batches, bytes allocated.
 */

import { mkdtempSync, rmSync } from 'node:fs'
import { Agent, request as requestHttps } from 'node:https'
import { Socket } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { TLSSocket } from 'node:tls'
import { systemClock } from '../../store/clock.ts'
import type { Store } from '../../store/contract.ts'
import { connectLink } from '../../store/link/client.ts'
import { createLinkServer } from '../../store/link/server.ts'
import { openMember } from '../../store/member/open.ts'
import { eventually } from '../support/eventually.ts'
import { adminToken, startInProcess } from '../support/in-process-server.ts'
import { createTlsFixture } from '../workers/tls-fixture.ts'
import { serveNode } from '../workers/transports.ts'

export interface Rig {
  /** Of the member: batches and transactions so far. */
  readonly member: Store
  /** Sends a request on a connection of a pool; resolves with its status when the whole answer is here. */
  send(method: string, path: string, body?: object, contentType?: string): Promise<number>
  /** Opens a watch on a connection of its own, which goes with the rig; resolves when its head is here. */
  watch(path: string, onEvent: () => void): Promise<void>
  readonly ca: string
  readonly port: number
  close(): Promise<void>
}

const newline = 10

export async function startRig(): Promise<Rig> {
  const directory = mkdtempSync(join(tmpdir(), 'apiserver-costs-'))
  const member = await openMember({ dataDir: join(directory, 'store'), clock: systemClock })
  if (!member.ok) throw new Error(member.failure.message)
  const path = join(directory, 'link')
  const links = createLinkServer({ store: member.value.store, path })
  await links.start()
  const server = await startInProcess({ store: connectLink({ path, clock: systemClock }) })
  const { tls, ca } = await createTlsFixture()
  const listener = await serveNode(server.api.handler, tls)
  const { port } = listener
  const agent = new Agent({ keepAlive: true, ca, maxSockets: 32 })
  const watching = new Agent({ ca })
  return {
    member: member.value.store,
    ca,
    port,
    send: (method, target, body, contentType = 'application/json') =>
      new Promise((resolve, reject) => {
        const text = body === undefined ? undefined : JSON.stringify(body)
        const request = requestHttps(
          {
            agent,
            host: '127.0.0.1',
            port,
            method,
            path: target,
            headers: {
              authorization: `Bearer ${adminToken}`,
              ...(text === undefined ? {} : { 'content-type': contentType, 'content-length': text.length }),
            },
          },
          (answer) => {
            answer.resume().on('end', () => resolve(answer.statusCode ?? 0))
          },
        )
        request.on('error', reject)
        request.end(text)
      }),
    watch: (target, onEvent) =>
      new Promise((resolve, reject) => {
        const headers = { authorization: `Bearer ${adminToken}` }
        const request = requestHttps(
          { agent: watching, host: '127.0.0.1', port, path: target, headers },
          (answer) => {
            if (answer.statusCode !== 200) reject(new Error(`watch: ${answer.statusCode}`))
            answer.on('data', (bytes: Buffer) => {
              for (const byte of bytes) if (byte === newline) onEvent()
            })
            answer.on('error', () => {}) // the end of the rig
            resolve()
          },
        )
        request.on('error', reject)
        request.end()
      }),
    async close() {
      agent.destroy()
      watching.destroy()
      listener.destroy()
      await listener.close()
      await server.close()
      await links.close()
      await member.value.close()
      rmSync(directory, { recursive: true, force: true, maxRetries: 3 })
    },
  }
}

/** Durable batches so far, and transactions in them. */
export async function batchesOf(
  rig: Rig,
): Promise<{ readonly batches: number; readonly transactions: number }> {
  const status = await rig.member.status()
  if (!status.ok) throw new Error(status.failure.code)
  return status.value.commits
}

/** Once the server has written what it writes for itself after its start. */
export async function batchesAtRest(rig: Rig): ReturnType<typeof batchesOf> {
  let last = await batchesOf(rig)
  let looks = 0
  await eventually('the writes of the start to end', async () => {
    const now = await batchesOf(rig)
    looks = now.transactions === last.transactions ? looks + 1 : 0
    last = now
    return looks === 20
  })
  return last
}

interface SocketCounts {
  /** Writes that TLS connections handed to the system, and those of unix sockets, both ends in this process. */
  tls: number
  link: number
  linkBytes: number
}

interface Writable {
  _writeGeneric(writev: boolean, data: unknown, encoding: string, done: (error?: Error) => void): void
}

/** Counts what sockets of this process write, until `stop`. */
export function countWrites(): SocketCounts & { stop(): void } {
  // Node's one place for writes of all its sockets: tests of costs look behind the curtain.
  const prototype = Socket.prototype as unknown as Writable
  const original = prototype._writeGeneric
  const counts = {
    tls: 0,
    link: 0,
    linkBytes: 0,
    stop() {
      prototype._writeGeneric = original
    },
  }
  prototype._writeGeneric = function (this: Socket, writev, data, encoding, done) {
    if (this instanceof TLSSocket) counts.tls++
    else if (this.remotePort === undefined && this.localPort === undefined) {
      counts.link++
      counts.linkBytes += Buffer.isBuffer(data) ? data.length : 0
    }
    original.call(this, writev, data, encoding, done)
  }
  return counts
}
