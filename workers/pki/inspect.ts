/** Looks at certificates and keys that are there, with Node's own parser: nothing has to be loaded for it. */

import { createPrivateKey, type KeyObject, X509Certificate } from 'node:crypto'
import { isIP } from 'node:net'
import { fail, ok, type Result } from '../../store/contract.ts'
import type { KeyPair } from './issue.ts'

/** Something about a file that its owner has to mend. `message` names the file. */
export interface PkiFailure {
  /** Mismatch: both files of a pair are fine, but are not of one pair. */
  readonly code: 'BadFile' | 'Mismatch'
  readonly path: string
  readonly message: string
}

export function badFile(path: string, problem: string): PkiFailure {
  return { code: 'BadFile', path, message: `${path}: ${problem}` }
}

/** A pair as it was read, not yet believed. */
interface FoundPair {
  readonly certificatePath: string
  readonly certificate: string
  readonly keyPath: string
  readonly privateKey: string
}

export interface CheckedPair {
  readonly pair: KeyPair
  /** The first certificate of the file. */
  readonly leaf: X509Certificate
}

/** Both parse and belong together. */
export function checkPair(found: FoundPair): Result<CheckedPair, PkiFailure> {
  const certificate = parseCertificate(found.certificatePath, found.certificate)
  if (!certificate.ok) return certificate
  const key = parseKey(found.keyPath, found.privateKey)
  if (!key.ok) return key
  if (!certificate.value.checkPrivateKey(key.value)) {
    return fail({
      ...badFile(found.keyPath, `is not the private key of ${found.certificatePath}`),
      code: 'Mismatch',
    })
  }
  return ok({
    pair: { certificate: found.certificate, privateKey: found.privateKey },
    leaf: certificate.value,
  })
}

/** The first certificate of PEM text. */
export function parseCertificate(path: string, text: string): Result<X509Certificate, PkiFailure> {
  try {
    return ok(new X509Certificate(text))
  } catch {
    return fail(badFile(path, 'holds no certificate in PEM form'))
  }
}

function parseKey(path: string, text: string): Result<KeyObject, PkiFailure> {
  try {
    return ok(createPrivateKey(text))
  } catch {
    return fail(badFile(path, 'holds no private key in PEM form, or an encrypted one'))
  }
}

/** Was signed by this CA. */
export function isSignedBy(leaf: X509Certificate, ca: X509Certificate): boolean {
  return leaf.checkIssued(ca) && leaf.verify(ca.publicKey)
}

export function expiresBefore(leaf: X509Certificate, timeMs: number): boolean {
  return Date.parse(leaf.validTo) < timeMs
}

const dayMs = 86_400_000
const warnBeforeMs = 45 * dayMs

/**
 * What its owner should know of a certificate that is over, or nearly; `text` is PEM, the first certificate counts, and
 * `remedy` is what to do in time.
 */
export function expiryWarning(what: string, text: string, remedy: string, nowMs: number): string | undefined {
  const leaf = new X509Certificate(text)
  const leftMs = Date.parse(leaf.validTo) - nowMs
  if (leftMs >= warnBeforeMs) return undefined
  const at = new Date(leaf.validTo).toISOString()
  return leftMs <= 0
    ? `the ${what} has expired (${at}): others refuse it`
    : `the ${what} expires in ${Math.floor(leftMs / dayMs)} days (${at}): ${remedy}`
}

/** Names and addresses among `names` that the certificate is not good for. */
export function missingNames(leaf: X509Certificate, names: readonly string[]): readonly string[] {
  return names.filter((name) => (isIP(name) === 0 ? leaf.checkHost(name) : leaf.checkIP(name)) === undefined)
}
