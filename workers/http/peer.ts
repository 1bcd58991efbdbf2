/** What a TLS connection says about its client. Found out once for each connection. */

import type { X509Certificate } from 'node:crypto'
import type { Socket } from 'node:net'
import { type PeerCertificate as NodePeerCertificate, TLSSocket } from 'node:tls'
import type { PeerCertificate } from '../../src/pipeline/exchange.ts'
import type { TlsMaterial } from './tls-material.ts'
import { isVouchedFor, poolsOf } from './vouching.ts'

export type Peer =
  | { readonly type: 'anonymous' }
  | {
      readonly type: 'verified'
      /** By the client CA. */
      readonly certificate: PeerCertificate | undefined
      /** By the CA of proxies. */
      readonly proxyCertificate: PeerCertificate | undefined
    }
  /** A certificate was presented, but no CA vouches for it. */
  | { readonly type: 'unverified' }

const anonymous: Peer = { type: 'anonymous' }
const known = new WeakMap<Socket, Peer>()

/** @param tls of the listener: it says who may vouch; undefined = plaintext */
export function peerOf(socket: Socket, tls: TlsMaterial | undefined): Peer {
  if (tls === undefined || !(socket instanceof TLSSocket)) return anonymous
  let peer = known.get(socket)
  if (peer === undefined) {
    peer = readPeer(socket, tls)
    known.set(socket, peer)
  }
  return peer
}

function readPeer(socket: TLSSocket, tls: TlsMaterial): Peer {
  // Node gives null or an empty object where there is none, whatever its types say.
  const certificate: Partial<NodePeerCertificate> | null = socket.getPeerCertificate()
  if (certificate?.subject === undefined || certificate.fingerprint256 === undefined) return anonymous
  if (!socket.authorized) return { type: 'unverified' }
  const peer: PeerCertificate = {
    commonName: values(certificate.subject.CN).at(-1) ?? '',
    organizations: values(certificate.subject.O),
    fingerprint256: certificate.fingerprint256.replaceAll(':', '').toLowerCase(),
  }
  const pools = poolsOf(tls)
  if (pools === undefined) return { type: 'verified', certificate: peer, proxyCertificate: undefined }
  const leaf = socket.getPeerX509Certificate()
  const isOf = (pool: readonly X509Certificate[]): boolean =>
    leaf !== undefined && isVouchedFor(leaf, pool, Date.now())
  const [ofClients, ofProxies] = [isOf(pools.clients), isOf(pools.proxies)]
  if (!ofClients && !ofProxies) return { type: 'unverified' }
  return {
    type: 'verified',
    certificate: ofClients ? peer : undefined,
    proxyCertificate: ofProxies ? peer : undefined,
  }
}

/** Node gives an attribute that occurs more than once as an array, whatever its types say. */
function values(attribute: string | readonly string[] | undefined): readonly string[] {
  if (attribute === undefined) return []
  return typeof attribute === 'string' ? [attribute] : attribute
}
