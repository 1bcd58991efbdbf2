/**
 * HTTP/1.1 (and 1.0) over node:https and node:http. The TLS listener, which hands connections that ask for HTTP/2 to
 * it; the plaintext one where uWebSockets.js is not there.
 */

import { constants } from 'node:crypto'
import {
  createServer as createHttpServer,
  type IncomingMessage,
  type Server,
  type ServerResponse,
} from 'node:http'
import { createServer as createHttpsServer, type Server as HttpsServer } from 'node:https'
import type { Socket } from 'node:net'
import type { TLSSocket } from 'node:tls'
import { fail, ok, type Result } from '../../store/contract.ts'
import { createHttp2, type Http2Connections } from './http2.ts'
import { limits } from './limits.ts'
import { type Listener, type ListenFailure, listenFailureOf } from './listener.ts'
import { type NodeConnection, NodeExchange } from './node-exchange.ts'
import { serveNotUpgraded } from './not-upgraded.ts'
import { createPeers, nobodies, type Peer, type Peers } from './peer.ts'
import { type Reception, receive } from './reception.ts'
import { parseRequestTarget } from './request-target.ts'
import type { TlsMaterial } from './tls-material.ts'
import { judgeTunnel } from './tunnels.ts'
import { createUpgrades, type Upgrade } from './upgrades.ts'
import { judgeWatch } from './websocket.ts'
import { isTunnelRequest, isWebSocketRequest } from './websocket-request.ts'

export interface NodeListenOptions extends Reception {
  readonly host: string
  /** 0 = one that is free. */
  readonly port: number
  /** Absent = plaintext. */
  readonly tls?: TlsMaterial
  /** Bounds of another size, for tests. */
  readonly limits?: Partial<Record<'headMs' | 'requestMs' | 'idleMs', number>>
  /** Over TLS; absent = as the flags are by default. */
  readonly http2?: { readonly streamsMax: number }
}

/** Listens; fails when the address cannot be had. */
export async function listenNode(options: NodeListenOptions): Promise<Result<Listener, ListenFailure>> {
  const bounds = { ...limits, ...options.limits }
  const http = {
    maxHeaderSize: bounds.headBytesMax,
    headersTimeout: Math.min(bounds.headMs, bounds.requestMs),
    requestTimeout: bounds.requestMs,
    connectionsCheckingInterval: Math.min(5_000, bounds.headMs / 2),
    keepAliveTimeout: bounds.idleMs,
    keepAlive: true,
    keepAliveInitialDelay: bounds.probeMs,
    noDelay: true,
    // Node 24.9 and later ask which requests they let go of for an upgrade; earlier ones let go of each (not-upgraded.ts).
    shouldUpgradeCallback: isUpgrade,
  }
  const { tls } = options
  const peers = tls === undefined ? nobodies : createPeers(tls)
  const http2 =
    tls === undefined
      ? undefined
      : createHttp2(options, { ...http2Default, ...options.http2, ...bounds, peers })
  const secure =
    tls === undefined ? undefined : createHttpsServer({ ...http, ...handshakeOptions, ...tlsOptions(tls) })
  const server =
    secure === undefined || http2 === undefined ? createHttpServer(http) : handOver(secure, http2)
  let handshakeErrors = 0
  secure?.on('tlsClientError', () => handshakeErrors++)
  let closing = false
  const last = (): boolean => closing
  const surroundings = { ...options, peers, last, secure: tls !== undefined }
  const accept = acceptor(surroundings)
  const upgrades = createUpgrades(options)
  server.on('upgrade', (request: IncomingMessage, socket: Socket, rest: Buffer) => {
    const judge = isTunnelRequest(request)
      ? judgeTunnel
      : isWebSocketRequest(request)
        ? judgeWatch
        : undefined
    if (judge !== undefined) upgrades.accept(upgradeOf(request, socket, rest, surroundings), judge)
    else serveNotUpgraded(server, tls === undefined ? 'connection' : 'secureConnection', request, rest)
  })
  server.on('request', (request: IncomingMessage, response: ServerResponse) =>
    accept(request, response, false),
  )
  server.on('checkContinue', (request: IncomingMessage, response: ServerResponse) =>
    accept(request, response, true),
  )
  const bound = await listen(server, options.host, options.port)
  if (!bound.ok) return bound
  return ok({
    transport: 'node',
    scheme: tls === undefined ? 'http' : 'https',
    host: options.host,
    port: bound.value,
    setTls: secure === undefined || tls === undefined ? () => {} : replacer(secure, peers, tls),
    handshakeErrors: () => handshakeErrors,
    close() {
      closing = true
      http2?.close()
      return closeWhenIdle(server)
    },
    destroy() {
      http2?.destroy()
      upgrades.destroy()
      server.closeAllConnections()
    },
  })
}

function isUpgrade(request: IncomingMessage): boolean {
  return isWebSocketRequest(request) || isTunnelRequest(request)
}

const http2Default = { streamsMax: 100 } as const

/** Connections that have agreed on HTTP/2 go there; all others where they went before. */
function handOver(server: Server, http2: Http2Connections): Server {
  const overHttp1 = server.listeners('secureConnection')
  server.removeAllListeners('secureConnection')
  server.on('secureConnection', (socket: TLSSocket) => {
    if (socket.alpnProtocol === 'h2') http2.accept(socket)
    else for (const listener of overHttp1) listener.call(server, socket)
  })
  return server
}

const handshakeOptions = {
  requestCert: true,
  // A request with a bad certificate is answered 401, which says more than a broken handshake.
  rejectUnauthorized: false,
  ALPNProtocols: ['h2', 'http/1.1'],
  handshakeTimeout: limits.headMs,
}

/** @param resumable sessions: one that is resumed brings no chain to tell by who vouches for its certificate */
function tlsOptions(tls: TlsMaterial, resumable = tls.proxyCa === undefined) {
  return {
    cert: tls.certificate,
    key: tls.privateKey,
    ca: tls.proxyCa === undefined ? tls.clientCa : [tls.clientCa, tls.proxyCa],
    minVersion: 'TLSv1.2' as const,
    sessionIdContext: 'apiserver',
    ...(tls.ticketKeys === undefined ? {} : { ticketKeys: tls.ticketKeys }),
    ...(resumable ? {} : { secureOptions: constants.SSL_OP_NO_TICKET }),
  }
}

/** Handshakes from now on are made with what it is given; who is on a connection already is looked at again. */
function replacer(server: HttpsServer, peers: Peers, first: TlsMaterial): (tls: TlsMaterial) => void {
  let current = first
  let sameTrust = true
  return (tls) => {
    const trusts = tls.clientCa === current.clientCa && tls.proxyCa === current.proxyCa
    current = tls
    sameTrust &&= trusts
    server.setSecureContext(tlsOptions(tls, sameTrust && tls.proxyCa === undefined))
    if (!trusts) peers.replace(tls)
  }
}

type Accept = (request: IncomingMessage, response: ServerResponse, expectsContinue: boolean) => void

interface Surroundings extends NodeListenOptions {
  readonly peers: Peers
  /** The listener is closing: each answer is the last of its connection. */
  readonly last: () => boolean
  readonly secure: boolean
}

function acceptor(surroundings: Surroundings): Accept {
  return (request, response, expectsContinue) => {
    const target = parseRequestTarget(request.url ?? '')
    const peer = surroundings.peers.of(request.socket)
    const connection = { ...connectionOf(peer, surroundings), expectsContinue }
    const exchange = new NodeExchange(request, response, target ?? { path: '/', query: '' }, connection)
    receive(exchange, target !== undefined, peer, surroundings)
  }
}

function connectionOf(peer: Peer, { secure, last }: Surroundings): NodeConnection {
  const verified = peer.type === 'verified' ? peer : undefined
  return {
    secure,
    peerCertificate: verified?.certificate,
    proxyCertificate: verified?.proxyCertificate,
    expectsContinue: false,
    last: peer.type === 'unverified' && peer.stale ? always : last,
  }
}

const always = (): boolean => true

function upgradeOf(
  request: IncomingMessage,
  socket: Socket,
  rest: Buffer,
  surroundings: Surroundings,
): Upgrade {
  const peer = surroundings.peers.of(socket)
  return { request, socket, rest, peer, connection: connectionOf(peer, surroundings) }
}

function listen(server: Server, host: string, port: number): Promise<Result<number, ListenFailure>> {
  return new Promise((resolve, reject) => {
    const onError = (error: Error): void => {
      const failure = listenFailureOf(error, host, port)
      if (failure === undefined) reject(error)
      else resolve(fail(failure))
    }
    server.once('error', onError)
    server.listen({ host, port, backlog: 1024 }, () => {
      server.off('error', onError)
      const address = server.address()
      resolve(ok(typeof address === 'object' && address !== null ? address.port : port))
    })
  })
}

/** Node closes connections that are idle when it is told; those that become idle later have to be swept. */
function closeWhenIdle(server: Server): Promise<void> {
  return new Promise((resolve) => {
    const sweep = setInterval(() => server.closeIdleConnections(), 50)
    server.close(() => {
      clearInterval(sweep)
      resolve()
    })
  })
}
