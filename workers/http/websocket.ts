/**
 * Watches over WebSocket (RFC 6455), for browsers and other clients that cannot read an answer as it comes. An upgrade
 * of any other kind is none: its request is served as if nobody had asked for it (RFC 9110, section 7.8).
 */

import { createRequire } from 'node:module'
import type * as Ws from 'ws'
import { webSocketLimits } from './limits.ts'
import { badRequestTarget, webSocketRefusals } from './refusal.ts'
import { parseRequestTarget } from './request-target.ts'
import type { Judged, Upgrade } from './upgrades.ts'
import { WebSocketExchange } from './websocket-exchange.ts'
import { readWebSocketRequest } from './websocket-request.ts'

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

let server: Ws.WebSocketServer | undefined

/** A watch, or why it is none. */
export function judgeWatch({ request, socket, rest, connection }: Upgrade): Judged {
  server ??= createLibraryServer()
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
