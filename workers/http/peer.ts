/** What a TLS connection says about its client. Found out once for each connection. */

import type { Socket } from 'node:net'
import { type PeerCertificate as NodePeerCertificate, TLSSocket } from 'node:tls'
import type { PeerCertificate } from '../../src/pipeline/exchange.ts'

export type Peer =
  | { readonly type: 'anonymous' }
  | { readonly type: 'verified'; readonly certificate: PeerCertificate }
  /** A certificate was presented, but the client CA does not vouch for it. */
  | { readonly type: 'unverified' }

const anonymous: Peer = { type: 'anonymous' }
const known = new WeakMap<Socket, Peer>()

export function peerOf(socket: Socket): Peer {
  if (!(socket instanceof TLSSocket)) return anonymous
  let peer = known.get(socket)
  if (peer === undefined) {
    peer = readPeer(socket)
    known.set(socket, peer)
  }
  return peer
}

function readPeer(socket: TLSSocket): Peer {
  // Node gives null or an empty object where there is none, whatever its types say.
  const certificate: Partial<NodePeerCertificate> | null = socket.getPeerCertificate()
  if (certificate?.subject === undefined || certificate.fingerprint256 === undefined) return anonymous
  if (!socket.authorized) return { type: 'unverified' }
  return {
    type: 'verified',
    certificate: {
      commonName: values(certificate.subject.CN).at(-1) ?? '',
      organizations: values(certificate.subject.O),
      fingerprint256: certificate.fingerprint256.replaceAll(':', '').toLowerCase(),
    },
  }
}

/** Node gives an attribute that occurs more than once as an array, whatever its types say. */
function values(attribute: string | readonly string[] | undefined): readonly string[] {
  if (attribute === undefined) return []
  return typeof attribute === 'string' ? [attribute] : attribute
}
