/**
 * Requests as bytes, built once: what changes from one to the next (a sequence number, a time, a label) is written
 * into fixed-width slots of the same buffer.
 */

import type { Endpoint } from './endpoint.ts'

export interface RequestParts {
  readonly method: 'GET' | 'POST' | 'PATCH' | 'DELETE'
  /** Path and query as they go on the wire. */
  readonly target: string
  readonly contentType?: string
  readonly body?: string
}

/** What stands in a request's text where a slot is. Digits only, so that the widths on the wire are right. */
export const slots = {
  /** Names objects: 10 digits. */
  sequence: '9000000001',
  /** When the request was sent, microseconds of the client's monotonic clock: 16 digits. */
  sent: '9000000000000002',
  /** Label bucket: 2 digits after a `b`. */
  bucket: 'b93',
} as const

export function buildRequest(endpoint: Endpoint, parts: RequestParts): Buffer {
  const body = Buffer.from(parts.body ?? '')
  const host = endpoint.host.includes(':') ? `[${endpoint.host}]` : endpoint.host
  const lines = [
    `${parts.method} ${parts.target} HTTP/1.1`,
    `host: ${host}:${endpoint.port}`,
    'accept: application/json',
    'user-agent: cluster-apiserver-bench',
    ...(endpoint.token === undefined ? [] : [`authorization: Bearer ${endpoint.token}`]),
    ...(parts.contentType === undefined ? [] : [`content-type: ${parts.contentType}`]),
    ...(parts.body === undefined ? [] : [`content-length: ${body.length}`]),
  ]
  return Buffer.concat([Buffer.from(`${lines.join('\r\n')}\r\n\r\n`), body])
}

/** A request with slots. One for each connection: the buffer is reused as soon as the answer has come. */
export class RequestTemplate {
  readonly bytes: Buffer
  readonly #sequenceAt: readonly number[]
  readonly #sentAt: readonly number[]
  readonly #bucketAt: readonly number[]

  constructor(bytes: Buffer) {
    this.bytes = bytes
    this.#sequenceAt = offsetsOf(bytes, slots.sequence)
    this.#sentAt = offsetsOf(bytes, slots.sent)
    this.#bucketAt = offsetsOf(bytes, slots.bucket)
  }

  /** Fills all slots and returns the bytes to send. */
  fill(sequence: number, sentUs: number, bucket = 0): Buffer {
    for (const at of this.#sequenceAt) writeDigits(this.bytes, at, slots.sequence.length, sequence)
    for (const at of this.#sentAt) writeDigits(this.bytes, at, slots.sent.length, sentUs)
    for (const at of this.#bucketAt) writeDigits(this.bytes, at + 1, slots.bucket.length - 1, bucket)
    return this.bytes
  }
}

function offsetsOf(bytes: Buffer, text: string): readonly number[] {
  const found: number[] = []
  for (let at = bytes.indexOf(text); at >= 0; at = bytes.indexOf(text, at + text.length)) found.push(at)
  return found
}

function writeDigits(bytes: Buffer, at: number, width: number, value: number): void {
  let rest = Math.floor(value)
  for (let i = at + width - 1; i >= at; i--) {
    bytes[i] = 48 + (rest % 10)
    rest = Math.floor(rest / 10)
  }
}

/** The object that the scenarios write: a ConfigMap of `bytes` bytes of JSON, slots included. */
export function configMap(name: string, bytes: number): string {
  const text = (payload: string) =>
    `{"apiVersion":"v1","kind":"ConfigMap","metadata":{"name":"${name}","labels":{"bench-bucket":"${slots.bucket}"}},` +
    `"data":{"counter":"${slots.sequence}","sent":"${slots.sent}","payload":"${payload}"}}`
  return text('x'.repeat(Math.max(0, bytes - text('').length)))
}
