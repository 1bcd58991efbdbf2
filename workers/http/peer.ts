/**
 * What a TLS connection says about its client. Found out once for each connection, and again when the CAs change: who
 * is no longer vouched for, or whose certificate is over by now, is nobody from the next request on.
 */

import type { X509Certificate } from 'node:crypto'
import type { Socket } from 'node:net'
import { type PeerCertificate as NodePeerCertificate, TLSSocket } from 'node:tls'
import type { PeerCertificate } from '../../src/pipeline/exchange.ts'
import type { TlsMaterial } from './tls-material.ts'
import { isVouchedFor, type Pools, readPools } from './vouching.ts'

export type Peer =
  | { readonly type: 'anonymous' }
  | {
      readonly type: 'verified'
      /** By the client CA. */
      readonly certificate: PeerCertificate | undefined
      /** By the CA of proxies. */
      readonly proxyCertificate: PeerCertificate | undefined
    }
  /**
   * A certificate was presented, but no CA vouches for it. `stale` = the CAs or the hour have changed since the
   * handshake: a new connection may fare better.
   */
  | { readonly type: 'unverified'; readonly stale: boolean }

const anonymous: Peer = { type: 'anonymous' }

interface Known {
  readonly peer: Peer
  /** Of the CAs that it was looked at with. */
  readonly generation: number
  /** After this, the certificate counts for nothing. */
  readonly untilMs: number
}

export interface Peers {
  /** Connections in plaintext are of nobody. */
  of(socket: Socket): Peer
  /** Other CAs from now on. */
  replace(tls: TlsMaterial): void
}

/** Of a plaintext listener. */
export const nobodies: Peers = { of: () => anonymous, replace() {} }

export function createPeers(first: TlsMaterial): Peers {
  const known = new WeakMap<Socket, Known>()
  /** Undefined = whatever TLS has verified is a client: there are no proxies, and never were other CAs. */
  let pools: Pools | undefined = first.proxyCa === undefined ? undefined : readPools(first)
  let generation = 0

  function look(socket: TLSSocket, nowMs: number, stale: boolean): Known {
    const leaf = socket.getPeerX509Certificate()
    const client = leaf === undefined ? undefined : readClient(socket, leaf)
    if (leaf === undefined || client === undefined)
      return { peer: anonymous, generation, untilMs: Number.POSITIVE_INFINITY }
    const { untilMs } = client
    // TLS has looked for more than a chain: what it refused in the handshake stays refused on this connection.
    if (!socket.authorized || nowMs > untilMs)
      return { peer: { type: 'unverified', stale }, generation, untilMs }
    return { peer: vouched(leaf, client.peer, nowMs, stale), generation, untilMs }
  }

  function vouched(leaf: X509Certificate, peer: Client['peer'], nowMs: number, stale: boolean): Peer {
    if (pools === undefined) return peer
    const isOf = (pool: readonly X509Certificate[]): boolean => isVouchedFor(leaf, pool, nowMs)
    const [ofClients, ofProxies] = [isOf(pools.clients), isOf(pools.proxies)]
    if (!ofClients && !ofProxies) return { type: 'unverified', stale }
    return {
      type: 'verified',
      certificate: ofClients ? peer.certificate : undefined,
      proxyCertificate: ofProxies ? peer.certificate : undefined,
    }
  }

  return {
    of(socket) {
      if (!(socket instanceof TLSSocket)) return anonymous
      const nowMs = Date.now()
      let entry = known.get(socket)
      if (entry === undefined || entry.generation !== generation || isOver(entry, nowMs)) {
        entry = look(socket, nowMs, generation > 0 || entry !== undefined)
        known.set(socket, entry)
      }
      return entry.peer
    },
    replace(tls) {
      pools = readPools(tls)
      generation++
    },
  }
}

function isOver({ peer, untilMs }: Known, nowMs: number): boolean {
  return nowMs > untilMs && peer.type === 'verified'
}

/** What stands in a certificate, whoever vouches for it. */
interface Client {
  /** As it is where the client CA vouches for all. */
  readonly peer: {
    readonly type: 'verified'
    readonly certificate: PeerCertificate
    readonly proxyCertificate: undefined
  }
  readonly untilMs: number
}

/** Certificates that are remembered; above it all are forgotten. */
const clientsMax = 1000
const clients = new Map<string, Client>()

/**
 * Once for each certificate, not for each connection: with the names Node hands out the key, for which OpenSSL puts
 * another copy of the curve beside the connection, and it stays there.
 */
function readClient(socket: TLSSocket, { fingerprint256 }: X509Certificate): Client | undefined {
  const known = clients.get(fingerprint256)
  if (known !== undefined) return known
  // Node gives null or an empty object where there is none, whatever its types say.
  const certificate: Partial<NodePeerCertificate> | null = socket.getPeerCertificate()
  if (certificate?.subject === undefined) return undefined
  const { CN, O } = certificate.subject
  const untilMs = Date.parse(certificate.valid_to ?? '')
  const client: Client = {
    peer: {
      type: 'verified',
      certificate: {
        commonName: values(CN).at(-1) ?? '',
        organizations: values(O),
        fingerprint256: fingerprint256.replaceAll(':', '').toLowerCase(),
        untilMs,
      },
      proxyCertificate: undefined,
    },
    untilMs,
  }
  if (clients.size >= clientsMax) clients.clear()
  clients.set(fingerprint256, client)
  return client
}

/** Node gives an attribute that occurs more than once as an array, whatever its types say. */
function values(attribute: string | readonly string[] | undefined): readonly string[] {
  if (attribute === undefined) return []
  return typeof attribute === 'string' ? [attribute] : attribute
}
