/**
 * One HTTP request and its answer, as the API sees them: the small interface behind which transports live
 * (`workers/http/node.ts`, `workers/http/uws.ts`). Nothing here names HTTP/1.1, TLS or a library.
 */

import type { Duplex } from 'node:stream'
import type { Result } from '../../store/contract.ts'

/** The client certificate that the transport verified against the client CA; absent = none was presented. */
export interface PeerCertificate {
  readonly commonName: string
  readonly organizations: readonly string[]
  /** Lower-case hex SHA-256 of the DER form. */
  readonly fingerprint256: string
  /** Its end: wall-clock milliseconds. */
  readonly untilMs: number
}

/**
 * Bytes that many streams send: framed once for each framing in use, then shared.
 * `http1()` is the same payload as one HTTP/1.1 chunk (size line, payload, CRLF), made on first use and kept.
 */
export interface SharedChunk {
  readonly payload: Buffer
  http1(): Buffer
}

/** A chunk in memory that others wait for. It has one sender. */
export interface LentChunk extends SharedChunk {
  /**
   * Gives the memory back: other bytes may stand there from now on. Only when these have left this process, or never
   * will; where it is not called, the memory is garbage in the end.
   */
  release(): void
}

export type Headers = Readonly<Record<string, string | readonly string[]>>

/** A streamed answer. Writing after the end or the close is no error and does nothing. */
export interface ResponseStream {
  /**
   * Queues bytes. Returns false when more than the transport's high-water mark waits: pause until `onDrain`.
   *
   * @param alone nothing else is written in this turn, as far as the writer knows: it need not wait for company
   */
  write(chunk: SharedChunk | Buffer, alone?: boolean): boolean
  /** `action` runs each time the queue empties after `write` returned false. One listener; the last one set wins. */
  onDrain(action: () => void): void
  /** Finishes the answer properly (the client sees a complete body). */
  end(): void
  /** Drops the connection: the client sees a broken body. For a watcher that is too slow to be told. */
  abort(): void
  /** Bytes accepted by `write` that have not left this process. 0 = nobody looks at what was written any more. */
  readonly bufferedBytes: number
}

export type BodyFailure =
  | { readonly code: 'TooLarge'; readonly limitBytes: number }
  /** The client went away or broke the framing before the body was whole. */
  | { readonly code: 'Aborted' }

/** A connection that may go on in another protocol. */
export interface Upgrade {
  /** What the client asks for, as it wrote it: `SPDY/3.1`, `websocket`. */
  readonly protocol: string
  /** Agrees, with these headers and no others, and lets go of the connection. Instead of `respond`. */
  accept(headers: Headers): Duplex
}

export interface Exchange {
  /** Upper case. */
  readonly method: string
  /** As sent, percent-encoded, without the query. Starts with `/`. */
  readonly path: string
  /** As sent, without `?`; empty when there is none. */
  readonly query: string
  /** Scheme of the listener: decides nothing but links and logs. */
  readonly secure: boolean
  readonly remoteAddress: string
  readonly peerCertificate: PeerCertificate | undefined
  /** The same certificate, where the CA of authenticating proxies vouches for it; absent = it does not. */
  readonly proxyCertificate: PeerCertificate | undefined
  /** Value of a request header, by lower-case name; several values joined with `, `. */
  header(name: string): string | undefined
  /** All values of a request header in order, by lower-case name. */
  headerValues(name: string): readonly string[]
  /** All request headers, lower-case names, in order: for prefixes such as `impersonate-extra-`. */
  headerNames(): readonly string[]
  /** Reads the whole body. Call at most once. */
  readBody(limitBytes: number): Promise<Result<Buffer, BodyFailure>>
  /** Sends a whole answer; `content-length` and `date` are the transport's. HEAD sends no body. Call once. */
  respond(status: number, headers: Headers, body: Buffer): void
  /** Starts a streamed answer (chunked). Instead of `respond`. */
  stream(status: number, headers: Headers): ResponseStream
  /** Absent = the client asks for no other protocol, or its connection cannot change to one. */
  readonly upgrade?: Upgrade
  /** Runs once when the exchange is over: the answer has left, or the client has gone; soon, if it is over already. Any number. */
  onClose(action: () => void): void
}

/** What a transport calls for each request. Never rejects: failures have been answered. */
export type Handler = (exchange: Exchange) => void
