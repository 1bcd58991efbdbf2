/**
 * Watches over WebSocket (RFC 6455), for browsers and other clients that cannot read an answer as it comes. An upgrade
 * of any other kind is none: its request is served as if nobody had asked for it (RFC 9110, section 7.8).
 */

import type { IncomingMessage } from 'node:http'
import { createRequire } from 'node:module'
import type { Socket } from 'node:net'
import type * as Ws from 'ws'
import { webSocketLimits } from './limits.ts'
import type { NodeConnection } from './node-exchange.ts'
import type { Peer } from './peer.ts'
import { type Reception, receive } from './reception.ts'
import { badRequestTarget, type Refusal, webSocketRefusals } from './refusal.ts'
import { parseRequestTarget } from './request-target.ts'
import { WebSocketExchange } from './websocket-exchange.ts'
import { readWebSocketRequest } from './websocket-request.ts'

/** A request on a connection that the HTTP server has let go of. */
export interface Upgrade {
  readonly request: IncomingMessage
  readonly socket: Socket
  /** What came behind the request's head. */
  readonly rest: Buffer
  readonly peer: Peer
  readonly connection: NodeConnection
}

interface WebSockets {
  accept(upgrade: Upgrade): void
  /** Drops every connection now. */
  destroy(): void
}

/** A constant, because the types of the library lack `closeTimeout`. */
const serverOptions = {
  noServer: true,
  clientTracking: false,
  perMessageDeflate: false,
  autoPong: false,
  maxPayload: webSocketLimits.messageBytesMax,
  closeTimeout: webSocketLimits.closeMs,
}

const require = createRequire(import.meta.url)

/** The library is loaded with the first upgrade: most servers never see one. */
function createLibraryServer(): Ws.WebSocketServer {
  const library: typeof Ws = require('ws')
  return new library.WebSocketServer(serverOptions)
}

export function createWebSockets(reception: Reception): WebSockets {
  const sockets = new Set<Socket>()
  let server: Ws.WebSocketServer | undefined
  return {
    accept(upgrade) {
      const { socket } = upgrade
      sockets.add(socket)
      socket.once('close', () => sockets.delete(socket))
      socket.on('error', ignore) // 'close' follows
      server ??= createLibraryServer()
      const { exchange, refusal } = exchangeOf(upgrade, server)
      if (refusal === undefined) receive(exchange, true, upgrade.peer, reception)
      else exchange.respond(refusal.status, refusal.headers, refusal.body)
    },
    destroy() {
      for (const socket of sockets) socket.destroy()
    },
  }
}

interface Judged {
  readonly exchange: WebSocketExchange
  readonly refusal: Refusal | undefined
}

function exchangeOf({ request, socket, rest, connection }: Upgrade, server: Ws.WebSocketServer): Judged {
  const maybeTarget = parseRequestTarget(request.url ?? '')
  const target = maybeTarget ?? { path: '/', query: '' }
  const asked = readWebSocketRequest(request, target, connection.secure)
  const isWatch = asked.type === 'watch'
  const exchange = new WebSocketExchange(
    { request, socket, rest, target, connection },
    isWatch ? asked.authorization : undefined,
    { server, protocol: isWatch ? asked.protocol : undefined },
  )
  if (maybeTarget === undefined) return { exchange, refusal: badRequestTarget }
  return { exchange, refusal: isWatch ? undefined : webSocketRefusals[asked.why] }
}

function ignore(): void {}
