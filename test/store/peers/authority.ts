/** Certificates for the tests of members: good for both ends of a connection. */

import 'reflect-metadata'
import { randomBytes } from 'node:crypto'
import * as x509 from '@peculiar/x509'
import type { PeerTls } from '../../../store/peers/sockets.ts'

const algorithm = { name: 'ECDSA', namedCurve: 'P-256', hash: 'SHA-256' }
const { subtle } = globalThis.crypto
x509.cryptoProvider.set(globalThis.crypto)

interface Authority {
  readonly certificate: string
  issue(commonName: string, dnsNames: readonly string[]): Promise<PeerTls>
}

export async function makeAuthority(): Promise<Authority> {
  const validity = () => ({
    serialNumber: `40${randomBytes(8).toString('hex')}`,
    notBefore: new Date(Date.now() - 60_000),
    notAfter: new Date(Date.now() + 3_600_000),
    signingAlgorithm: algorithm,
  })
  const own = await subtle.generateKey(algorithm, true, ['sign', 'verify'])
  const ca = await x509.X509CertificateGenerator.createSelfSigned({
    ...validity(),
    name: [{ CN: [`authority ${randomBytes(4).toString('hex')}`] }],
    keys: own,
    extensions: [new x509.BasicConstraintsExtension(true, 0, true)],
  })
  const certificate = ca.toString('pem')
  return {
    certificate,
    async issue(commonName, dnsNames) {
      const keys = await subtle.generateKey(algorithm, true, ['sign', 'verify'])
      const issued = await x509.X509CertificateGenerator.create({
        ...validity(),
        subject: [{ CN: [commonName] }],
        issuer: ca.subject,
        publicKey: keys.publicKey,
        signingKey: own.privateKey,
        extensions: [
          new x509.ExtendedKeyUsageExtension([
            x509.ExtendedKeyUsage.serverAuth,
            x509.ExtendedKeyUsage.clientAuth,
          ]),
          new x509.SubjectAlternativeNameExtension(
            dnsNames.map((value) => ({ type: 'dns' as const, value })),
          ),
        ],
      })
      const key = await subtle.exportKey('pkcs8', keys.privateKey)
      return {
        certificate: issued.toString('pem'),
        privateKey: x509.PemConverter.encode(key, 'PRIVATE KEY'),
        trustedCa: certificate,
      }
    },
  }
}
