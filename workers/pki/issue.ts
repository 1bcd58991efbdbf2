/**
 * Makes keys and certificates. The library behind it takes a while to load, so it is loaded when the first
 * certificate is made: a server that starts again makes none.
 */

import type { webcrypto } from 'node:crypto'
import { isIP } from 'node:net'
import type * as X509 from '@peculiar/x509'
import { loadX509 } from '../../src/certificates/library.ts'

/** PEM text: certificate and PKCS #8 key. */
export interface KeyPair {
  readonly certificate: string
  readonly privateKey: string
}

export interface Validity {
  readonly fromMs: number
  readonly untilMs: number
}

export interface Issuer {
  /** A self-signed CA that may sign certificates, but no further CA. */
  authority(commonName: string, validity: Validity): Promise<KeyPair>
  /** For a server under these DNS names and IP addresses; the first is the common name. */
  serving(ca: KeyPair, names: readonly string[], validity: Validity): Promise<KeyPair>
  client(ca: KeyPair, user: ClientName, validity: Validity): Promise<KeyPair>
  /** For a member: server and client at once, under these DNS names and IP addresses; the first is the common name. */
  peer(ca: KeyPair, names: readonly string[], validity: Validity): Promise<KeyPair>
}

export interface ClientName {
  readonly commonName: string
  /** The groups. */
  readonly organizations: readonly string[]
}

/** A CA as the library takes it. */
interface Signer {
  readonly subject: string
  readonly key: webcrypto.CryptoKey
  /** Points from what it signs to it. */
  readonly identifier: X509.Extension
}

const algorithm = { name: 'ECDSA', namedCurve: 'P-256', hash: 'SHA-256' }

export async function createIssuer(randomBytes: (count: number) => Buffer): Promise<Issuer> {
  const x509 = loadX509()
  const { subtle } = globalThis.crypto
  const { KeyUsageFlags } = x509
  const { serverAuth, clientAuth } = x509.ExtendedKeyUsage

  const newKeys = (): Promise<webcrypto.CryptoKeyPair> =>
    subtle.generateKey(algorithm, true, ['sign', 'verify'])

  /** 127 random bits, positive, first byte not 0 (RFC 5280, section 4.1.2.2). */
  const serialNumber = (): string => {
    const bytes = randomBytes(16)
    bytes[0] = ((bytes[0] ?? 0) & 0x7f) | 0x40
    return bytes.toString('hex')
  }

  const common = ({ fromMs, untilMs }: Validity) => ({
    serialNumber: serialNumber(),
    notBefore: new Date(fromMs),
    notAfter: new Date(untilMs),
    signingAlgorithm: algorithm,
  })

  const exported = async (
    certificate: { toString(format: 'pem'): string },
    keys: webcrypto.CryptoKeyPair,
  ) => {
    const der = await subtle.exportKey('pkcs8', keys.privateKey)
    return {
      certificate: `${certificate.toString('pem')}\n`,
      privateKey: `${x509.PemConverter.encode(der, 'PRIVATE KEY')}\n`,
    }
  }

  const signers = new WeakMap<KeyPair, Promise<Signer>>()

  /** Read once, however much it signs; not at all when it was made here. */
  const signerOf = (ca: KeyPair): Promise<Signer> => {
    const signer = signers.get(ca) ?? readSigner(ca)
    signers.set(ca, signer)
    return signer
  }

  const readSigner = async (ca: KeyPair): Promise<Signer> => {
    const [der] = x509.PemConverter.decode(ca.privateKey)
    if (der === undefined) throw new TypeError('the CA key is no PEM text')
    const key = await subtle.importKey('pkcs8', der, algorithm, false, ['sign'])
    return signerFrom(new x509.X509Certificate(ca.certificate), key)
  }

  const signerFrom = async (
    { subject, publicKey }: X509.X509Certificate,
    key: webcrypto.CryptoKey,
  ): Promise<Signer> => ({
    subject,
    key,
    identifier: await x509.AuthorityKeyIdentifierExtension.create(publicKey),
  })

  const signedBy = async (
    ca: KeyPair,
    subject: { readonly [attribute: string]: string[] }[],
    usages: string[],
    validity: Validity,
    names: readonly string[],
  ): Promise<KeyPair> => {
    const [signer, keys] = await Promise.all([signerOf(ca), newKeys()])
    const certificate = await x509.X509CertificateGenerator.create({
      ...common(validity),
      subject,
      issuer: signer.subject,
      publicKey: keys.publicKey,
      signingKey: signer.key,
      extensions: [
        new x509.BasicConstraintsExtension(false, undefined, true),
        new x509.KeyUsagesExtension(KeyUsageFlags.digitalSignature, true),
        new x509.ExtendedKeyUsageExtension(usages),
        signer.identifier,
        ...(names.length === 0 ? [] : [new x509.SubjectAlternativeNameExtension(names.map(generalName))]),
      ],
    })
    return exported(certificate, keys)
  }

  return {
    async authority(commonName, validity) {
      const keys = await newKeys()
      const certificate = await x509.X509CertificateGenerator.createSelfSigned({
        ...common(validity),
        name: [{ CN: [commonName] }],
        keys,
        extensions: [
          new x509.BasicConstraintsExtension(true, 0, true),
          new x509.KeyUsagesExtension(KeyUsageFlags.keyCertSign | KeyUsageFlags.cRLSign, true),
          await x509.SubjectKeyIdentifierExtension.create(keys.publicKey),
        ],
      })
      const pair = await exported(certificate, keys)
      signers.set(pair, signerFrom(certificate, keys.privateKey))
      return pair
    },
    serving: (ca, names, validity) =>
      signedBy(ca, [{ CN: [names[0] ?? 'localhost'] }], [serverAuth], validity, names),
    client: (ca, { commonName, organizations }, validity) =>
      signedBy(
        ca,
        [...organizations.map((organization) => ({ O: [organization] })), { CN: [commonName] }],
        [clientAuth],
        validity,
        [],
      ),
    peer: (ca, names, validity) =>
      signedBy(ca, [{ CN: [names[0] ?? 'localhost'] }], [serverAuth, clientAuth], validity, names),
  }
}

function generalName(name: string): { type: 'ip' | 'dns'; value: string } {
  return { type: isIP(name) === 0 ? 'dns' : 'ip', value: name }
}
