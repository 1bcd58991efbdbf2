/**
 * HTTP/2 (RFC 9113) over node:http2, for connections of the TLS listener that negotiate it: clients of this API send
 * all their watches over one connection.
 *
 * A connection that does more harm than work is ended: Node and nghttp2 bound what a peer may make them keep or answer
 * (settings, pings, empty frames, header blocks in many pieces, streams beyond the agreed number); resets of requests
 * that nobody could answer yet (CVE-2023-44487) are bounded here, below nghttp2's own bound, because each costs the
 * API a request.
 */

import {
  constants,
  type IncomingHttpHeaders,
  performServerHandshake,
  type ServerHttp2Session,
  type ServerHttp2Stream,
} from 'node:http2'
import type { TLSSocket } from 'node:tls'
import { type Http2Connection, Http2Exchange } from './http2-exchange.ts'
import { http2Limits } from './limits.ts'
import type { Peer, Peers } from './peer.ts'
import { type Reception, receive } from './reception.ts'
import { parseRequestTarget } from './request-target.ts'

interface Http2Options {
  /** Of the listener: they say who may vouch for a certificate. */
  readonly peers: Peers
  /** Streams at a time that a connection may have; more are refused. */
  readonly streamsMax: number
  readonly idleMs: number
  readonly requestMs: number
}

export interface Http2Connections {
  accept(socket: TLSSocket): void
  /** No new streams; each connection ends with the last answer on it. */
  close(): void
  destroy(): void
}

export function createHttp2(reception: Reception, options: Http2Options): Http2Connections {
  const sessions = new Set<Session>()
  let closing = false
  const sweep = setInterval(() => {
    const now = performance.now()
    for (const session of sessions) session.closeIfIdle(now)
  }, options.idleMs / 4)
  sweep.unref()
  return {
    accept(socket) {
      const session = new Session(socket, reception, options)
      sessions.add(session)
      session.onClose(() => sessions.delete(session))
      if (closing) session.close()
    },
    close() {
      closing = true
      clearInterval(sweep)
      for (const session of sessions) session.close()
    },
    destroy() {
      for (const session of sessions) session.destroy()
    },
  }
}

class Session implements Http2Connection {
  readonly remoteAddress: string
  readonly requestMs: number
  readonly #socket: TLSSocket
  readonly #session: ServerHttp2Session
  readonly #reception: Reception
  readonly #options: Http2Options
  #streams = 0
  /** Since when there has been no stream. */
  #idleSinceMs = performance.now()
  /** Requests reset before their answer that are still allowed, and since when. */
  #resetsLeft: number = http2Limits.resetsBurst
  #resetsAtMs = this.#idleSinceMs
  #banished = false

  constructor(socket: TLSSocket, reception: Reception, options: Http2Options) {
    this.remoteAddress = socket.remoteAddress ?? ''
    this.#socket = socket
    this.requestMs = options.requestMs
    this.#reception = reception
    this.#options = options
    this.#session = performServerHandshake(socket, {
      settings: {
        enablePush: false,
        maxConcurrentStreams: options.streamsMax,
        initialWindowSize: http2Limits.streamWindowBytes,
        maxHeaderListSize: http2Limits.headBytesMax,
      },
      maxSessionMemory: http2Limits.connectionMegabytesMax,
      maxHeaderListPairs: http2Limits.headersMax,
      maxSessionInvalidFrames: http2Limits.invalidFramesMax,
      maxSessionRejectedStreams: http2Limits.rejectedStreamsMax,
    })
    const onStream = (
      stream: ServerHttp2Stream,
      headers: IncomingHttpHeaders,
      _flags: number,
      raw: unknown,
    ): void => this.#receive(stream, headers, isStrings(raw) ? raw : [])
    this.#session.on('stream', onStream)
    this.#session.on('error', ignore) // 'close' follows
    this.#session.setLocalWindowSize(http2Limits.connectionWindowBytes)
  }

  #receive(stream: ServerHttp2Stream, headers: IncomingHttpHeaders, raw: readonly string[]): void {
    if (this.#banished) {
      stream.on('error', ignore).close(constants.NGHTTP2_REFUSED_STREAM)
      return
    }
    this.#streams++
    const target = parseRequestTarget(headers[':path'] ?? '')
    const exchange = new Http2Exchange(stream, headers, raw, target ?? { path: '/', query: '' }, this)
    const { peer } = this
    receive(exchange, target !== undefined, peer, this.#reception)
    if (peer.type === 'unverified' && peer.stale) this.close()
  }

  get peer(): Peer {
    return this.#options.peers.of(this.#socket)
  }

  ended(answered: boolean): void {
    this.#streams--
    if (this.#streams === 0) this.#idleSinceMs = performance.now()
    if (!answered) this.#countReset()
  }

  #countReset(): void {
    const now = performance.now()
    const refilled = this.#resetsLeft + ((now - this.#resetsAtMs) / 1000) * http2Limits.resetsPerSecond
    this.#resetsLeft = Math.min(http2Limits.resetsBurst, refilled) - 1
    this.#resetsAtMs = now
    if (this.#resetsLeft >= 0 || this.#session.destroyed) return
    this.#banish()
  }

  /** The client is told why in a turn of its own, then the connection ends. */
  #banish(): void {
    if (this.#banished) return
    this.#banished = true
    this.#session.goaway(constants.NGHTTP2_ENHANCE_YOUR_CALM)
    setImmediate(() => this.#session.destroy(undefined, constants.NGHTTP2_ENHANCE_YOUR_CALM))
  }

  closeIfIdle(nowMs: number): void {
    if (this.#streams === 0 && nowMs - this.#idleSinceMs > this.#options.idleMs) this.close()
  }

  close(): void {
    this.#session.close()
  }

  destroy(): void {
    this.#session.destroy()
  }

  onClose(action: () => void): void {
    this.#session.once('close', action)
  }
}

function isStrings(value: unknown): value is readonly string[] {
  return Array.isArray(value)
}

function ignore(): void {}
