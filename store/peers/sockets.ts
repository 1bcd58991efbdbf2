import { connect, createServer, isIP, type Server, type Socket } from 'node:net'
import { connect as connectTls, createServer as createTlsServer } from 'node:tls'
import type { PeerAddress } from './address.ts'

/** PEM texts. Members show each other this certificate, and trust those that the authority signed. */
export interface PeerTls {
  readonly certificate: string
  readonly privateKey: string
  readonly trustedCa: string
}

const minVersion = 'TLSv1.3'
const handshakeMs = 5000

/** Dials; the socket may be written to at once. TLS checks that the certificate is good for the host. */
export function dial({ host, port }: PeerAddress, tls: PeerTls | undefined): Socket {
  if (tls === undefined) return connect({ host, port })
  return connectTls({
    host,
    port,
    cert: tls.certificate,
    key: tls.privateKey,
    ca: tls.trustedCa,
    minVersion,
    ...(isIP(host) === 0 ? { servername: host } : {}),
  })
}

/** A server for the others; with TLS only those with a certificate of the authority get through. */
export function createPeerServer(
  tls: PeerTls | undefined,
  onSocket: (socket: Socket) => void,
  onStranger: (reason: string) => void,
): Server {
  if (tls === undefined) return createServer(onSocket)
  const server = createTlsServer(
    {
      cert: tls.certificate,
      key: tls.privateKey,
      ca: tls.trustedCa,
      minVersion,
      requestCert: true,
      rejectUnauthorized: true,
      handshakeTimeout: handshakeMs,
    },
    onSocket,
  )
  server.on('tlsClientError', (error, socket) => {
    onStranger(`${socket.remoteAddress ?? 'somebody'}: ${error.message}`)
  })
  return server
}
