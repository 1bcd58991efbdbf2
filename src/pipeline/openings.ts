/** Answers without an end: from here on a request lives as long as its stream, or its connection. */

import type { Duplex } from 'node:stream'
import { AuditedOwner } from './auditing.ts'
import type { Headers, ResponseStream } from './exchange.ts'
import type { Parts } from './parts.ts'
import { answerHeaders, type Passage } from './passage.ts'
import { type Observers, observedStream, observeTunnel, type StreamOwner } from './stream.ts'

/** With the headers of every answer and these. */
export function openStream(
  passage: Passage,
  parts: Parts,
  headers: Headers,
  owner: StreamOwner,
  code: number,
): ResponseStream {
  const observers = letGo(passage, parts, owner, code)
  const stream = passage.exchange.stream(code, { ...answerHeaders(passage), ...headers })
  passage.stream = observedStream(passage.exchange, stream, observers)
  return passage.stream
}

/** Undefined = the client asks for no other protocol, or its connection cannot change to one. */
export function openTunnel(
  passage: Passage,
  parts: Parts,
  headers: Headers,
  owner: StreamOwner,
): Duplex | undefined {
  const { exchange } = passage
  const { upgrade } = exchange
  if (upgrade === undefined) return undefined
  const observers = letGo(passage, parts, owner, 101)
  const socket = upgrade.accept(headers)
  observeTunnel(exchange, observers)
  return socket
}

/** The request is not bound by a deadline any more: it lives as long as its stream. */
function letGo(
  passage: Passage,
  { accounts, calls, metrics }: Parts,
  opener: StreamOwner,
  code: number,
): Observers {
  const { call, info, audit } = passage
  calls.beginStream()
  const kind = metrics.beginStream(info, code)
  passage.answered = true
  calls.end(call)
  audit?.started(code)
  const owner = audit === undefined ? opener : new AuditedOwner(opener, audit)
  return { accounts, kind, beganMs: call.startMs, owner }
}
