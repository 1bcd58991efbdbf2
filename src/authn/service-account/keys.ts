/**
 * Keys that sign and verify tokens. Each key is good for one algorithm, whatever a token says of itself, and has one
 * name: the SHA-256 of its public half.
 */

import { createHash, createPrivateKey, createPublicKey, type KeyObject } from 'node:crypto'
import { fail, ok, type Result } from '../../../store/contract.ts'

type KeyAlgorithm = 'RS256' | 'ES256' | 'ES384' | 'ES512'

export interface VerificationKey {
  /** `kid` of tokens: base64url of the SHA-256 of the public key in DER form. */
  readonly id: string
  readonly algorithm: KeyAlgorithm
  readonly key: KeyObject
}

export interface SigningKey {
  readonly privateKey: KeyObject
  /** Its public half. */
  readonly verification: VerificationKey
}

/** The failure completes a sentence: `<file> …`. No part of the key is in it. */
export function readSigningKey(pem: string): Result<SigningKey, string> {
  const [block, ...more] = pemBlocks(pem).filter(({ label }) => label.endsWith('PRIVATE KEY'))
  if (block === undefined) return fail('holds no private key in PEM form')
  if (more.length > 0) return fail('holds more than one private key')
  try {
    const privateKey = createPrivateKey(block.text)
    const verification = verificationKeyOf(createPublicKey(privateKey))
    return verification.ok ? ok({ privateKey, verification: verification.value }) : verification
  } catch {
    return fail('holds a private key that is damaged or encrypted')
  }
}

/** All keys of a file: public keys, certificates, and the public halves of private keys. At least one. */
export function readVerificationKeys(pem: string): Result<readonly VerificationKey[], string> {
  const keys: VerificationKey[] = []
  for (const [at, { label, text }] of pemBlocks(pem).entries()) {
    if (!usable.test(label)) continue
    const read = readPublic(text)
    if (!read.ok) return fail(`block ${at + 1} (${label}) ${read.failure}`)
    keys.push(read.value)
  }
  return keys.length === 0 ? fail('holds no RSA or ECDSA key in PEM form') : ok(keys)
}

/** Parameters of a curve stand beside its key in older files. */
const usable = /(PUBLIC KEY|PRIVATE KEY|CERTIFICATE)$/

function readPublic(text: string): Result<VerificationKey, string> {
  try {
    return verificationKeyOf(createPublicKey(text))
  } catch {
    return fail('is damaged or encrypted')
  }
}

function verificationKeyOf(key: KeyObject): Result<VerificationKey, string> {
  const algorithm = algorithmOf(key)
  if (!algorithm.ok) return algorithm
  const der = key.export({ type: 'spki', format: 'der' })
  const id = createHash('sha256').update(der).digest('base64url')
  return ok({ id, algorithm: algorithm.value, key })
}

const rsaBitsMin = 2048
const curves: ReadonlyMap<string, KeyAlgorithm> = new Map([
  ['prime256v1', 'ES256'],
  ['secp384r1', 'ES384'],
  ['secp521r1', 'ES512'],
])

function algorithmOf({ asymmetricKeyType, asymmetricKeyDetails }: KeyObject): Result<KeyAlgorithm, string> {
  if (asymmetricKeyType === 'rsa') {
    const bits = asymmetricKeyDetails?.modulusLength ?? 0
    return bits >= rsaBitsMin
      ? ok('RS256')
      : fail(`is an RSA key of ${bits} bits, and must have at least ${rsaBitsMin}`)
  }
  const curve = asymmetricKeyType === 'ec' ? (asymmetricKeyDetails?.namedCurve ?? '') : ''
  const algorithm = curves.get(curve)
  return algorithm === undefined
    ? fail('must be an RSA key or an ECDSA key on the curve P-256, P-384 or P-521')
    : ok(algorithm)
}

interface PemBlock {
  readonly label: string
  readonly text: string
}

function pemBlocks(pem: string): readonly PemBlock[] {
  return [...pem.matchAll(/-----BEGIN ([A-Z0-9 ]+)-----[\s\S]*?-----END \1-----/g)].map(
    ([text, label = '']) => ({ label, text: `${text}\n` }),
  )
}
