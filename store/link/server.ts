import { createServer, type Socket } from 'node:net'
import { type Clock, systemClock } from '../clock.ts'
import type { Store } from '../contract.ts'
import { listenPrivately } from './private-socket.ts'
import { ServerLink } from './server-link.ts'

export interface LinkServerOptions {
  readonly store: Store
  /** Of the unix socket (or a named pipe on Windows). A file left there by a crash is replaced: own the data first. */
  readonly path: string
  /** Bytes that one slow worker may leave waiting; default 32 MiB. Beyond it its watches end as Unavailable. */
  readonly outgoingBytesMax?: number
  /** Why a link was closed, or its watches ended, from this side: for the log. */
  readonly onLinkError?: (reason: string) => void
  /** Default: the machine's. */
  readonly clock?: Clock
}

export interface LinkServer {
  /** Listens; only the user of this process may connect (mode 0600). Rejects when the path cannot be used. */
  start(): Promise<void>
  /**
   * Closes the links when the workers have taken what was sent, or after a second without them. The store stays open.
   * Idempotent.
   */
  close(): Promise<void>
}

/** How long a worker may take to read what was sent before its link is closed. */
const closeMaxMs = 1000

/** Serves a store to workers on the same machine. */
export function createLinkServer(options: LinkServerOptions): LinkServer {
  const {
    store,
    path,
    outgoingBytesMax = 32 * 1024 * 1024,
    onLinkError = () => {},
    clock = systemClock,
  } = options
  const links = new Map<Socket, ServerLink>()
  const server = createServer((socket) => {
    links.set(socket, new ServerLink({ socket, store, outgoingBytesMax, onError: onLinkError }))
    socket.on('close', () => links.delete(socket))
  })
  return {
    start: () =>
      listenPrivately(server, path, ({ message }) => onLinkError(`listening for workers: ${message}`)),
    async close() {
      if (!server.listening) return
      const closed = new Promise<void>((resolve) => server.close(() => resolve()))
      for (const link of links.values()) link.close()
      const late = clock.after(closeMaxMs, () => {
        for (const socket of links.keys()) socket.destroy()
      })
      await closed
      late.cancel()
    },
  }
}
