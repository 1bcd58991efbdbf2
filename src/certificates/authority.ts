/** Signs certificates for others, with the key of the cluster's CA. */

import { createPrivateKey, type KeyObject, type webcrypto, X509Certificate } from 'node:crypto'
import { fail, ok, type Result } from '../../store/contract.ts'
import { loadX509 } from './library.ts'
import type { CertificateRequest } from './request.ts'
import { usagesOf } from './usages.ts'

/** PEM texts. */
export interface SigningCa {
  readonly certificate: string
  readonly privateKey: string
}

interface CertificateTerms {
  readonly usages: readonly string[]
  readonly nowMs: number
  readonly durationMs: number
}

export interface Authority {
  /** PEM text of the certificate. Fails when the authority itself has expired. */
  issue(request: CertificateRequest, terms: CertificateTerms): Promise<Result<string, string>>
}

/** Clocks of those who read the certificate may be behind. */
const backdateMs = 5 * 60_000
/** Certificates of less than this live as long as was asked for, not a little less. */
const shortMs = 8 * 3_600_000

/** @param randomBytes for serial numbers */
export function createAuthority(ca: SigningCa, randomBytes: (count: number) => Buffer): Authority {
  let loaded: ReturnType<typeof load> | undefined
  return {
    async issue(request, { usages, nowMs, durationMs }) {
      loaded ??= load(ca)
      const { x509, issuer, signingKey, algorithm } = await loaded
      const endMs = issuer.notAfter.getTime()
      if (nowMs >= endMs) return fail(`the signer has expired: NotAfter=${issuer.notAfter.toISOString()}`)
      const startMs = nowMs - backdateMs
      const wantedEndMs = (durationMs < shortMs ? nowMs : startMs) + durationMs
      const { flags, extended } = usagesOf(usages)
      const { names, parsed } = request
      const certificate = await x509.X509CertificateGenerator.create({
        serialNumber: serialNumber(randomBytes),
        subject: parsed.subjectName,
        issuer: issuer.subjectName,
        notBefore: new Date(startMs),
        notAfter: new Date(Math.min(wantedEndMs, endMs)),
        publicKey: parsed.publicKey,
        signingKey,
        signingAlgorithm: algorithm,
        extensions: [
          ...(flags === 0 ? [] : [new x509.KeyUsagesExtension(flags, true)]),
          ...(extended.length === 0 ? [] : [new x509.ExtendedKeyUsageExtension([...extended])]),
          new x509.BasicConstraintsExtension(false, undefined, true),
          await x509.AuthorityKeyIdentifierExtension.create(issuer.publicKey),
          ...(names.length === 0
            ? []
            : [new x509.SubjectAlternativeNameExtension(names.map(({ type, value }) => ({ type, value })))]),
        ],
      })
      return ok(`${certificate.toString('pem')}\n`)
    },
  }
}

/** 127 random bits, positive, first byte not 0 (RFC 5280, section 4.1.2.2). */
function serialNumber(randomBytes: (count: number) => Buffer): string {
  const bytes = randomBytes(16)
  bytes[0] = ((bytes[0] ?? 0) & 0x7f) | 0x40
  return bytes.toString('hex')
}

async function load({ certificate, privateKey }: SigningCa) {
  const x509 = loadX509()
  const key = createPrivateKey(privateKey)
  const algorithm = algorithmOf(key)
  const der = key.export({ type: 'pkcs8', format: 'der' })
  const signingKey = await globalThis.crypto.subtle.importKey('pkcs8', der, algorithm, false, ['sign'])
  return { x509, issuer: new x509.X509Certificate(certificate), signingKey, algorithm }
}

interface Curve {
  readonly namedCurve: string
  readonly hash: string
}

const curves: ReadonlyMap<string, Curve> = new Map([
  ['prime256v1', { namedCurve: 'P-256', hash: 'SHA-256' }],
  ['secp384r1', { namedCurve: 'P-384', hash: 'SHA-384' }],
  ['secp521r1', { namedCurve: 'P-521', hash: 'SHA-512' }],
])

type SigningAlgorithm = (webcrypto.RsaHashedImportParams | webcrypto.EcKeyImportParams) & { hash: string }

function algorithmOf({ asymmetricKeyType, asymmetricKeyDetails }: KeyObject): SigningAlgorithm {
  if (asymmetricKeyType === 'rsa') return { name: 'RSASSA-PKCS1-v1_5', hash: 'SHA-256' }
  const curve = curves.get(asymmetricKeyDetails?.namedCurve ?? '')
  if (asymmetricKeyType !== 'ec' || curve === undefined)
    throw new TypeError('the key of the CA was checked before: it is an RSA key or on a known curve')
  return { name: 'ECDSA', ...curve }
}

/** A CA that can sign: its certificate is one of a CA, its key is of a known kind, and they belong together. */
export function caProblem({ certificate, privateKey }: SigningCa): string | undefined {
  try {
    const parsed = new X509Certificate(certificate)
    const key = createPrivateKey(privateKey)
    algorithmOf(key)
    if (!parsed.ca) return 'the certificate is not one of a CA'
    return parsed.checkPrivateKey(key) ? undefined : 'certificate and key do not belong together'
  } catch {
    return 'not a certificate and a key, RSA or on the curve P-256, P-384 or P-521, in PEM form'
  }
}
