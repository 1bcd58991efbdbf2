/**
 * What access control needs of the world beyond the store: files that an operator wrote, and services over HTTPS. The
 * one door for both; `workers/outside/` opens it on Node, a test with values.
 */

import type { Duplex } from 'node:stream'
import type { Result } from '../../store/contract.ts'
import type { Headers } from '../pipeline/exchange.ts'

export interface Outside {
  /** Text of a file. Fails with a sentence that names the cause but not the path; the text is never in it. */
  readFile(path: string): Promise<Result<string, string>>
  /** Fails with a sentence when a certificate or key cannot be used. Opens no connection. */
  httpClient(options: HttpClientOptions): Result<HttpClient, string>
  /** The same for answers that are passed on while they come. */
  streamingClient(options: HttpClientOptions): Result<StreamingClient, string>
}

/** All PEM text. */
export interface HttpClientOptions {
  /** CAs that vouch for the service; absent = the public roots that Node.js carries. */
  readonly ca?: string
  readonly certificate?: string
  readonly privateKey?: string
  /** Name to expect in the certificate, instead of the URL's host. */
  readonly serverName?: string
  /** Take any certificate: only where an operator asked for it by name. */
  readonly insecure?: boolean
}

export interface HttpRequest {
  readonly method: 'GET' | 'POST'
  /** https only. */
  readonly url: string
  readonly headers?: Readonly<Record<string, string>>
  readonly body?: Buffer
  /** From the first look-up to the last byte, redirects included. Milliseconds. */
  readonly timeoutMs: number
  /** A longer answer is given up. */
  readonly answerBytesMax: number
}

export interface HttpAnswer {
  readonly status: number
  /** Lower-case names. */
  readonly headers: ReadonlyMap<string, string>
  readonly body: Buffer
}

/** `message` names the host, never a header, body or query. */
export interface HttpFailure {
  /** Reset: the service dropped the connection. Unreachable: no connection, or none to be trusted. */
  readonly code: 'Timeout' | 'Reset' | 'Unreachable' | 'TooLarge' | 'Redirected'
  readonly message: string
}

export interface HttpClient {
  /** GET follows up to three redirects on the same origin; another origin, or one of POST, is a failure. */
  request(request: HttpRequest): Promise<Result<HttpAnswer, HttpFailure>>
  /** Drops its connections; requests under way fail. Idempotent. */
  close(): void
}

interface StreamingRequest {
  readonly method: string
  /** https, or http where a client of the cluster asks for it. */
  readonly url: string
  readonly headers?: Headers
  readonly body?: Buffer
  /** Until the connection stands. Milliseconds. */
  readonly connectMs: number
}

/** An answer whose body has not come yet. */
export interface StreamedAnswer {
  readonly status: number
  /** Lower-case names. */
  readonly headers: Headers
  /** Ends early, without an error, when the service drops the connection. Read it, or abort. */
  readonly body: AsyncIterable<Buffer>
  /** With status 101: the connection, which speaks another protocol from now on. */
  readonly connection?: Duplex
  /** Drops the connection. Idempotent. */
  abort(): void
}

export interface StreamingClient {
  /** Redirects are not followed. Resolves when the head of the answer is there. */
  open(request: StreamingRequest): Promise<Result<StreamedAnswer, HttpFailure>>
  /** Drops its connections. Idempotent. */
  close(): void
}
