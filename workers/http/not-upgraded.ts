import type { IncomingMessage, Server } from 'node:http'

/**
 * Gives a connection back to the HTTP server that let go of it for an upgrade which is not done here, such as to HTTP/2
 * without TLS: the request is read again, without its wish.
 *
 * @param event by which the server takes connections
 * @param rest what came behind the request's head
 */
export function serveNotUpgraded(
  server: Server,
  event: 'connection' | 'secureConnection',
  request: IncomingMessage,
  rest: Buffer,
): void {
  const { socket } = request
  socket.unshift(Buffer.concat([Buffer.from(headOf(request), 'latin1'), rest]))
  server.emit(event, socket)
}

/** As received: Node has read it as latin1. */
function headOf({ method, url, httpVersion, rawHeaders }: IncomingMessage): string {
  let head = `${method} ${url} HTTP/${httpVersion}\r\n`
  for (let at = 0; at + 1 < rawHeaders.length; at += 2) {
    const name = rawHeaders[at] ?? ''
    if (name.toLowerCase() !== 'upgrade') head += `${name}: ${rawHeaders[at + 1]}\r\n`
  }
  return `${head}\r\n`
}
