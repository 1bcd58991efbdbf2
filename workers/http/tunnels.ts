/** Requests for another protocol on the way to a pod, a node or a service: the API agrees when what is behind it does. */

import { badRequestTarget, webSocketRefusals } from './refusal.ts'
import { parseRequestTarget } from './request-target.ts'
import { UpgradeExchange } from './upgrade-exchange.ts'
import type { Judged, Upgrade } from './upgrades.ts'
import { isWebSocketRequest, readHandshake } from './websocket-request.ts'

/** A way to what is behind the path, or why it is none. */
export function judgeTunnel({ request, socket, rest, connection }: Upgrade): Judged {
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
