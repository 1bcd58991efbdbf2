/** An HTTP/1.1 client that sends exactly what a test writes, and takes answers apart byte by byte. */

import type { Duplex } from 'node:stream'

interface RawAnswer {
  readonly status: number
  readonly headers: ReadonlyMap<string, string>
  readonly body: string
}

export class RawClient {
  readonly socket: Duplex
  #received: Buffer = Buffer.alloc(0)
  #ended = false
  #betweenChunks = false
  #wake: () => void = () => {}

  constructor(socket: Duplex) {
    this.socket = socket
    socket.on('data', (chunk: Buffer) => {
      this.#received = this.#received.length === 0 ? chunk : Buffer.concat([this.#received, chunk])
      this.#wake()
    })
    socket.on('error', () => {}) // 'close' follows
    socket.once('end', () => this.#end())
    socket.once('close', () => this.#end())
  }

  #end(): void {
    this.#ended = true
    this.#wake()
  }

  send(...lines: readonly string[]): void {
    this.socket.write(lines.join('\r\n'))
  }

  /** A request without a body. */
  ask(method: string, path: string, ...headers: readonly string[]): void {
    this.send(`${method} ${path} HTTP/1.1`, 'host: test', ...headers, '', '')
  }

  /** Waits for the end of the connection; what came before it. */
  async rest(): Promise<string> {
    while (!this.#ended) await this.#more()
    return this.#take(this.#received.length)
  }

  /** @param method of the request that this answers: HEAD has no body */
  async answer(method = 'GET'): Promise<RawAnswer> {
    const head = (await this.until('\r\n\r\n')).split('\r\n')
    const status = Number(head[0]?.split(' ')[1])
    const headers = new Map(
      head.slice(1).flatMap((line): [string, string][] => {
        const colon = line.indexOf(':')
        return colon === -1 ? [] : [[line.slice(0, colon).toLowerCase(), line.slice(colon + 1).trim()]]
      }),
    )
    return { status, headers, body: await this.#body(method, status, headers) }
  }

  async #body(method: string, status: number, headers: ReadonlyMap<string, string>): Promise<string> {
    if (method === 'HEAD' || status === 204 || status === 304 || status < 200) return ''
    if (headers.get('transfer-encoding') === 'chunked') {
      let body = ''
      for (let chunk = await this.chunk(); chunk !== ''; chunk = await this.chunk()) body += chunk
      return body
    }
    const length = headers.get('content-length')
    if (length !== undefined) return this.#take(Number(length))
    while (!this.#ended) await this.#more()
    return this.#take(this.#received.length)
  }

  /**
   * Payload of the next chunk; '' = the last one. The line end behind a chunk may come with the next chunk. A lone
   * space is passed over: a transport may send it to get the head of a JSON stream on its way.
   */
  async chunk(): Promise<string> {
    if (this.#betweenChunks) await this.until('\r\n')
    this.#betweenChunks = false
    const size = Number.parseInt(await this.until('\r\n'), 16)
    if (Number.isNaN(size)) throw new Error('no chunk size where one was due')
    if (size === 0) {
      await this.until('\r\n')
      return ''
    }
    const payload = await this.#take(size)
    this.#betweenChunks = true
    return payload === ' ' ? this.chunk() : payload
  }

  /** Reads through `mark`; returns what stands before it. */
  async until(mark: string): Promise<string> {
    let at = this.#received.indexOf(mark)
    while (at === -1) {
      await this.#more()
      at = this.#received.indexOf(mark)
    }
    const text = await this.#take(at)
    await this.#take(mark.length)
    return text
  }

  async #take(bytes: number): Promise<string> {
    while (this.#received.length < bytes) await this.#more()
    const text = this.#received.toString('latin1', 0, bytes)
    this.#received = this.#received.subarray(bytes)
    return text
  }

  #more(): Promise<void> {
    if (this.#ended)
      throw new Error(`the connection ended; left: ${this.#received.toString('latin1', 0, 200)}`)
    return new Promise((resolve) => {
      this.#wake = resolve
    })
  }
}
