/** Requests for another protocol on the way to a pod, a node or a service: the API agrees when what is behind it does. */

import type { Socket } from 'node:net'
import { type Reception, receive } from './reception.ts'
import { badRequestTarget, type Refusal, webSocketRefusals } from './refusal.ts'
import { parseRequestTarget } from './request-target.ts'
import { UpgradeExchange } from './upgrade-exchange.ts'
import type { Upgrade } from './websocket.ts'
import { isWebSocketRequest, readHandshake } from './websocket-request.ts'

interface Tunnels {
  accept(upgrade: Upgrade): void
  /** Drops every connection now. */
  destroy(): void
}

export function createTunnels(reception: Reception): Tunnels {
  const sockets = new Set<Socket>()
  return {
    accept(upgrade) {
      const { socket, peer } = upgrade
      sockets.add(socket)
      socket.once('close', () => sockets.delete(socket))
      socket.on('error', ignore) // 'close' follows
      const { exchange, refusal } = exchangeOf(upgrade)
      if (refusal === undefined) receive(exchange, true, peer, reception)
      else exchange.respond(refusal.status, refusal.headers, refusal.body)
    },
    destroy() {
      for (const socket of sockets) socket.destroy()
    },
  }
}

interface Judged {
  readonly exchange: UpgradeExchange
  readonly refusal: Refusal | undefined
}

function exchangeOf({ request, socket, rest, connection }: Upgrade): Judged {
  const maybeTarget = parseRequestTarget(request.url ?? '')
  const target = maybeTarget ?? { path: '/', query: '' }
  const asked = isWebSocketRequest(request) ? readHandshake(request.headers, connection.secure) : undefined
  const instead = new Map<string, string | undefined>()
  if (asked?.type === 'handshake') {
    // The token is for us alone.
    instead.set('authorization', asked.authorization)
    const { protocols } = asked
    instead.set('sec-websocket-protocol', protocols.length === 0 ? undefined : protocols.join(', '))
  }
  const exchange = new UpgradeExchange({ request, socket, rest, target, connection, instead })
  if (maybeTarget === undefined) return { exchange, refusal: badRequestTarget }
  return { exchange, refusal: asked?.type === 'refused' ? webSocketRefusals[asked.why] : undefined }
}

function ignore(): void {}
