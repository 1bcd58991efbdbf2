/** What the chapters of the transport suite share. */

import type { Duplex } from 'node:stream'
import type { Test as TapTest } from 'tap'
import type { Exchange, Handler } from '../../src/pipeline/exchange.ts'
import type { Listener } from '../../workers/http/listener.ts'
import type { RawClient } from './raw-client.ts'

export interface TransportUnderTest {
  listen(handler: Handler): Promise<Listener>
  connect(port: number): Promise<Duplex>
  /** Knows `Expect: 100-continue`, pipelined streams, HTTP/1.0 and heads of 100 KiB: Node does, the other is for loopback. */
  readonly complete: boolean
  /** HTTP/2: `connect` translates, so bytes that are no HTTP/1.1 do not reach the listener. */
  readonly framed?: boolean
}

export type Test = Pick<TapTest, 'test' | 'teardown'>

/** A transport that serves one handler, and clients of it; all gone after the test. */
export interface Fixture {
  readonly listener: Listener
  connect(): Promise<RawClient>
}

export interface Chapter {
  readonly transport: TransportUnderTest
  serve(t: Test, handler: Handler): Promise<Fixture>
}

export const json = { 'Content-Type': 'application/json' }
export const plain = { 'content-type': 'text/plain' }

export function reply(exchange: Exchange, text: string, status = 200): void {
  exchange.respond(status, plain, Buffer.from(text))
}

/** What the handler saw, as text. */
export function describe(exchange: Exchange): string {
  return `${exchange.method} ${exchange.path} ?${exchange.query}`
}
