/**
 * The door for the operator on the same machine: a unix socket in the data directory, for its owner only. One line of
 * JSON asks (an {@link AdminRequest}), one line answers (as {@link Cluster.answer} writes it).
 */
import { createHash } from 'node:crypto'
import { createConnection, createServer, type Socket } from 'node:net'
import { tmpdir } from 'node:os'
import { join, resolve } from 'node:path'
import { fail, type Result } from '../contract.ts'
import { listenPrivately } from '../link/private-socket.ts'
import { type ClusterFailure, type ClusterRequest, parseAnswer } from './cluster-messages.ts'
import type { Member } from './open.ts'

export type AdminRequest =
  | ClusterRequest
  /** Saves the state of the member asked, as it has it; the path is absolute → null */
  | { readonly method: 'snapshot'; readonly path: string }

export interface AdminServer {
  /** Rejects when the socket cannot be made. */
  start(): Promise<void>
  close(): Promise<void>
}

const lineBytesMax = 64 * 1024

/** Where the member of a data directory listens. */
function adminPath(dataDir: string): string {
  const folder = resolve(dataDir)
  const hash = createHash('sha256').update(folder).digest('hex').slice(0, 16)
  if (process.platform === 'win32') return `\\\\.\\pipe\\cluster-apiserver-${hash}`
  const path = join(folder, 'admin.sock')
  // `sun_path` holds 104 bytes with its final zero where it is shortest.
  return Buffer.byteLength(path) <= 103 ? path : join(tmpdir(), `cluster-apiserver-${hash}.sock`)
}

/** Serves the operator's requests to `member`, whose data directory is `dataDir`. */
export function createAdminServer(member: Member, dataDir: string): AdminServer {
  const path = adminPath(dataDir)
  const sockets = new Set<Socket>()
  const server = createServer((socket) => {
    sockets.add(socket)
    socket.on('close', () => sockets.delete(socket))
    socket.on('error', () => {}) // 'close' follows
    readLine(socket, (line) => {
      void answerLine(member, line).then((answer) => socket.end(`${answer}\n`))
    })
  })
  return {
    // A connection that could not be accepted: whoever made it sees it end.
    start: () => listenPrivately(server, path, () => {}),
    async close() {
      if (!server.listening) return
      const closed = new Promise<void>((resolve) => server.close(() => resolve()))
      for (const socket of sockets) socket.destroy()
      await closed
    },
  }
}

async function answerLine(member: Member, line: string): Promise<string> {
  const path = snapshotPath(line)
  if (path === undefined) return member.cluster.answer(line)
  const saved = await member.saveSnapshot(path)
  return JSON.stringify(saved.ok ? { value: null } : { code: 'Refused', message: saved.failure.message })
}

function snapshotPath(line: string): string | undefined {
  try {
    const request: unknown = JSON.parse(line)
    const { method, path } = { ...(request as Partial<Record<string, unknown>>) }
    return method === 'snapshot' && typeof path === 'string' ? path : undefined
  } catch {
    return undefined
  }
}

/** Asks the running member of a data directory. */
export function askMember(dataDir: string, request: AdminRequest): Promise<Result<unknown, ClusterFailure>> {
  return new Promise((settle) => {
    const socket = createConnection(adminPath(dataDir))
    socket.on('error', (error) => {
      const message = `no server runs on ${dataDir}, or it is another user's: ${error.message}`
      settle(fail({ code: 'Refused', message }))
    })
    socket.on('close', () => settle(fail({ code: 'Unknown', message: 'the server ended the connection' })))
    readLine(socket, (line) => settle(parseAnswer(line)))
    socket.write(`${JSON.stringify(request)}\n`)
  })
}

function readLine(socket: Socket, onLine: (line: string) => void): void {
  let text = ''
  socket.setEncoding('utf8')
  const onData = (chunk: string): void => {
    text += chunk
    const end = text.indexOf('\n')
    if (end < 0 && text.length <= lineBytesMax) return
    socket.off('data', onData)
    if (end < 0) socket.destroy()
    else onLine(text.slice(0, end))
  }
  socket.on('data', onData)
}
