/**
 * Watches as streams of a few HTTP/2 connections. Node's own client: nothing is timed over it, and its memory is not
 * the server's.
 */

import { type ClientHttp2Session, connect } from 'node:http2'
import { within } from './deadline.ts'
import type { Endpoint } from './endpoint.ts'

interface StreamListener {
  onHead(status: number): void
  onBytes(bytes: Buffer): void
  /** The stream is over, and nobody here asked for it; at most once. */
  onEnd(failure: Error): void
}

interface Http2Stream {
  close(): void
}

/** Opens connections as their streams are asked for: stream `i` is one of connection `i / streamsEach`. */
export class Http2Connections {
  readonly #endpoint: Endpoint
  readonly #streamsEach: number
  readonly #sessions: Promise<ClientHttp2Session>[] = []

  constructor(endpoint: Endpoint, streamsEach: number) {
    this.#endpoint = endpoint
    this.#streamsEach = streamsEach
  }

  /** Sends a GET. Rejects when there is no connection. */
  async open(index: number, target: string, listener: StreamListener): Promise<Http2Stream> {
    const at = Math.floor(index / this.#streamsEach)
    this.#sessions[at] ??= openSession(this.#endpoint)
    const session = await this.#sessions[at]
    const { token } = this.#endpoint
    const stream = session.request({
      ':path': target,
      accept: 'application/json',
      'user-agent': 'cluster-apiserver-bench',
      ...(token === undefined ? {} : { authorization: `Bearer ${token}` }),
    })
    let closed = false
    let failure = new Error('the server ended the stream')
    stream.on('response', (head) => listener.onHead(head[':status'] ?? 0))
    stream.on('data', (bytes: Buffer) => listener.onBytes(bytes))
    stream.on('error', (error) => {
      failure = error
    })
    stream.on('close', () => {
      if (!closed) listener.onEnd(failure)
    })
    return {
      close() {
        closed = true
        stream.close()
      },
    }
  }

  /** Drops all connections: close their streams first. */
  close(): void {
    for (const opening of this.#sessions) {
      opening.then(
        (session) => session.destroy(),
        () => {},
      )
    }
  }
}

function openSession({ host, port, tls }: Endpoint): Promise<ClientHttp2Session> {
  const authority = `${tls === undefined ? 'http' : 'https'}://${host.includes(':') ? `[${host}]` : host}:${port}`
  const opened = new Promise<ClientHttp2Session>((resolve, reject) => {
    const session = connect(
      authority,
      tls === undefined ? {} : { secureContext: tls.context, rejectUnauthorized: tls.verify },
    )
    session.on('error', reject)
    // The server's settings say how many streams it takes.
    session.once('remoteSettings', () => resolve(session))
  })
  return within(opened, `connect to port ${port} with HTTP/2`)
}
