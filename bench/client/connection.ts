/**
 * One keep-alive connection with at most one request under way. No agent, no streams, no header objects: bytes in,
 * status and body length out.
 */

import { connect as connectPlain, isIP, type Socket } from 'node:net'
import { connect as connectTls } from 'node:tls'
import { within } from './deadline.ts'
import type { Endpoint } from './endpoint.ts'
import { type ResponseListener, ResponseParser } from './response.ts'

/**
 * All connections read into one buffer: Node fills it and calls back before it reads the next socket, and every
 * listener is done with the bytes when it returns.
 */
const readBuffer = Buffer.allocUnsafe(65_536)

/** The server answered, or the connection broke before it did. */
export interface Answer {
  readonly status: number
  readonly bodyBytes: number
}

export type Consumer = (bytes: Buffer, start: number, end: number) => void

interface Pending {
  readonly onAnswer: (answer: Answer) => void
  readonly onFailure: (failure: Error) => void
  /** Sees the body; absent = it is only counted. */
  readonly consumer: Consumer | undefined
  /** Called when the head has come. */
  readonly onHead: ((status: number) => void) | undefined
}

export class Connection implements ResponseListener {
  readonly #socket: Socket
  readonly #parser = new ResponseParser(this)
  #pending: Pending | undefined
  #status = 0
  #bodyBytes = 0
  #failure: Error | undefined

  /** Resolves when the connection (TLS included) stands. */
  static open(endpoint: Endpoint): Promise<Connection> {
    let connection: Connection | undefined
    const opened = new Promise<Connection>((resolve, reject) => {
      const opening = new Connection(endpoint, () => resolve(opening), reject)
      connection = opening
    })
    return within(opened, `connect to port ${endpoint.port}`).catch((error: unknown) => {
      connection?.close()
      throw error
    })
  }

  private constructor(endpoint: Endpoint, onOpen: () => void, onRefused: (failure: Error) => void) {
    const { host, port, tls } = endpoint
    const onread = { buffer: readBuffer, callback: (length: number) => this.#onRead(length) }
    this.#socket =
      tls === undefined
        ? connectPlain({ host, port, onread }, onOpen)
        : connectTls(
            {
              host,
              port,
              // Known to Node, not to its types: tls.connect hands it to its socket as net.connect does.
              ...{ onread },
              secureContext: tls.context,
              rejectUnauthorized: tls.verify,
              ALPNProtocols: ['http/1.1'],
              ...(isIP(host) === 0 ? { servername: host } : {}),
            },
            onOpen,
          )
    this.#socket.setNoDelay(true)
    this.#socket.on('error', (error) => {
      onRefused(error)
      this.#fail(error)
    })
    this.#socket.on('close', () => {
      this.#parser.finish()
      this.#fail(new Error('the server closed the connection'))
    })
  }

  /**
   * Sends request bytes; they may be changed again when the answer has come. A bug (throws) while another request
   * is under way. `onFailure` is called at most once, and then `onAnswer` is not.
   */
  send(
    request: Buffer,
    onAnswer: Pending['onAnswer'],
    onFailure: Pending['onFailure'],
    consumer?: Consumer,
    onHead?: (status: number) => void,
  ): void {
    if (this.#pending !== undefined) throw new Error('a request is under way on this connection')
    if (this.#failure !== undefined) {
      const failure = this.#failure
      queueMicrotask(() => onFailure(failure))
      return
    }
    this.#pending = { onAnswer, onFailure, consumer, onHead }
    this.#socket.write(request)
  }

  close(): void {
    this.#pending = undefined
    this.#failure ??= new Error('closed')
    this.#socket.destroy()
  }

  head(status: number): void {
    this.#status = status
    this.#bodyBytes = 0
    this.#pending?.onHead?.(status)
  }

  body(bytes: Buffer, start: number, end: number): void {
    this.#bodyBytes += end - start
    this.#pending?.consumer?.(bytes, start, end)
  }

  end(): void {
    const pending = this.#pending
    this.#pending = undefined
    pending?.onAnswer({ status: this.#status, bodyBytes: this.#bodyBytes })
  }

  #onRead(length: number): boolean {
    try {
      this.#parser.feed(readBuffer, 0, length)
    } catch (error) {
      this.#fail(error instanceof Error ? error : new Error(String(error)))
      this.#socket.destroy()
    }
    return true
  }

  #fail(failure: Error): void {
    this.#failure ??= failure
    const pending = this.#pending
    this.#pending = undefined
    pending?.onFailure(failure)
  }
}
