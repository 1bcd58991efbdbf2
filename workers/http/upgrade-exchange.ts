import { ServerResponse, STATUS_CODES } from 'node:http'
import type { Duplex } from 'node:stream'
import type { Headers, ResponseStream, Upgrade } from '../../src/pipeline/exchange.ts'
import { LetGoExchange, type LetGoOptions } from './let-go-exchange.ts'
import { flatten } from './node-exchange.ts'
import { createNodeStream } from './node-stream.ts'

/** A request whose connection the API may hand to somebody who speaks the other protocol. */
export class UpgradeExchange extends LetGoExchange {
  readonly upgrade: Upgrade

  constructor(options: LetGoOptions) {
    super(options)
    this.upgrade = {
      protocol: options.request.headers.upgrade ?? '',
      accept: (headers) => this.#accept(headers),
    }
  }

  stream(status: number, headers: Headers): ResponseStream {
    const response = this.begin() ?? new ServerResponse(this.options.request)
    response.writeHead(status, flatten(headers))
    return createNodeStream(response)
  }

  #accept(headers: Headers): Duplex {
    const { socket, rest } = this.options
    this.answered = true
    let head = `HTTP/1.1 101 ${STATUS_CODES[101]}\r\n`
    const flat = flatten(headers)
    for (let at = 0; at + 1 < flat.length; at += 2) head += `${flat[at]}: ${flat[at + 1]}\r\n`
    socket.write(`${head}\r\n`, 'latin1')
    if (rest.length > 0) socket.unshift(rest)
    return socket
  }
}
