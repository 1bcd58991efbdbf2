/** Tokens made by hand, right and wrong, and the options of a server that believes the right ones. */

import {
  constants,
  createHmac,
  createPublicKey,
  generateKeyPairSync,
  type KeyObject,
  sign,
} from 'node:crypto'
import { readVerificationKeys } from '../../src/authn/service-account/keys.ts'
import type { ServiceAccountOptions } from '../../src/authn/service-account/options.ts'

export const issuer = 'https://issuer.example'

interface TestKey {
  readonly privateKey: KeyObject
  readonly privatePem: string
  readonly publicPem: string
  readonly id: string
}

function keyOf(privateKey: KeyObject): TestKey {
  const privatePem = privateKey.export({ type: 'pkcs8', format: 'pem' }).toString()
  const publicPem = createPublicKey(privateKey).export({ type: 'spki', format: 'pem' }).toString()
  const read = readVerificationKeys(publicPem)
  return { privateKey, privatePem, publicPem, id: read.ok ? (read.value[0]?.id ?? '') : '' }
}

export function ecKey(namedCurve = 'P-256'): TestKey {
  return keyOf(generateKeyPairSync('ec', { namedCurve }).privateKey)
}

export function rsaKey(modulusLength = 2048): TestKey {
  return keyOf(generateKeyPairSync('rsa', { modulusLength }).privateKey)
}

export function serviceAccountOptions(
  key: TestKey,
  more: Partial<ServiceAccountOptions> = {},
): ServiceAccountOptions {
  return {
    issuers: [issuer],
    signingKey: key.privatePem,
    verificationKeys: [],
    lookup: true,
    apiAudiences: [],
    maxExpirationSeconds: 0,
    extendExpiration: true,
    jwksUri: '',
    ...more,
  }
}

export type Payload = Readonly<Record<string, unknown>>

export interface Forgery {
  /** Of the header; signed as it says, with whatever is at hand. */
  readonly alg: string
  readonly key?: KeyObject
  /** Of HS algorithms. */
  readonly secret?: string
  readonly header?: Payload
}

/** A compact JWS (RFC 7515) as anybody could make it. */
export function forge(payload: Payload, { alg, key, secret = '', header = {} }: Forgery): string {
  const signed = [{ alg, typ: 'JWT', ...header }, payload]
    .map((part) => Buffer.from(JSON.stringify(part)).toString('base64url'))
    .join('.')
  return `${signed}.${signature(alg, Buffer.from(signed), key, secret).toString('base64url')}`
}

function signature(alg: string, bytes: Buffer, key: KeyObject | undefined, secret: string): Buffer {
  const hash = `sha${alg.slice(2)}`
  if (alg.startsWith('HS')) return createHmac(hash, secret).update(bytes).digest()
  if (key === undefined) return Buffer.alloc(0)
  if (alg.startsWith('PS'))
    return sign(hash, bytes, { key, padding: constants.RSA_PKCS1_PSS_PADDING, saltLength: 32 })
  return sign(hash, bytes, { key, dsaEncoding: 'ieee-p1363' })
}

export function payloadOf(token: string): { readonly [claim: string]: never } & Payload {
  return JSON.parse(Buffer.from(token.split('.')[1] ?? '', 'base64url').toString())
}
