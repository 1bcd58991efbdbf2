/**
 * Makes keys and certificates: ECDSA on P-256, of the few forms that this server has. By hand, for every control plane
 * that a test starts makes three, and a library for all forms takes longer to load than everything else here.
 *
 * Source: RFC 5280, section 4.
 */

import assert from 'node:assert/strict'
import {
  createHash,
  createPrivateKey,
  generateKeyPair,
  type KeyObject,
  sign,
  X509Certificate,
} from 'node:crypto'
import { promisify } from 'node:util'
import { parseAddress } from '../../src/types/validation/ip.ts'
import { der, readElements } from './der.ts'

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

const identifiers = {
  commonName: '2.5.4.3',
  organization: '2.5.4.10',
  subjectKey: '2.5.29.14',
  keyUsage: '2.5.29.15',
  alternativeNames: '2.5.29.17',
  basicConstraints: '2.5.29.19',
  authorityKey: '2.5.29.35',
  extendedKeyUsage: '2.5.29.37',
  serverAuth: '1.3.6.1.5.5.7.3.1',
  clientAuth: '1.3.6.1.5.5.7.3.2',
  ecdsaWithSha256: '1.2.840.10045.4.3.2',
} as const

/** Bits from the left, and how many of the byte are not used (RFC 5280, section 4.2.1.3). */
const usages = { digitalSignature: [0x80, 7], certAndCrlSign: [0x06, 1] } as const

interface Form {
  readonly subject: Buffer
  readonly publicKey: KeyObject
  readonly extensions: readonly Buffer[]
  readonly validity: Validity
}

interface Signer {
  readonly name: Buffer
  readonly privateKey: KeyObject
}

const newKeys = (): Promise<{ readonly publicKey: KeyObject; readonly privateKey: KeyObject }> =>
  promisify(generateKeyPair)('ec', { namedCurve: 'P-256' })

export function createIssuer(randomBytes: (count: number) => Buffer): Issuer {
  async function signedBy(
    ca: KeyPair,
    subject: Buffer,
    purposes: readonly string[],
    validity: Validity,
    names: readonly string[] = [],
  ): Promise<KeyPair> {
    const { name, keyIdentifier } = readAuthority(ca.certificate)
    const { publicKey, privateKey } = await newKeys()
    const extensions = [
      basicConstraints(),
      keyUsage(usages.digitalSignature),
      extension(identifiers.extendedKeyUsage, der.sequence(...purposes.map(der.objectIdentifier))),
      extension(identifiers.authorityKey, der.sequence(der.implicit(0, keyIdentifier))),
      ...(names.length === 0
        ? []
        : [extension(identifiers.alternativeNames, der.sequence(...names.map(generalName)))]),
    ]
    const signer = { name, privateKey: createPrivateKey(ca.privateKey) }
    assert(signer.privateKey.asymmetricKeyType === 'ec', 'the key of the CA is one of an elliptic curve')
    return pairOf(certificate({ subject, publicKey, extensions, validity }, signer, randomBytes), privateKey)
  }

  const { serverAuth, clientAuth } = identifiers
  const named = ([first = 'localhost']: readonly string[]) => nameOf({ commonName: first, organizations: [] })
  return {
    async authority(commonName, validity) {
      const { publicKey, privateKey } = await newKeys()
      const name = nameOf({ commonName, organizations: [] })
      const extensions = [
        basicConstraints(der.true, der.integer(Buffer.from([0]))),
        keyUsage(usages.certAndCrlSign),
        extension(identifiers.subjectKey, der.octetString(identifierOf(publicKey))),
      ]
      const form = { subject: name, publicKey, extensions, validity }
      return pairOf(certificate(form, { name, privateKey }, randomBytes), privateKey)
    },
    serving: (ca, names, validity) => signedBy(ca, named(names), [serverAuth], validity, names),
    client: (ca, user, validity) => signedBy(ca, nameOf(user), [clientAuth], validity),
    peer: (ca, names, validity) => signedBy(ca, named(names), [serverAuth, clientAuth], validity, names),
  }
}

function certificate(
  form: Form,
  { name, privateKey }: Signer,
  randomBytes: (count: number) => Buffer,
): Buffer {
  const { fromMs, untilMs } = form.validity
  const algorithm = der.sequence(der.objectIdentifier(identifiers.ecdsaWithSha256))
  const version3 = der.explicit(0, der.integer(Buffer.from([2])))
  const content = der.sequence(
    version3,
    der.integer(serialNumber(randomBytes)),
    algorithm,
    name,
    der.sequence(der.time(fromMs), der.time(untilMs)),
    form.subject,
    form.publicKey.export({ type: 'spki', format: 'der' }),
    der.explicit(3, der.sequence(...form.extensions)),
  )
  return der.sequence(content, algorithm, der.bitString(sign('sha256', content, privateKey)))
}

/** 127 random bits, positive, first byte not 0 (RFC 5280, section 4.1.2.2). */
function serialNumber(randomBytes: (count: number) => Buffer): Buffer {
  const bytes = randomBytes(16)
  bytes[0] = ((bytes[0] ?? 0) & 0x7f) | 0x40
  return bytes
}

function nameOf({ commonName, organizations }: ClientName): Buffer {
  const attribute = (type: string, value: string) =>
    der.setOf(der.sequence(der.objectIdentifier(type), der.utf8String(value)))
  return der.sequence(
    ...organizations.map((organization) => attribute(identifiers.organization, organization)),
    attribute(identifiers.commonName, commonName),
  )
}

function extension(identifier: string, value: Buffer): Buffer {
  return der.sequence(der.objectIdentifier(identifier), der.octetString(value))
}

function critical(identifier: string, value: Buffer): Buffer {
  return der.sequence(der.objectIdentifier(identifier), der.true, der.octetString(value))
}

function basicConstraints(...constraints: readonly Buffer[]): Buffer {
  return critical(identifiers.basicConstraints, der.sequence(...constraints))
}

function keyUsage([bits, unusedBits]: readonly [number, number]): Buffer {
  return critical(identifiers.keyUsage, der.bitString(Buffer.from([bits]), unusedBits))
}

/** RFC 5280, section 4.2.1.6. */
function generalName(name: string): Buffer {
  const address = parseAddress(name)
  if (address === undefined) return der.implicit(2, Buffer.from(name))
  const digits = address.family === 'IPv4' ? 8 : 32
  return der.implicit(7, Buffer.from(address.value.toString(16).padStart(digits, '0'), 'hex'))
}

/** RFC 5280, section 4.2.1.2, method 1: of the bits of the key, which on this curve are the last 65 bytes. */
function identifierOf(publicKey: KeyObject): Buffer {
  const bits = publicKey.export({ type: 'spki', format: 'der' }).subarray(-65)
  return createHash('sha1').update(bits).digest()
}

/** How a CA calls itself and its key, byte for byte: what it signs has to call them the same. */
function readAuthority(pem: string): { readonly name: Buffer; readonly keyIdentifier: Buffer } {
  const { raw, publicKey } = new X509Certificate(pem)
  const [content] = readElements(readElements(raw)[0]?.content ?? raw)
  // Version, serial number, algorithm, issuer, validity, subject, key; behind them the extensions.
  const fields = readElements(content?.content ?? raw)
  const name = fields[5]?.whole
  if (name === undefined)
    throw new TypeError('a CA certificate of version 1: it is one of version 3 to be a CA')
  const extensions = readElements(fields.at(-1)?.content ?? raw)[0]?.content ?? raw
  const subjectKey = der.objectIdentifier(identifiers.subjectKey)
  for (const { content: one } of readElements(extensions)) {
    const parts = readElements(one)
    const value = parts.at(-1)?.content
    if (value !== undefined && parts[0]?.whole.equals(subjectKey) === true) {
      return { name, keyIdentifier: readElements(value)[0]?.content ?? value }
    }
  }
  return { name, keyIdentifier: identifierOf(publicKey) }
}

function pairOf(certificate: Buffer, privateKey: KeyObject): KeyPair {
  const lines = certificate.toString('base64').replace(/.{64}(?=.)/g, '$&\n')
  return {
    certificate: `-----BEGIN CERTIFICATE-----\n${lines}\n-----END CERTIFICATE-----\n`,
    privateKey: privateKey.export({ type: 'pkcs8', format: 'pem' }).toString(),
  }
}
