/**
 * Connections that the HTTP server has let go of, since the client asks for another protocol: watches over WebSocket, and
 * the ways to pods, nodes and services.
 */

import type { IncomingMessage } from 'node:http'
import type { Socket } from 'node:net'
import type { NodeConnection } from './node-exchange.ts'
import type { Peer } from './peer.ts'
import { type NodeLikeExchange, type Reception, receive } from './reception.ts'
import type { Refusal } from './refusal.ts'

/** A request on such a connection. */
export interface Upgrade {
  readonly request: IncomingMessage
  readonly socket: Socket
  /** What came behind the request's head. */
  readonly rest: Buffer
  readonly peer: Peer
  readonly connection: NodeConnection
}

export interface Judged {
  readonly exchange: NodeLikeExchange
  /** Undefined = the API is asked. */
  readonly refusal: Refusal | undefined
}

interface Upgrades {
  accept(upgrade: Upgrade, judge: (upgrade: Upgrade) => Judged): void
  /** Drops every connection now. */
  destroy(): void
}

export function createUpgrades(reception: Reception): Upgrades {
  const sockets = new Set<Socket>()
  return {
    accept(upgrade, judge) {
      const { socket, peer } = upgrade
      sockets.add(socket)
      socket.once('close', () => sockets.delete(socket))
      socket.on('error', ignore) // 'close' follows
      const { exchange, refusal } = judge(upgrade)
      if (refusal === undefined) receive(exchange, true, peer, reception)
      else exchange.respond(refusal.status, refusal.headers, refusal.body)
    },
    destroy() {
      for (const socket of sockets) socket.destroy()
    },
  }
}

function ignore(): void {}
