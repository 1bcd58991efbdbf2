import type { WebSocketServer } from 'ws'
import type { Headers, ResponseStream } from '../../src/pipeline/exchange.ts'
import { LetGoExchange, type LetGoOptions } from './let-go-exchange.ts'
import { isJson, WebSocketStream } from './websocket-stream.ts'

const protocolHeader = 'sec-websocket-protocol'

interface Agreement {
  readonly server: WebSocketServer
  /** To agree on, if the answer is a stream. */
  readonly protocol: string | undefined
}

/** A request that becomes a WebSocket once its answer is a stream. */
export class WebSocketExchange extends LetGoExchange {
  readonly #agreement: Agreement

  /** @param authorization in place of the header of that name: the token may come as a subprotocol */
  constructor(
    options: Omit<LetGoOptions, 'instead'>,
    authorization: string | undefined,
    agreement: Agreement,
  ) {
    const instead = new Map([
      ['authorization', authorization],
      [protocolHeader, agreement.protocol],
    ])
    super({ ...options, instead })
    this.#agreement = agreement
  }

  stream(_status: number, headers: Headers): ResponseStream {
    const { request, socket, rest, connection } = this.options
    const { server, protocol } = this.#agreement
    this.answered = true
    if (protocol === undefined) delete request.headers[protocolHeader]
    else request.headers[protocolHeader] = protocol
    let stream: ResponseStream = goneStream
    // Done within the call: the request was found in order, and nobody else is asked.
    server.handleUpgrade(request, socket, rest, (webSocket) => {
      const framing = isJson(headers) ? 'lines' : 'lengths'
      stream = new WebSocketStream({ webSocket, socket, framing, last: connection.last })
    })
    return stream
  }
}

/** The client has gone in the meantime: `onClose` has been or will be called. */
const goneStream: ResponseStream = {
  write: () => true,
  onDrain() {},
  end() {},
  abort() {},
  bufferedBytes: 0,
}
