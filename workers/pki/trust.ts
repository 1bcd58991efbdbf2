/** Whom the clients of a server have to trust, found in the files that the server was given. */

import { X509Certificate } from 'node:crypto'
import { isSignedBy } from './inspect.ts'

interface GivenFiles {
  /** The serving certificate and its chain, PEM text, as `parseCertificate` accepted it. */
  readonly serving: string
  /** Authorities of client certificates. */
  readonly clientCa: string
}

/**
 * PEM text: the authorities in the chain; else that of the clients, when it signed the serving certificate, too; else
 * the certificate itself. With an authority that all nodes of a cluster share, all nodes find the same.
 */
export function trustOf({ serving, clientCa }: GivenFiles): string {
  const [leaf, ...chain] = certificatesIn(serving)
  const authorities = chain.filter(({ ca }) => ca)
  if (authorities.length > 0) return textOf(authorities)
  const signers = certificatesIn(clientCa).filter((ca) => leaf !== undefined && isSignedBy(leaf, ca))
  return signers.length > 0 ? textOf(signers) : serving
}

function certificatesIn(text: string): readonly X509Certificate[] {
  const blocks = text.match(/-----BEGIN CERTIFICATE-----[\s\S]*?-----END CERTIFICATE-----/g) ?? []
  return blocks.map((block) => new X509Certificate(block))
}

function textOf(certificates: readonly X509Certificate[]): string {
  return certificates.map((certificate) => certificate.toString()).join('')
}
