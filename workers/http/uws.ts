/**
 * HTTP/1.1 over uWebSockets.js, for the plaintext listener: about twice the small answers for each unit of CPU. It
 * shows no client certificates, so TLS stays with Node.
 */

import type { Exchange, Handler } from '../../src/pipeline/exchange.ts'
import { fail, ok, type Result } from '../../store/contract.ts'
import type { Listener, ListenFailure } from './listener.ts'
import { brokenHandler } from './refusal.ts'
import { UwsExchange } from './uws-exchange.ts'
import type { UwsLibrary, UwsRequest, UwsResponse } from './uws-library.ts'
import { UwsWebSocketExchange, webSocketBehavior } from './uws-websocket.ts'

interface UwsListenOptions {
  readonly library: UwsLibrary
  readonly host: string
  /** 0 = one that is free. Several processes may listen on one port: the kernel spreads connections over them. */
  readonly port: number
  readonly handler: Handler
  readonly onHandlerError: (error: unknown, exchange: Exchange) => void
}

/** Listens; fails when the address cannot be had. */
export function listenUws(options: UwsListenOptions): Promise<Result<Listener, ListenFailure>> {
  const { library, host, port } = options
  const open = new Set<UwsExchange>()
  let closing = false
  let onIdle = (): void => {}
  const connections = {
    last: () => closing,
    opened: (exchange: UwsExchange) => void open.add(exchange),
    closed: (exchange: UwsExchange) => {
      open.delete(exchange)
      if (closing && open.size === 0) onIdle()
    },
  }
  function serve(exchange: UwsExchange): void {
    try {
      options.handler(exchange)
    } catch (error) {
      options.onHandlerError(error, exchange)
      exchange.respond(brokenHandler.status, brokenHandler.headers, brokenHandler.body)
    }
  }

  /** `context`: the library could make it a WebSocket. It looks at the key alone. */
  function receive(response: UwsResponse, request: UwsRequest, context: object | undefined): void {
    if (request.getHeader('upgrade').toLowerCase() !== 'websocket') {
      serve(new UwsExchange(response, request, connections))
      return
    }
    const exchange = new UwsWebSocketExchange(response, request, context, connections)
    const { refusal } = exchange
    if (refusal === undefined) serve(exchange)
    else exchange.respond(refusal.status, refusal.headers, refusal.body)
  }

  const app = library
    .App()
    .ws('/*', webSocketBehavior(receive))
    .any('/*', (response, request) => receive(response, request, undefined))
  return new Promise((resolve) => {
    app.listen(host, port, (socket) => {
      // The library does not say why; the supervisor has tried the address before.
      if (socket === false) return resolve(fail({ code: 'AddressInUse', host, port }))
      resolve(
        ok({
          transport: 'uws',
          scheme: 'http',
          host,
          port: library.us_socket_local_port(socket),
          setTls() {},
          handshakeErrors: () => 0,
          close() {
            if (!closing) library.us_listen_socket_close(socket)
            closing = true
            return open.size === 0
              ? Promise.resolve()
              : new Promise<void>((idle) => {
                  onIdle = idle
                })
          },
          destroy() {
            for (const exchange of open) exchange.drop()
          },
        }),
      )
    })
  })
}
